// SPDX-License-Identifier: Apache-2.0
// Data of the spheres lane: rows of bodies, blocks of eight pairs, chunks.
//
// Bodies are rows in the order of cells. A pair lives in one lane of a block of eight; its owner is
// the lower row. Walls take part as ghosts: rows behind the bodies that stand for the point of a
// half-space next to one sphere, with radius zero. Pairs whose gap is small when the list is made
// are computed in every step (list A); the others sleep until they may touch (list B).
#ifndef CAIRN_ENGINE_LANE_DATA_H
#define CAIRN_ENGINE_LANE_DATA_H

#include "engine/world.h"

enum {
    ENG_LANE_WIDTH = 8,   // pairs of a block, rows of a group
    ENG_LANE_CHUNK = 128, // rows
    ENG_LANE_PADDED = 6,  // least number of force rows that every body adds up
};

typedef enum eng_lane_law { ENG_LANE_HOOKE, ENG_LANE_HERTZ } eng_lane_law;

/// One surface as the kernels need it, docs/laws.md section 7.
typedef struct eng_lane_terms {
    eng_lane_law law;
    double normal;      // hooke: k_n, N/m; hertz: 4/3 E*, Pa
    double tangential;  // hooke: k_t, N/m; hertz: 8 G*, Pa
    double damping;     // tangential dashpot over normal dashpot
    double friction;    // mu
    double least_force; // N; 0, or -INFINITY with attraction
    // for the coefficient of a pair of effective mass m: damping_viscous + damping_mass m +
    // damping_root sqrt(m), with a further sqrt(sqrt(R)) for hertz
    double damping_viscous, damping_mass, damping_root;
} eng_lane_terms;

/// Eight pairs. B is the body of row j; history and lagged forces act on it, world axes.
typedef struct eng_lane_block {
    // eight times the row of A and of B, which addresses rows without a shift
    int i8[ENG_LANE_WIDTH], j8[ENG_LANE_WIDTH];
    float inverse_size[ENG_LANE_WIDTH]; // 1/m, of the smaller body
    int force_row;                      // first of its eight force rows
    unsigned char touch, slip;          // bits of lanes, in the last step
    unsigned char padding[26];
    double radius_sum[ENG_LANE_WIDTH];
    double damping[ENG_LANE_WIDTH];        // hooke: N s/m; hertz: the same over overlap^(1/4)
    double spring[3][ENG_LANE_WIDTH];      // N
    double lag_normal[ENG_LANE_WIDTH];     // N, dashpot's part of the last step's force
    double lag_tangent[3][ENG_LANE_WIDTH]; // N, dashpot's or slider's part along the surface
    // hertz alone
    double root_radius[ENG_LANE_WIDTH]; // sqrt of the effective radius
    double slope[ENG_LANE_WIDTH];       // N/m, tangential stiffness of the last step
} eng_lane_block;

_Static_assert(sizeof(eng_lane_block) % 64 == 0, "blocks stay aligned to cache lines");

/// Blocks of one surface.
typedef struct eng_lane_segment {
    int terms; // index of the surface
    int first_block, end_block;
} eng_lane_segment;

/// Rows [first_row, end_row) with the pairs they own.
typedef struct eng_lane_chunk {
    // set when the list is made
    int first_row, end_row;
    int first_segment, first_far_segment, end_segment; // list A, then list B
    int first_ghost, end_ghost;
    // written by the step
    double wake;     // m, path at which list B is looked at again
    double damping;  // J
    double friction; // J
    double drivers;  // J
    double fastest[3];
    double depth, relative;
    double finite; // 0, or NaN when a velocity is not finite
    int contacts, active;
} eng_lane_chunk;

static inline int eng_lane_row_a(const eng_lane_block *block, int k)
{
    return block->i8[k] / 8;
}

static inline int eng_lane_row_b(const eng_lane_block *block, int k)
{
    return block->j8[k] / 8;
}

/// What the kernels read and write.
typedef struct eng_lane_pass {
    double (*X)[4];         // x y z, spin z; midpoint of the step
    double (*V)[8];         // velocity, radius * spin, spin x, spin y
    double (*constants)[4]; // step/mass, step radius/inertia, step/inertia, radius
    double (*turn)[4][8];   // [groups] orientation w x y z of eight rows, midpoint
    double (*force)[8];     // [force rows] force on B, its moment F x n, half the gap, 0
    eng_lane_block *blocks;
    const eng_lane_segment *segments;
    const eng_lane_terms *terms;
    eng_lane_chunk *chunks;
    const int *near_start; // [rows + 1] into near
    const int *near;       // 8 force row + side (1: the body is B), list A, padded with a zero row
    const int *far_start;  // the same for list B
    const int *far;
    unsigned char *far_touched; // [rows] a pair of list B acts in this step
    unsigned char *deferred;    // [rows] bodies with pairs in another range
    const double (*load)[8];    // force and torque applied by the user; one zero row where none
    size_t load_stride;         // 0 or 1
    double step;
    double gravity[3]; // m/s, times step
    int row_count;
    int reach;   // rows that are asked for while a row moves: that many further on; 0 for none
    double path; // m, bound on the way of any body since the list was made
} eng_lane_pass;

typedef enum eng_lane_rows {
    ENG_LANE_ALL,
    ENG_LANE_PROMPT, // those that are not deferred
    ENG_LANE_DEFERRED
} eng_lane_rows;

/// One build of the kernels. All give the same bits.
typedef struct eng_lane_kernel {
    const char *name;
    bool (*available)(void);
    /// Forces of the pairs that a chunk owns.
    void (*forces)(const eng_lane_pass *pass, int chunk);
    /// New velocities and positions of rows of a chunk from their force rows.
    void (*move)(const eng_lane_pass *pass, int chunk, eng_lane_rows rows);
    /// New orientations of the rows of a chunk.
    void (*turn)(const eng_lane_pass *pass, int chunk);
} eng_lane_kernel;

extern const eng_lane_kernel eng_lane_scalar, eng_lane_avx2, eng_lane_avx512;

/// Aligned memory that grows without keeping its contents.
typedef struct eng_lane_buffer {
    void *memory;    // owned
    void *block;     // aligned, within
    size_t capacity; // bytes
} eng_lane_buffer;

/// Sphere and list data that a new list is made from and into.
typedef struct eng_lane_state {
    eng_lane_buffer X, V, constants, turn, reference, id;
    eng_lane_buffer blocks, near_start, near, far_start, far;
    eng_lane_buffer near_slots, far_slots; // as near and far: 8 slot + side, -1 for padding
} eng_lane_state;

typedef struct eng_lane_plane {
    vec3 normal, point; // of the half-space, world
    vec3 centre;        // of its body
} eng_lane_plane;

typedef struct eng_lane_wall {
    int body;
    bool moves;
    eng_lane_plane now, before; // at the midpoints of the coming and of the last step
    eng_lane_plane listed;      // as `now` when the list was made
    vec3 velocity, spin;        // m/s at the centre, rad/s
} eng_lane_wall;

typedef struct eng_lane_ghost {
    int row, wall;
    int slot; // of its pair
} eng_lane_ghost;

struct eng_lane {
    cairn_world *world;
    const eng_lane_kernel *kernel;
    bool active;           // the lane holds the state
    bool state_changed;    // the user changed spheres: read them before the next step
    bool walls_changed;    // the same of half-spaces
    bool loads_changed;    // and of loads
    bool current;          // world's q and v are those of the lane
    bool contacts_current; // and the contacts
    bool out_of_memory;    // met while contacts were written out
    eng_lane_pass pass;
    eng_lane_state now, before;
    eng_lane_buffer force, segments, chunks, deferred, far_touched, load, terms, walls, ghosts;
    eng_lane_buffer ghost_walls;
    int *ghost_walls_before; // [ghosts of the list before]
    eng_lane_buffer cell_of, cell_start, order, row_of, sorted, counts; // of list making
    struct eng_lane_pair *pairs;                                        // candidates
    int pair_capacity;
    int rows, wall_count, ghost_count, chunk_count, block_count, terms_count;
    int zero_row, ranges;
    bool has_load, has_moving_spheres, has_moving_walls;
    bool has_history;      // blocks of an older list hold history
    double skin, near;     // m
    double largest;        // m, radius
    double slack;          // m, way that is left before the list must be looked at
    double wall_path;      // m, way of walls since the list was made
    double extent;         // m, no sphere is farther from the origin while the list lasts
    double fastest;        // m/s, of the last step
    double listed_fastest; // m/s, `fastest` when the list was made
    int64_t lists;         // made so far
};

/// Two rows whose gap was within the skin when the list was made.
typedef struct eng_lane_pair {
    int i, j, key; // key: list B after list A, by surface
} eng_lane_pair;

static inline double (*eng_lane_reference(const struct eng_lane *lane))[4]
{
    return lane->now.reference.block;
}

/// Place of the tangential stiffness in the history of hertz_mindlin.
enum { ENG_LANE_SLOPE = 7 };

static inline int *eng_lane_ids(const struct eng_lane *lane)
{
    return lane->now.id.block;
}

/// At least `bytes`, 64-byte aligned; contents are lost when it grows.
cairn_status eng_lane_reserve(struct eng_lane *lane, eng_lane_buffer *buffer,
                              size_t bytes) CAIRN_CHECK_RESULT;

/// The world's lane, made where there is none; NULL when out of memory.
struct eng_lane *eng_lane_of(cairn_world *world);

/// Rows in the order of bodies, walls and terms of laws; nothing is read into the rows yet.
cairn_status eng_lane_open(struct eng_lane *lane) CAIRN_CHECK_RESULT;

/// Radius and inverse inertia of a row.
void eng_lane_read_constants(struct eng_lane *lane, int row);

/// Rows and incidence of a state for the lane's rows and some ghosts.
cairn_status eng_lane_state_reserve(struct eng_lane *lane, eng_lane_state *state,
                                    int ghosts) CAIRN_CHECK_RESULT;

/// The pass works on this state.
void eng_lane_state_use(struct eng_lane *lane, const eng_lane_state *state);

/// New pair list; rows are sorted by cells, history goes along.
cairn_status eng_lane_list_make(struct eng_lane *lane) CAIRN_CHECK_RESULT;

/// Half-spaces of the world for the midpoint of the coming step.
void eng_lane_walls_place(struct eng_lane *lane);

/// Moving half-spaces go to the end of the step, and to the midpoint of the next.
void eng_lane_walls_advance(struct eng_lane *lane);

/// Fastest point of a wall that a sphere may meet, m/s.
double eng_lane_walls_fastest(const struct eng_lane *lane);

/// Ghosts [first, end) follow their spheres; the work of moving walls goes to `drivers` (NULL: is
/// not looked at).
void eng_lane_ghosts_move(struct eng_lane *lane, int first, int end, double *drivers);

/// Body of a row, or of the wall of a ghost.
int eng_lane_body_of(const struct eng_lane *lane, int row);

/// One pair in the step just done, from the state after it. A is the body of row i, B that of row j
/// or the wall.
typedef struct eng_lane_contact {
    int body[2];
    bool wall;
    vec3 normal, point; // midpoint configuration, from A to B
    double gap;         // m
    vec3 velocity;      // m/s, of B relative to A at the point, after the step
    vec3 force;         // N on B
    double stiffness;   // N/m, tangential
    double spring;      // N, normal part of the spring's force
    double elastic;     // J, of the normal spring at the midpoint
} eng_lane_contact;

eng_lane_contact eng_lane_contact_of(const struct eng_lane *lane, const eng_lane_block *block,
                                     int k);

/// What a contact still owes the audit after the step, contact/audit.h.
typedef struct eng_lane_pending {
    double elastic;           // J at the end of the step
    double loose;             // J of it along the surface
    double damping, friction; // J dissipated in the second half of the step
} eng_lane_pending;

eng_lane_pending eng_lane_pending_of(const struct eng_lane *lane, const eng_lane_block *block,
                                     int k, const eng_lane_contact *contact);

/// J, stored before the world's first step in pairs that overlapped then; after that step.
double eng_lane_start_energy(const struct eng_lane *lane);

#endif
