// SPDX-License-Identifier: Apache-2.0
// What the kernels of the sphere executor read and write: blocks of eight pairs, chunks of slots.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_KERNELS_PASS_H
#define CAIRN_ENGINE_PAIRS_SPHERES_KERNELS_PASS_H

#include "contact/laws/batch.h"
#include "engine/state/world.h"

enum {
    ENG_SPHERES_WIDTH = 8,         // pairs of a block, slots of a group
    ENG_SPHERES_CHUNK = 128,       // slots, times the factor for several surfaces
    ENG_SPHERES_PADDED = 6,        // least number of force rows that every sphere adds up
    ENG_SPHERES_MEMBER_PADDED = 3, // the same of members of clumps
    ENG_SPHERES_LEAST = 8,         // chunks of a range: below, sharing costs more than it gives
};

/// Largest margin, in radii, of slots in general, and of the few that are so fast that they would
/// use it up within some steps: at most one in so many.
#define ENG_SPHERES_ORDINARY 0.35
#define ENG_SPHERES_WIDEST 2.0
enum { ENG_SPHERES_FEW = 16 };

/// Share of the margins of a pair below which it goes to list A.
#define ENG_SPHERES_NEAR 0.025

/// One surface as the kernels need it.
typedef struct eng_spheres_terms {
    const con_batch *batch; // NULL where no pair has this surface
    con_rolling rolling;
    _Alignas(16) unsigned char own[CON_BATCH_TERMS]; // what batch->prepare made
} eng_spheres_terms;

/// Eight pairs. B is the body of row j; history and lagged forces act on it, world axes.
typedef struct eng_spheres_block {
    // eight times the slot of A and of B, which addresses slots without a shift
    int i8[ENG_SPHERES_WIDTH], j8[ENG_SPHERES_WIDTH];
    float inverse_size[ENG_SPHERES_WIDTH]; // 1/m, of the smaller body
    int force_row;                         // first of its eight force rows
    unsigned char touch, slip;             // bits of lanes, in the last step
    unsigned short terms;                  // index of the surface of all pairs
    double check_distance; // m, list B: path of its chunk at which it is looked at again
    unsigned char images;  // bits of lanes whose B is an image
    unsigned char padding_too[15];
    double radius_sum[ENG_SPHERES_WIDTH];
    double column[ENG_SPHERES_WIDTH];    // the first column of the law, contact/laws/batch.h
    double spring[3][ENG_SPHERES_WIDTH]; // N
    // for the audit and read-outs, which need no more digits
    float lag_normal[ENG_SPHERES_WIDTH];     // N, dashpot's part of the last step's force
    float lag_tangent[3][ENG_SPHERES_WIDTH]; // N, dashpot's or slider's part along the surface
} eng_spheres_block;

_Static_assert(sizeof(eng_spheres_block) % 64 == 0, "blocks stay aligned to cache lines");

/// What a block has more where a surface resists rolling or twisting; moments on B.
typedef struct eng_spheres_resist {
    double radius[ENG_SPHERES_WIDTH];        // m, effective
    double rolling[3][ENG_SPHERES_WIDTH];    // N m, world axes
    double twisting[ENG_SPHERES_WIDTH];      // N m, about the normal
    float lag_rolling[3][ENG_SPHERES_WIDTH]; // as lag_tangent
    float lag_twisting[ENG_SPHERES_WIDTH];
    unsigned char roll_slip, twist_slip; // bits of lanes, in the last step
    unsigned char padding[62];
} eng_spheres_resist;

_Static_assert(sizeof(eng_spheres_resist) % 64 == 0, "blocks stay aligned to cache lines");

/// Blocks of one surface.
typedef struct eng_spheres_segment {
    int terms; // index of the surface
    int first_block, end_block;
} eng_spheres_segment;

/// Slots [first_slot, end_slot) with the pairs they own.
typedef struct eng_spheres_chunk {
    // set when the list is made
    int first_slot, end_slot;
    int first_segment, first_far_segment, end_segment; // list A, then list B
    int first_ghost, end_ghost;                        // of half-spaces
    int first_group, end_group;                        // of other walls
    int first_block, far_block, end_block;             // list A, then list B
    int before[2];  // blocks of list A and B of all chunks before it
    int window[2];  // most blocks from one to those of its last user
    int slipping;   // blocks with a pair that slips
    int last_chunk; // of the bodies that its pairs act on, but distant ones
    // of the bodies that its distant pairs act on; the second before the first where there are none
    int first_distant, last_distant;
    int first_image, end_image; // of its slots
    int first_image_pair, end_image_pair;
    int range;
    int first_contact; // of the last step, in the order of chunks
    bool waits;        // pairs of another range act on it: it moves when these ranges are done
    bool wrapped;      // bodies of some slots are in other copies of the cell
    bool held;         // general passes act on one of its slots: its walls are looked up after them
    // written by the step
    double path; // m, bound on the way since the list was made of bodies that its pairs meet
    double check_distance;    // m, path at which a block of list B is looked at again
    double left;              // m, bound on what its bodies have left of their margins
    double damping;           // J
    double friction;          // J
    double plastic;           // J
    double drivers;           // J
    double strain;            // J, work of the strain of the cell
    eng_cell_stress stress;   // where the cell is watched
    double fastest[3], speed; // m/s: most of each component; bound from them
    double depth, relative;
    double finite; // 0, or NaN when a velocity is not finite
    int members;   // slots of clumps' members
    int contacts, active;
    bool overflow;      // a group has fewer ghosts than contacts: a new list is due
    bool out_of_memory; // out of memory while contacts were looked for
} eng_spheres_chunk;

/// Number of a block within its list, of all chunks.
static inline int eng_spheres_block_number(const eng_spheres_chunk *chunk, int block)
{
    return block < chunk->far_block ? chunk->before[0] + block - chunk->first_block
                                    : chunk->before[1] + block - chunk->far_block;
}

/// Blocks of list A or B of a chunk and all before it.
static inline int eng_spheres_blocks_until(const eng_spheres_chunk *chunk, int list)
{
    return chunk->before[list] + (list == 0 ? chunk->far_block - chunk->first_block
                                            : chunk->end_block - chunk->far_block);
}

static inline int eng_spheres_slot_a(const eng_spheres_block *block, int k)
{
    return block->i8[k] / 8;
}

static inline int eng_spheres_slot_b(const eng_spheres_block *block, int k)
{
    return block->j8[k] / 8;
}

/// A slot behind the ghosts that stands for a copy of another in a periodic cell.
typedef struct eng_spheres_image {
    int source; // its slot
    int n[3];   // how often it is moved by each lattice vector: -1, 0 or 1
} eng_spheres_image;

/// What the kernels read and write.
typedef struct eng_spheres_pass {
    double (*X)[4];         // x y z, w_z of the angular velocity; midpoint of the step
    double (*V)[8];         // velocity v, radius times angular velocity w, w_x, w_y
    double (*constants)[4]; // step/mass, step radius/inertia, step/inertia, radius
    double (*turn)[4][8];   // [groups] orientation w x y z of eight slots, midpoint
    double (*force)[8];     // [force rows] force on B, its moment F x n, half the gap, 0
    eng_spheres_block *blocks;
    // [blocks * column_rows] columns of pairs but the first, a block's one after the other; NULL
    // where no surface needs them
    double (*columns)[ENG_SPHERES_WIDTH];
    int column_rows;            // of a block
    eng_spheres_resist *resist; // [blocks], NULL where no surface needs it
    double (*couple)[4];        // [force rows] N m on B beside its moment, 0; only with `resist`
    const eng_spheres_segment *segments;
    const eng_spheres_terms *terms;
    eng_spheres_chunk *chunks;
    const int *near_start; // [slots + 1] into near
    const int *near;       // 8 force row + side (1: the body is B), list A, padded with a zero row
    const int *far_start;  // [slots + 1] into far
    const int *far;        // 8 slot + side, list B
    unsigned char *far_touched; // [slots] a pair of list B acts in this step
    const int *ids;          // [slots] body; of a member of a clump the complement of its collider
    double (*sums)[8];       // [slots] force and moment on members of clumps, 0, 0; else NULL
    const double (*load)[8]; // force and torque applied by the user; one zero row where none
    size_t load_stride;      // 0 or 1
    double step;
    double gravity[3]; // m/s, times step
    bool first_step;   // of the world
    int slot_count;
    const eng_spheres_image *images; // of the slots from first_image on
    int first_image;                 // INT_MAX where there are none
    int reach; // slots that are asked for while a slot moves: that many further on; 0 for none
} eng_spheres_pass;

static inline int eng_spheres_image_code(const int n[3])
{
    return n[0] + 3 * n[1] + 9 * n[2] + 13;
}

/// The slot of which a slot is an image, else itself.
static inline int eng_spheres_source_of(const eng_spheres_pass *pass, int slot)
{
    return slot >= pass->first_image ? pass->images[slot - pass->first_image].source : slot;
}

/// Columns of the pairs of a block but the first.
static inline double (*eng_spheres_columns_of(const eng_spheres_pass *pass,
                                              int block))[ENG_SPHERES_WIDTH]
{
    return pass->columns + (size_t)block * (size_t)pass->column_rows;
}

/// Whether the pair of an entry of `far` touches; only then its force row holds its force.
static inline bool eng_spheres_far_acts(const eng_spheres_pass *pass, int entry)
{
    return pass->blocks[entry / (8 * ENG_SPHERES_WIDTH)].touch >> (entry / 8 % ENG_SPHERES_WIDTH) &
           1;
}

/// The entry as `near` would hold it.
static inline int eng_spheres_far_force_row(const eng_spheres_pass *pass, int entry)
{
    return 8 * pass->blocks[entry / (8 * ENG_SPHERES_WIDTH)].force_row +
           entry % (8 * ENG_SPHERES_WIDTH);
}

/// What the search for pairs reads: places, radii and margins of slots, eight more than there are.
/// A pair is listed while its gap is less than the sum of its margins.
typedef struct eng_spheres_search {
    const double *place[3], *radius, *margin; // m
    double near;                              // share of the margins below which a gap is near
} eng_spheres_search;

enum { ENG_SPHERES_APART = 1 << 30 }; // added to a slot whose gap is not near

/// The closed pairs of a block for the audit: midpoint of the step just done, velocities after it.
typedef struct eng_spheres_seen {
    // m; m/s of B relative to A at the point, along the normal
    _Alignas(64) double gap[ENG_SPHERES_WIDTH], normal[ENG_SPHERES_WIDTH];
    double along[ENG_SPHERES_WIDTH];   // W, spring along the surface times the velocity
    double loss[ENG_SPHERES_WIDTH];    // W, the same of its dashpot or slider
    double squared[ENG_SPHERES_WIDTH]; // N^2, of the spring
} eng_spheres_seen;

struct eng_spheres_clump_pass;
struct eng_spheres_lines;

/// One build of the kernels. All give the same bits.
typedef struct eng_spheres_kernel {
    const char *name;
    /// Forces of the pairs that a chunk owns.
    void (*forces)(const eng_spheres_pass *pass, int chunk);
    /// New velocities and positions of rows of a chunk from their force rows.
    void (*move)(const eng_spheres_pass *pass, int chunk);
    /// Motion of groups [begin, end) of clumps and of their members, clumps.h.
    void (*clumps)(const struct eng_spheres_clump_pass *pass, int begin, int end);
    /// New orientations of the slots of a chunk.
    void (*turn)(const eng_spheres_pass *pass, int chunk);
    /// Slots of [begin, end) with a gap to `slot` below the margins, in order, and how many;
    /// `found` has room for all and eight more.
    int (*meet)(const eng_spheres_search *search, int slot, int begin, int end, int *found);
    /// What the audit needs of pairs whose B is a slot, `back` s before the midpoint of slots.
    void (*see)(const eng_spheres_pass *pass, const eng_spheres_block *block, double back,
                eng_spheres_seen *seen);
    void (*draw)(const eng_spheres_pass *pass, const eng_spheres_block *block, double back,
                 struct eng_spheres_lines *lines); // all but `force` and `body`
} eng_spheres_kernel;

extern const eng_spheres_kernel eng_spheres_scalar, eng_spheres_avx2, eng_spheres_avx512;

#endif
