// SPDX-License-Identifier: Apache-2.0
// Data of the sphere executor: slots of bodies, blocks of eight pairs, chunks.
//
// Bodies are slots in the order of cells. A pair lives in one lane of a block of eight; its owner
// is the lower slot. Walls take part as ghosts: slots behind the bodies that stand for the point of
// a wall next to one sphere, with radius zero. Pairs whose gap is small when the list is made are
// computed in every step (list A); the others sleep until they may touch (list B).
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_DATA_H
#define CAIRN_ENGINE_PAIRS_SPHERES_DATA_H

#include "contact/laws/batch.h"
#include "engine/state/world.h"

#include <limits.h>

enum {
    ENG_SPHERES_WIDTH = 8,         // pairs of a block, slots of a group
    ENG_SPHERES_CHUNK = 128,       // slots, times the factor for several surfaces
    ENG_SPHERES_PADDED = 6,        // least number of force rows that every sphere adds up
    ENG_SPHERES_MEMBER_PADDED = 3, // the same of members of clumps
    ENG_SPHERES_LEAST = 8,         // chunks of a range: below, sharing costs more than it gives
};

/// Largest margin of a slot, in radii.
#define ENG_SPHERES_WIDEST 0.35

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
    bool (*available)(void);
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

/// Aligned memory that grows without keeping its contents.
typedef struct eng_spheres_buffer {
    void *memory;    // owned
    void *block;     // aligned, within
    size_t capacity; // bytes
} eng_spheres_buffer;

typedef struct eng_spheres_plane {
    vec3 normal, point; // of the half-space, world
    vec3 centre;        // of its body
} eng_spheres_plane;

/// A half-space, or one collider of another body that is not dynamic; half-spaces come first.
typedef struct eng_spheres_wall {
    int body, collider;
    bool moves;
    bool follows;                  // a function of time
    eng_spheres_plane now, before; // at the midpoints of the coming and of the last step
    eng_spheres_plane listed;      // as `now` when the list was made
    vec3 velocity, omega;          // m/s at the centre, rad/s
    vec3 omega_before;             // rad/s, in the last step
    // of other walls than half-spaces, at the same times
    const geo_shape *shape;
    pose local;                                // of the collider in the body's principal frame
    pose placed, placed_before, placed_listed; // the collider
    geo_bounds bounds;                         // when the list was made
} eng_spheres_wall;

typedef struct eng_spheres_ghost {
    int slot, wall;
    int pair_slot; // of its pair
    short nth;     // in its group; 0 for a half-space
    bool deep;     // the centre is close to the surface or behind it
} eng_spheres_ghost;

/// Two slots whose gap was within the skin when the list was made.
typedef struct eng_spheres_pair {
    unsigned j;           // with ENG_SPHERES_CANDIDATE the number of one, until blocks are made
    unsigned short i;     // within its chunk; with ENG_SPHERES_FAR, ENG_SPHERES_DISTANT
    unsigned short terms; // index of the surface
} eng_spheres_pair;

enum {
    ENG_SPHERES_FAR = 0x8000,        // of list B
    ENG_SPHERES_DISTANT = 0x4000,    // B is the image of a slot half of the chunks further on
    ENG_SPHERES_CANDIDATE = 1 << 30, // of an image
};

/// The periodic cell at the midpoint that slots are at. A slot is at the place of its body moved by
/// as many lattice vectors as bring it into the cell when a list is made.
typedef struct eng_spheres_frame {
    mat3 lattice;  // m, columns
    mat3 drift;    // m/s, columns: velocity of an image that is moved by one lattice vector
    mat3 gradient; // 1/s
} eng_spheres_frame;

/// Images that pairs may meet, for the search.
typedef struct eng_spheres_candidates {
    eng_spheres_buffer made;   // eng_spheres_image, in the order of slots
    eng_spheres_buffer used;   // int: 1 where a pair has it; then its number among the images
    eng_spheres_buffer sorted; // numbers in the order of cells
    eng_spheres_buffer start;  // [cells + 2]
    eng_spheres_buffer places; // 5 columns of the search, and one entry of each range behind them
    int count;
} eng_spheres_candidates;

/// Chunks that one thread takes. Their pairs may act on chunks of later ranges, which wait.
typedef struct eng_spheres_range {
    int first_chunk, end_chunk;
    int lowest;  // first range with pairs that act on this one
    int arrived; // of those ranges, in this step
    bool taken;  // by a thread
    // of list making
    eng_spheres_pair *pairs;   // owned
    eng_spheres_ghost *ghosts; // owned; slots and slots within the range
    int pair_count, pair_capacity, ghost_count, ghost_capacity;
    int sides[2];      // of its bodies in list A and B
    size_t kept_place; // bytes from the begin of `blocks`: history of its rows
    cairn_status status;
} eng_spheres_range;

typedef struct eng_spheres_finding eng_spheres_finding;
/// Radii between centre and surface, below which a contact is deep.
#define ENG_SPHERES_DEEP 0.25

/// Key of a ghost that stands for no contact.
#define ENG_SPHERES_NO_KEY UINT64_MAX

/// A contact of a sphere and a wall that is no half-space.
typedef struct eng_spheres_wall_contact {
    vec3 normal;  // from the sphere to the wall
    double gap;   // m
    uint64_t key; // of geo_collide for sphere and wall
    int order;    // among those that geo_collide gives; -1: ended or none
} eng_spheres_wall_contact;

/// What the ghost of such a wall stands for, at the midpoints of the coming and of the last step.
typedef struct eng_spheres_touch {
    eng_spheres_wall_contact now, before;
} eng_spheres_touch;

/// Materials as the plan sees them.
enum {
    ENG_SPHERES_SLOT = 1,     // its spheres have particle slots
    ENG_SPHERES_EXPOSED = 2,  // they meet others with slots under laws without a kernel
    ENG_SPHERES_CRITICAL = 4, // walls of it meet spheres with slots under such laws
};

/// Marks of bodies.
enum { ENG_SPHERES_TIED_MARK = 1, ENG_SPHERES_NEAR_MARK = 2, ENG_SPHERES_ACTED_MARK = 4 };

/// A collider of the general passes that spheres with slots may meet there.
typedef struct eng_spheres_critical {
    int collider;
    bool mobile;       // of a dynamic body: it meets spheres of any material
    geo_bounds bounds; // spheres near them are known; colliders that leave them are looked up anew
} eng_spheres_critical;

/// Where a slot was before the user put it elsewhere, for what the last step left behind.
typedef struct eng_spheres_moved {
    int slot;
    double X[4], V[8];
} eng_spheres_moved;

struct eng_spheres {
    cairn_world *world;
    const eng_spheres_kernel *kernel;
    bool walls_changed, loads_changed; // by the user
    bool adopted;       // bodies got slots: their contacts of the general passes are taken over
    bool out_of_memory; // a list could not be made
    bool kept_moments, kept_walls; // what was kept of the contacts of the list before
    int known_bodies;              // of slot_of
    double last_step;              // s, of the step that was done last
    // of the plan
    unsigned char *materials, *covered; // [materials], [surfaces] owned; 1: the law has a kernel
    int material_capacity, covered_capacity;
    bool all_covered;               // of the surfaces
    eng_spheres_critical *critical; // [critical_count] owned
    int critical_count, critical_capacity;
    int tied_count;    // bodies with slots that joints, connectors or motions act on
    int *exposed;      // [exposed_count] bodies with slots near critical colliders
    int *exposed_next; // spare
    int exposed_count, exposed_capacity, exposed_next_capacity;
    bool any_exposed; // spheres with slots meet each other under laws without a kernel
    bool replanned;   // since the broad phase was told
    int *acted;       // [acted_count] bodies with slots that the general passes act on in this step
    int acted_count, acted_capacity;
    unsigned char *mark; // [bodies]
    int mark_capacity;
    bool settled;             // since the last step the user changed something: the audit is even
    eng_spheres_moved *moved; // [moved_count] since the last step
    int moved_count, moved_capacity;
    int *moved_of; // [slots] index + 1 into moved
    int moved_of_capacity;
    double (*first_V)[9]; // [slots] velocities before the first step or one with releases, in it
    eng_spheres_pass pass;
    eng_spheres_buffer X, V, constants, turn, reference, id, slot_of;
    struct eng_spheres_share *share; // owned; NULL: one process has all the work
    // of a periodic cell
    bool strains;             // its lattice changes
    bool relisting;           // a restored list is made: slots are where it found them
    eng_spheres_frame frame;  // that the slots have now
    eng_spheres_frame before; // at the midpoint of the last step
    // m, m/s: of images in this frame, by eng_spheres_image_code of their numbers
    double image_shifts[27][3], image_drifts[27][3];
    // of clumps, clumps.h
    eng_spheres_buffer clumps;  // those that the executor moves come first
    eng_spheres_buffer members; // by colliders
    eng_spheres_buffer motions, sums, ways, clump_groups, member_rows;
    int unjointed_count, moved_clumps, clump_group_count; // without joints; all or none of them
    int clump_count, member_room;               // colliders that `members` knows; 0 without clumps
    bool takes_clumps, members_due, clumps_due; // laws of all surfaces do; changed; to be grouped
    eng_spheres_buffer wraps, images; // int[3] of slots: lattice vectors from one to its body
    eng_spheres_buffer image_pairs;   // int: places of pairs with images, block by block
    eng_spheres_candidates candidates;
    mat3 listed; // m, lattice when the list was made
    int image_count;
    double cell_margin; // m, way that images may make beside that of their bodies
    double cell_path;   // m, that way since the list was made
    double cell_way;    // m, in a step
    eng_spheres_buffer blocks, columns, resist, near_start, near_list, far_start, far_list;
    eng_spheres_buffer force, segments, chunks, far_touched, load, terms, walls, ghosts;
    eng_spheres_buffer couple, kept_columns, kept_resist, groups, touches, kept_spots, near_walls;
    eng_spheres_buffer lasting; // [blocks] whose force rows last
    eng_spheres_buffer scratch, cell_start, kept_start, kept_aside, counts; // of list making
    eng_spheres_range *range;           // [workers of the world], the first `ranges` in use
    const eng_spheres_finding *finding; // while pairs are searched for
    geo_manifold *manifolds;            // [manifold_count] one for each range
    int manifold_count, manifold_capacity;
    // [given_count] ghosts of groups, and more, while a restored list is made; else NULL
    const int (*given_groups)[2];
    int given_count;
    // contacts of the last plan that are the general passes' now, for the step that was due when
    // the plan was made
    struct eng_spheres_released *released; // [released_count] by colliders
    int released_count, released_capacity;
    int64_t released_step;
    bool restoring;        // the plan is that of a checkpoint, before what was made since
    int contact_count;     // of the last step
    bool walls_renumbered; // their places are not known yet
    int slots, wall_count, ghost_count, chunk_count, block_count, terms_count;
    int plane_count, plane_ghosts; // half-spaces among the walls, their ghosts among the ghosts
    int group_count, near_wall_count;
    int kept_count; // contacts of the list before, packed at the begin of `blocks`
    int zero_row, ranges, chunk_slots;
    int least_chunks;       // of a range
    int ring[2];            // blocks of force rows of each range, list A and B
    bool has_still_spheres; // fixed or moving
    bool has_load, has_moving_spheres, has_moving_walls, has_resistance;
    int column_rows, kept_rows; // most columns but the first, most of them history
    int kept_stride;            // the latter, in what is kept of the list before
    bool has_shapes;            // walls that are no half-spaces
    bool overflow;              // of a chunk
    double widest;              // m, sum of the largest margins
    double largest, smallest;   // m, radii
    double slack;               // m, way that is left before a new list is due
    double wall_margin;         // m, way that walls may make
    double wall_path;           // m, way of walls since the list was made
    double wall_speed;          // m/s, fastest point of a wall that a sphere may meet
    double extent;              // m, no sphere is farther from the origin while the list lasts
    geo_bounds box;             // of centres when the list was made; walls outside count when near
    bool has_box;               // there is such a box: not before the first list, nor in a cell
    int64_t lists;              // made so far
    // cells of the list, for later queries
    double cell_low[3], cell_inverse; // m, 1/m
    int cell_axis[3], cell_count[3];  // slowest first
};

enum { ENG_SPHERES_NO_SLOT = INT_MAX };

static inline int *eng_spheres_slot_numbers(const struct eng_spheres *spheres)
{
    return spheres->slot_of.block;
}

/// Slot of a body, ENG_SPHERES_NO_SLOT for one without a slot.
static inline int eng_spheres_slot_of(const struct eng_spheres *spheres, int body)
{
    return body < spheres->known_bodies ? eng_spheres_slot_numbers(spheres)[body]
                                        : ENG_SPHERES_NO_SLOT;
}

/// History of a contact that the general passes take over.
typedef struct eng_spheres_released {
    geo_pair colliders; // in the order of the general passes
    uint64_t key;
    double history[CON_HISTORY_MAX]; // as the law names it
} eng_spheres_released;

/// Before laws are read anew: keeps the history of contacts whose law has no kernel any more.
cairn_status eng_spheres_release_contacts(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Numbers of one kind in `reference`.
static inline size_t eng_spheres_reference_stride(const struct eng_spheres *spheres)
{
    return (size_t)spheres->slots + ENG_SPHERES_WIDTH;
}

/// Places of the slots when the list was made, one coordinate (0 to 2).
static inline double *eng_spheres_reference(const struct eng_spheres *spheres, int axis)
{
    return (double *)spheres->reference.block +
           (size_t)axis * eng_spheres_reference_stride(spheres);
}

/// How far each slot may move from there before a new list is due, m.
static inline double *eng_spheres_margins(const struct eng_spheres *spheres)
{
    return eng_spheres_reference(spheres, 3);
}

/// Gap below which a slot and a wall are a pair of the list, m.
static inline double eng_spheres_wall_reach(const struct eng_spheres *spheres, int slot)
{
    return eng_spheres_margins(spheres)[slot] + spheres->wall_margin;
}

/// Columns of the pairs of a block but the first.
static inline double (*eng_spheres_columns(const struct eng_spheres *spheres,
                                           const eng_spheres_block *block))[ENG_SPHERES_WIDTH]
{
    return spheres->pass.columns != NULL
               ? eng_spheres_columns_of(&spheres->pass, (int)(block - spheres->pass.blocks))
               : NULL;
}

/// What a block has for rolling and twisting, NULL where no surface needs it.
static inline eng_spheres_resist *eng_spheres_resist_of(const struct eng_spheres *spheres,
                                                        const eng_spheres_block *block)
{
    return spheres->pass.resist != NULL ? &spheres->pass.resist[block - spheres->pass.blocks]
                                        : NULL;
}

static inline int *eng_spheres_ids(const struct eng_spheres *spheres)
{
    return spheres->id.block;
}

/// At least `bytes`, 64-byte aligned; contents stay when it grows, what is new is not set.
cairn_status eng_spheres_reserve(struct eng_spheres *spheres, eng_spheres_buffer *buffer,
                                 size_t bytes) CAIRN_CHECK_RESULT;

/// The world's spheres, made where there is none; NULL when out of memory.
struct eng_spheres *eng_spheres_of(cairn_world *world);

/// The plan by parts: what laws and materials say, and, for the slots as they are, walls and what
/// is left to the general passes.
cairn_status eng_spheres_plan_laws(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;
cairn_status eng_spheres_plan_passes(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Colliders for the broad phase, anew.
cairn_status eng_spheres_colliders_list(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Walls anew from the bodies; their places follow before the next list.
cairn_status eng_spheres_walls_number(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Whether a kernel has this surface's law with all that its parameters ask for.
bool eng_spheres_has_kernel(const eng_surface *surface);

/// Whether that kernel takes members of clumps too.
bool eng_spheres_law_takes_clumps(const eng_surface *surface);

/// Which surfaces have a kernel, and how many columns pairs have, of terms that were filled.
void eng_spheres_terms_measure(struct eng_spheres *spheres);

/// Terms of all surfaces.
cairn_status eng_spheres_terms_fill(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Constants of the pair of a slot and a later slot or ghost, which last as long as the list.
void eng_spheres_pair_prepare(const struct eng_spheres *spheres, const eng_spheres_terms *terms,
                              int slot, int other, eng_spheres_block *block, int k);

/// Terms of a surface as they were when the plan was made, whatever was made or changed since.
const eng_spheres_terms *eng_spheres_planned_terms(const struct eng_spheres *spheres, int surface);

/// Terms of the pairs of a block.
static inline const eng_spheres_terms *eng_spheres_terms_of(const struct eng_spheres *spheres,
                                                            const eng_spheres_block *block)
{
    return &spheres->pass.terms[block->terms];
}

/// Normal spring and energies of a closed pair.
con_batch_state eng_spheres_state_of_pair(const struct eng_spheres *spheres,
                                          const eng_spheres_terms *terms,
                                          const eng_spheres_block *block, int k, double overlap);

/// History of a contact in the order of its law. @param sign  -1 where the contact's A is the
/// pair's B, else 1
void eng_spheres_history_write(const struct eng_spheres *spheres, const con_batch *batch,
                               const eng_spheres_block *block, int k, double sign, double *history);

/// The same the other way; the pair touches.
void eng_spheres_history_read(const struct eng_spheres *spheres, const con_batch *batch,
                              eng_spheres_block *block, int k, double sign, const double *history);

/// Radius and inverse inertia of a slot.
void eng_spheres_read_constants(struct eng_spheres *spheres, int slot);

/// Midpoint of the coming step, velocity and constants of a slot from a state at t_n.
void eng_spheres_slot_write(struct eng_spheres *spheres, int slot, const eng_state *state);

/// A slot takes the place of another; lists and what belongs to them do not follow.
void eng_spheres_slot_move(struct eng_spheres *spheres, int from, int to);

/// Constants of all slots, and their largest and smallest radius.
void eng_spheres_slots_measure(struct eng_spheres *spheres);

/// Pose of a slot at the midpoint of the coming step; its angular velocity, rad/s, world.
pose eng_spheres_slot_middle(const struct eng_spheres *spheres, int slot);
vec3 eng_spheres_slot_omega(const struct eng_spheres *spheres, int slot);

/// Loads that the user applies, as slots for the sums.
cairn_status eng_spheres_loads_read(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// J, stored in contacts of bodies that were removed since the last step.
double eng_spheres_removed_energy(const cairn_world *world);

/// Books what the last step owes the audit, before the user changes anything.
void eng_spheres_settle(struct eng_spheres *spheres);

/// Before the user moves a slot: what the last step left behind is read from where it was then.
cairn_status eng_spheres_keep_moved(struct eng_spheres *spheres, int slot) CAIRN_CHECK_RESULT;

/// What the user moved is where it is from now on.
void eng_spheres_forget_moved(struct eng_spheres *spheres);

/// Whether a body is a sphere that may have a slot.
bool eng_spheres_may_hold(const cairn_world *world, int body);

/// Whether the pair of a slot and another sphere or wall is the executor's: its law has a kernel,
/// and nothing keeps the two from touching.
bool eng_spheres_takes(const struct eng_spheres *spheres, int slot, int body);

/// Tied spheres that follow functions of time go where these say; before a list is made.
void eng_spheres_place_driven(cairn_world *world);

/// Exposed spheres join the active bodies, and colliders of the broad phase are listed.
/// @param listed  a list was made since the last call
cairn_status eng_spheres_expose(cairn_world *world, bool listed) CAIRN_CHECK_RESULT;

/// After it: their free velocities, with all explicit forces.
void eng_spheres_release_free(cairn_world *world);

/// At the end: their slots.
cairn_status eng_spheres_store_acted(cairn_world *world) CAIRN_CHECK_RESULT;

/// Space for the executor's slots and some ghosts; the pass works on it.
cairn_status eng_spheres_slots_reserve(struct eng_spheres *spheres, int ghosts) CAIRN_CHECK_RESULT;

/// Ranges with about the same number of chunks each.
void eng_spheres_ranges_split(struct eng_spheres *spheres);

/// Ranges with about the same work each in a step, and which of their chunks wait.
void eng_spheres_ranges_balance(struct eng_spheres *spheres);

/// Calls `work` for each range, in threads.
void eng_spheres_ranges_run(struct eng_spheres *spheres,
                            void (*work)(struct eng_spheres *spheres, int range));

/// Forces and motion of all chunks; what is left of their margins.
void eng_spheres_ranges_step(struct eng_spheres *spheres);

/// The rest of it for chunks that were held, once their slots are where they go.
void eng_spheres_ranges_finish(struct eng_spheres *spheres);

/// Packs the history of all contacts; the blocks are gone.
cairn_status eng_spheres_history_keep(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// After the slots were sorted: what was kept of bodies without slots is dropped; then packed
/// history in the order of owners.
void eng_spheres_history_drop(struct eng_spheres *spheres);
cairn_status eng_spheres_history_sort(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// The pairs of a chunk, the last of its range, in the order of blocks; numbers of its blocks and
/// segments.
cairn_status eng_spheres_pairs_sort(struct eng_spheres *spheres, eng_spheres_range *range,
                                    eng_spheres_chunk *chunk) CAIRN_CHECK_RESULT;

/// Blocks, force rows and incidence from the sorted pairs and the packed history.
cairn_status eng_spheres_blocks_make(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Force slots and incidence of the blocks.
cairn_status eng_spheres_sides_make(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Slot of an entry of `near` of a slot, -1 for padding.
int eng_spheres_pair_slot_of(const struct eng_spheres *spheres, int slot, int entry);

/// Margins for a new list from the velocities: wider where bodies are fast.
void eng_spheres_margins_choose(struct eng_spheres *spheres);

/// How many chunks and ranges a list of the slots as they are has.
void eng_spheres_chunks_count(struct eng_spheres *spheres);

/// New pair list for the margins; slots are sorted by cells, history goes along.
cairn_status eng_spheres_list_make(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// A wall at the midpoint of a step that begins with its body at q with velocity v.
void eng_spheres_wall_place(const struct eng_spheres *spheres, eng_spheres_wall *wall, pose q,
                            const double v[6]);

/// Moving walls go to the midpoint of the next step, as far as their velocities of now tell.
void eng_spheres_walls_advance(struct eng_spheres *spheres);

/// Fastest point of a wall that a sphere may meet, m/s.
double eng_spheres_walls_fastest(const struct eng_spheres *spheres);

/// Which ghosts are placed: walls that follow functions of time know where they are only when the
/// next step begins, so that the end of a step places those of all others.
typedef enum eng_spheres_placing {
    ENG_SPHERES_PLACE_ALL,
    ENG_SPHERES_PLACE_OTHERS,
    ENG_SPHERES_PLACE_FOLLOWERS
} eng_spheres_placing;

/// Ghosts [first, end) go next to their spheres; the work of moving walls in the last step goes to
/// `drivers` (NULL: is not asked for).
void eng_spheres_ghosts_move(struct eng_spheres *spheres, int first, int end,
                             eng_spheres_placing placing, double *drivers);

/// Puts a ghost in its place. A centre that is close to the surface or behind it leaves no room for
/// a point at the foot: the ghost goes farther on, as a ball that reaches back to the foot.
/// @param normal  from the sphere to the wall
void eng_spheres_ghost_back(struct eng_spheres *spheres, eng_spheres_ghost *ghost, double gap,
                            vec3 normal, double X[4]);

/// Work of a moving wall through a ghost over the step just computed, J.
double eng_spheres_ghost_work(const struct eng_spheres *spheres, const eng_spheres_ghost *ghost,
                              int slot);

/// Work of moving walls on the spheres of a chunk over the step just computed, J.
double eng_spheres_chunk_work(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk);

/// Whether a body is a wall: a half-space, or of any other shape than a sphere and not dynamic.
bool eng_spheres_is_wall(const cairn_world *world, int body);

/// Adds a pair of a slot and a later slot or ghost, of this body, to the candidates.
cairn_status eng_spheres_pair_add(struct eng_spheres *spheres, eng_spheres_range *range, int slot,
                                  int other, int body, bool far) CAIRN_CHECK_RESULT;

/// Body of a slot, or of the wall of a ghost; the id of a slot, or the body of the wall.
int eng_spheres_body_of(const struct eng_spheres *spheres, int slot);
int eng_spheres_id_of(const struct eng_spheres *spheres, int slot);

/// One pair in the step just done, from the state after it. A is the body of slot i, B that of slot
/// j or the wall.
typedef struct eng_spheres_contact {
    int body[2];
    bool wall;
    int collider[2];    // of the bodies
    uint64_t key;       // of A and B
    int order;          // among the contacts of the two colliders
    vec3 normal, point; // midpoint configuration, from A to B
    double gap;         // m
    vec3 velocity;      // m/s, of B relative to A at the point, after the step
    vec3 omega;         // rad/s, of B relative to A, after the step
    vec3 force;         // N on B
    vec3 couple;        // N m on B beside that of the force, its opposite on A
    vec3 shift, drift;  // m, m/s of the image of B that A meets against B itself
    double stiffness;   // N/m, tangential
    double spring;      // N, normal part of the spring's force
    double elastic;     // J, of the normal spring at the midpoint
    double lost;        // J, plastic
} eng_spheres_contact;

eng_spheres_contact eng_spheres_contact_of(const struct eng_spheres *spheres,
                                           const eng_spheres_block *block, int k);

/// What a contact still owes the audit after the step, contact/laws/audit.h.
typedef struct eng_spheres_pending {
    double elastic;           // J at the end of the step
    double releasable;        // J of it along the surface
    double damping, friction; // J dissipated in the second half of the step
} eng_spheres_pending;

eng_spheres_pending eng_spheres_pending_of(const struct eng_spheres *spheres,
                                           const eng_spheres_block *block, int k,
                                           const eng_spheres_contact *contact);

#endif
