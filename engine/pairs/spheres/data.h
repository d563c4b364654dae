// SPDX-License-Identifier: Apache-2.0
// Data of the sphere executor: slots of bodies, walls, ghosts, lists of pairs.
//
// Bodies are slots in the order of cells. A pair lives in one lane of a block of eight; its owner
// is the lower slot. Walls take part as ghosts: slots behind the bodies that stand for the point of
// a wall next to one sphere, with radius zero. Pairs whose gap is small when the list is made are
// computed in every step (list A); the others sleep until they may touch (list B).
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_DATA_H
#define CAIRN_ENGINE_PAIRS_SPHERES_DATA_H

#include "engine/pairs/spheres/kernels/pass.h"

#include <limits.h>

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
    bool changes;                  // the coming step has another velocity than the last one
    eng_spheres_plane now, before; // at the midpoints of the coming and of the last step
    eng_spheres_plane listed;      // as `now` when the list was made
    vec3 velocity, omega;          // m/s at the centre, rad/s
    vec3 velocity_before;          // m/s, in the first half of the last step
    vec3 omega_before;             // rad/s
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

/// Cells by which slots are sorted.
typedef struct eng_spheres_cells {
    double low[3], inverse; // m, 1/m
    int axis[3];            // slowest first
    int count[3];           // in that order
} eng_spheres_cells;

/// Place among the cells of one axis, in their order, of a coordinate; those beyond the ends count
/// as the last ones.
static inline int eng_spheres_cell_along(const eng_spheres_cells *cells, int k, double at)
{
    int last = cells->count[k] - 1;
    double cell = (at - cells->low[cells->axis[k]]) * cells->inverse;
    return cell < (double)last ? (cell > 0.0 ? (int)cell : 0) : last;
}

/// Two slots that the search in neighbouring cells does not find.
typedef struct eng_spheres_far_pair {
    int slot, other; // the lower one first
    bool apart;      // the gap is not near
} eng_spheres_far_pair;

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

/// Slots of bodies, in the order of cells.
typedef struct eng_spheres_table {
    eng_spheres_buffer X, V, constants, turn, id, slot_of;
    eng_spheres_buffer wraps; // int[3] of slots: lattice vectors from one to its body
    eng_spheres_buffer load;
    int slots;
    int known_bodies;         // of slot_of
    double last_step;         // s, of the step that was done last
    double largest, smallest; // m, radii
    bool has_still_spheres;   // fixed or moving
    bool has_moving_spheres, has_load;
    bool loads_changed;       // by the user
    bool settled;             // since the last step the user changed something: the audit is even
    eng_spheres_moved *moved; // [moved_count] since the last step
    int moved_count, moved_capacity;
    int *moved_of; // [slots] index + 1 into moved
    int moved_of_capacity;
    eng_spheres_buffer first; // of first_V: in memory where slots are here
    double (*first_V)[9]; // [slots] velocities before the first step or one with releases, in it
} eng_spheres_table;

/// Pairs that may touch, and the chunks of slots that own them.
typedef struct eng_spheres_list {
    eng_spheres_buffer chunks;
    int chunk_count, chunk_slots;
    eng_spheres_range *range; // [workers of the world], the first `ranges` in use
    int ranges;
    int least_chunks; // of a range
    eng_spheres_buffer near_start, near_list, far_start, far_list, far_touched;
    eng_spheres_buffer lasting; // [blocks] whose force rows last
    // of slots with wide margins, whose pairs reach beyond neighbouring cells
    eng_spheres_buffer far_pairs; // eng_spheres_far_pair, sorted by the lower slot
    int far_pair_count;
    eng_spheres_buffer reference;                   // places and margins of slots
    eng_spheres_cells cells;                        // of the list
    eng_spheres_buffer scratch, cell_start, counts; // of list making
    eng_spheres_candidates candidates;
    const eng_spheres_search *finding; // while pairs are searched for
    double widest;                     // m, sum of the largest margins
    double ordinary;                   // m, the same without slots with wide margins
    double slack;                      // m, way that is left before a new list is due
    double extent;      // m, no sphere is farther from the origin while the list lasts
    geo_bounds box;     // of centres when the list was made; walls outside count when near
    bool has_box;       // there is such a box: not before the first list, nor in a cell
    int64_t made;       // so far
    bool overflow;      // of a chunk
    bool out_of_memory; // a list could not be made
    bool relisting;     // a restored list is made: slots are where it found them
} eng_spheres_list;

/// Contacts: blocks of pairs with their history and forces, and what is kept of them while the list
/// is made anew.
typedef struct eng_spheres_store {
    eng_spheres_buffer terms, segments, blocks, columns, resist, force, couple;
    int terms_count, block_count;
    int contact_count; // of the last step
    int zero_row;
    int ring[2];     // blocks of force rows of each range, list A and B
    int column_rows; // most columns but the first
    bool has_resistance;
    // kept of the list before
    eng_spheres_buffer kept_columns, kept_resist, kept_spots, kept_start, kept_aside;
    int kept_count;  // contacts, packed at the begin of `blocks`
    int kept_rows;   // most of the columns that are history
    int kept_stride; // the same, in what is kept
    bool kept_moments, kept_walls;
} eng_spheres_store;

/// Walls, and the ghosts that stand for them next to spheres.
typedef struct eng_spheres_wall_set {
    eng_spheres_buffer rows, ghosts, groups, touches;
    eng_spheres_buffer near_walls;  // int[ranges][walls] of the chunk that is looked at
    eng_spheres_buffer near_shapes; // [slots] 1: a wall that is no half-space is near
    int count, ghost_count, group_count;
    int plane_count, plane_ghosts; // half-spaces among the walls, their ghosts among the ghosts
    geo_manifold *manifolds;       // [manifold_count] two for each range
    int manifold_count, manifold_capacity;
    // [given_count] ghosts of groups, and more, while a restored list is made; else NULL
    const int (*given_groups)[2];
    int given_count;
    bool changed;    // by the user
    bool renumbered; // their places are not known yet
    bool has_shapes; // walls that are no half-spaces
    bool has_moving;
    double margin; // m, way that walls may make
    double path;   // m, way of walls since the list was made
    double speed;  // m/s, fastest point of a wall that a sphere may meet
} eng_spheres_wall_set;

/// Of a periodic cell.
typedef struct eng_spheres_cell {
    bool strains;             // its lattice changes
    eng_spheres_frame frame;  // that the slots have now
    eng_spheres_frame before; // at the midpoint of the last step
    // m, m/s: of images in this frame, by eng_spheres_image_code of their numbers
    double image_shifts[27][3], image_drifts[27][3];
    eng_spheres_buffer images;
    eng_spheres_buffer image_pairs; // int: places of pairs with images, block by block
    int image_count;
    mat3 listed;   // m, lattice when the list was made
    double margin; // m, way that images may make beside that of their bodies
    double path;   // m, that way since the list was made
    double way;    // m, in a step
} eng_spheres_cell;

/// Of clumps, clumps.h.
typedef struct eng_spheres_clump_set {
    eng_spheres_buffer rows;    // those that the executor moves come first
    eng_spheres_buffer members; // by colliders
    eng_spheres_buffer motions, sums, ways, groups, member_rows;
    int unjointed_count, moved, group_count; // without joints; all or none of them
    int count, member_room;                  // colliders that `members` knows; 0 without clumps
    bool takes, members_due, due;            // laws of all surfaces do; changed; to be grouped
} eng_spheres_clump_set;

/// Of the plan: which laws have kernels, and which spheres meet what the general passes move.
typedef struct eng_spheres_meeting {
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
    bool adopted; // bodies got slots: their contacts of the general passes are taken over
    // contacts of the last plan that are the general passes' now, for the step that was due when
    // the plan was made
    struct eng_spheres_released *released; // [released_count] by colliders
    int released_count, released_capacity;
    int64_t released_step;
    bool restoring; // the plan is that of a checkpoint, before what was made since
} eng_spheres_meeting;

struct eng_spheres {
    cairn_world *world;
    const eng_spheres_kernel *kernel;
    eng_spheres_pass pass;
    struct eng_spheres_share *share; // owned; NULL: one process has all the work
    eng_spheres_table table;
    eng_spheres_list list;
    eng_spheres_store store;
    eng_spheres_wall_set walls;
    eng_spheres_cell cell;
    eng_spheres_clump_set clumps;
    eng_spheres_meeting meeting;
};

enum { ENG_SPHERES_NO_SLOT = INT_MAX };

static inline int *eng_spheres_slot_numbers(const struct eng_spheres *spheres)
{
    return spheres->table.slot_of.block;
}

/// Slot of a body, ENG_SPHERES_NO_SLOT for one without a slot.
static inline int eng_spheres_slot_of(const struct eng_spheres *spheres, int body)
{
    return body < spheres->table.known_bodies ? eng_spheres_slot_numbers(spheres)[body]
                                              : ENG_SPHERES_NO_SLOT;
}

/// Before laws are read anew: keeps what the general passes take over of contacts whose law has no
/// kernel any more.
cairn_status eng_spheres_release_contacts(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Numbers of one kind in `reference`.
static inline size_t eng_spheres_reference_stride(const struct eng_spheres *spheres)
{
    return (size_t)spheres->table.slots + ENG_SPHERES_WIDTH;
}

/// Places of the slots when the list was made, one coordinate (0 to 2).
static inline double *eng_spheres_reference(const struct eng_spheres *spheres, int axis)
{
    return (double *)spheres->list.reference.block +
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
    return eng_spheres_margins(spheres)[slot] + spheres->walls.margin;
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
    return spheres->table.id.block;
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

/// The same for the contacts of walls whose velocity changes: the step that begins would book what
/// they owe at its own velocities, and the dashpots took it at those of the last one.
void eng_spheres_settle_walls(struct eng_spheres *spheres);

/// The same for the contacts of a slot.
void eng_spheres_settle_slot(struct eng_spheres *spheres, int slot);

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
/// @param owes  the last step's contacts still owe the audit
void eng_spheres_place_driven(cairn_world *world, bool owes);

/// Exposed spheres join the active bodies, and colliders of the broad phase are listed.
/// @param listed  a list was made since the last call
cairn_status eng_spheres_expose(cairn_world *world, bool listed) CAIRN_CHECK_RESULT;

/// After it: their free velocities, with all explicit forces.
void eng_spheres_release_free(cairn_world *world);

/// At the end: their slots.
cairn_status eng_spheres_store_acted(cairn_world *world) CAIRN_CHECK_RESULT;

/// Slots go to their new places, along the cycles of the order in the second half of the scratch,
/// which is used up. Of lists made in parts eng_spheres_share_motions is called before.
void eng_spheres_slots_permute(struct eng_spheres *spheres);

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
cairn_status eng_spheres_margins_choose(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// How many chunks and ranges a list of the slots as they are has.
void eng_spheres_chunks_count(struct eng_spheres *spheres);

/// The radius by which margins are measured, m.
static inline double eng_spheres_mean_radius(const struct eng_spheres *spheres)
{
    return sqrt(spheres->table.smallest * spheres->table.largest);
}

/// Largest margin of a slot that is not wide, m.
static inline double eng_spheres_ordinary_margin(const struct eng_spheres *spheres)
{
    return ENG_SPHERES_ORDINARY * eng_spheres_mean_radius(spheres);
}

/// Pairs of slots with wide margins that lie in cells which are not neighbours.
cairn_status eng_spheres_far_pairs_find(struct eng_spheres *spheres,
                                        const eng_spheres_search *search) CAIRN_CHECK_RESULT;

/// Index of the first of them whose lower slot is this one or a later one.
int eng_spheres_far_pairs_from(const struct eng_spheres *spheres, int slot);

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

/// What a contact dissipated in the second half of the last step, contact/laws/audit.h.
typedef struct eng_spheres_loss {
    double damping, friction; // J
} eng_spheres_loss;

/// What a contact still owes the audit after the step.
typedef struct eng_spheres_pending {
    double elastic;    // J at the end of the step
    double releasable; // J of it along the surface
    eng_spheres_loss loss;
} eng_spheres_pending;

eng_spheres_loss eng_spheres_loss_of(const struct eng_spheres *spheres,
                                     const eng_spheres_block *block, int k);

eng_spheres_pending eng_spheres_pending_of(const struct eng_spheres *spheres,
                                           const eng_spheres_block *block, int k,
                                           const eng_spheres_contact *contact);

#endif
