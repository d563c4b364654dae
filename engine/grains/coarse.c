// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields: sums over grains and contacts, smeared out by a kernel.
//
// A contact acts along the branch from the centre of a grain to the point of contact. Its stress is
// minus the force times the branch times the mean of the kernel along it. Where the point lies
// between two centres both branches are one. In a periodic cell a grid has the images of grains and
// contacts, wherever it lies. Cells have means over their volume, which sum to what there is.
//
// Grains and branches become sources, a batch at a time. Their shares in cells are worked out, they
// are sorted by the blocks of cells that they reach, and threads add blocks whose cells are not
// shared: the sums do not depend on the threads.
#include "engine/grains/coarse.h"
#include "engine/bodies/body_state.h"
#include "engine/grains/smear.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <limits.h>
#include <string.h>

enum {
    CELLS_MAX = 1 << 28,
    SOURCES = 1 << 11,
    BOUNDARY_SOURCES = 1 << 8,
    PAIRS = 1 << 14,
    POOL = 1 << 18,   // numbers of shares
    SHARES_CHUNK = 64 // sources whose shares a thread works out at a time
};

typedef struct branch {
    vec3 start, end; // m
    vec3 force;      // N, on the grain at the start
    bool boundary;   // the end is on a body that is not dynamic
} branch;

/// Sources of one kind that wait to be added.
typedef struct batch {
    int count, room;
    eng_smear_source *sources; // [room]
    eng_smear_extent *extents; // [room]
} batch;

/// Memory for batches, in one piece, which the system then keeps from frame to frame.
typedef struct batch_memory {
    eng_smear_source grains[SOURCES], branches[SOURCES], boundary[BOUNDARY_SOURCES];
    eng_smear_extent extents[SOURCES];      // of a batch of grains or of the boundary
    eng_smear_extent line_extents[SOURCES]; // of branches, made with their sources
    eng_smear_shares shares[SOURCES];       // of the batch at hand
    int block[PAIRS], from[PAIRS];          // its pairs: block and source
    int order[PAIRS];                       // as eng_smear_work has it
    eng_smear_kernel kernel;
    double pool[]; // shares
} batch_memory;

typedef struct smear {
    const cairn_world *world;
    const cairn_grid *grid;
    const cairn_coarse_fields *fields;
    eng_smear_row_function *add_row;
    eng_smear_lines_function *make_lines;
    eng_smear_shares_function *make_shares;
    eng_smear_grid lines;  // the grid, for make_lines
    double per_width;      // 1/m
    double spacing[3];     // widths
    double per_volume;     // 1/m3, of a cell
    double reach, longest; // of the kernel, and of a line, in widths
    eng_window window;     // the grid
    batch batches[ENG_SMEAR_KINDS];
    batch_memory *memory;
    base_arena *arena; // NULL: the world's allocator
    int64_t pool_room;
    int *start;   // [cells + 1] as eng_smear_work has it
    double *mass; // [bodies] kg; 0 where there is no grain
    int pair_count;
} smear;

/// Rows of blocks with no cell in common.
typedef struct row_group {
    const smear *s;
    const eng_smear_work *work;
    int first[2], rows[2]; // of y and z: every second one from the first on
} row_group;

static void set_product(double out[9], double factor, vec3 a, vec3 b)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = factor * vec3_get(a, i) * vec3_get(b, k);
}

// ---------------------------------------------------------------- sources and blocks

static void add_rows(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk;
    (void)worker;
    const row_group *group = context;
    for (int i = begin; i < end; i++) {
        int y = group->first[0] + 2 * (i % group->rows[0]);
        int z = group->first[1] + 2 * (i / group->rows[0]);
        group->s->add_row(group->work, y + group->work->cells[1] * z);
    }
}

/// Sorts the pairs by blocks, those of a block in their order.
static void sort_pairs(smear *s, eng_smear_work *work)
{
    int first = INT_MAX, last = -1;
    for (int i = 0; i < s->pair_count; i++) {
        first = s->memory->block[i] < first ? s->memory->block[i] : first;
        last = s->memory->block[i] > last ? s->memory->block[i] : last;
    }
    int blocks = last + 1 - first, sum = 0, *start = s->start;
    for (int i = 0; i <= blocks; i++)
        start[i] = 0;
    for (int i = 0; i < s->pair_count; i++)
        start[s->memory->block[i] - first]++;
    for (int i = 0; i <= blocks; i++) {
        sum += start[i];
        start[i] = sum;
    }
    // from the last on, each block's end moves to its start
    for (int i = s->pair_count - 1; i >= 0; i--)
        s->memory->order[--start[s->memory->block[i] - first]] = s->memory->from[i];
    work->first_block = first;
    work->end_block = last + 1;
}

/// Adds the pairs at hand to the fields.
static void add_pairs(smear *s, eng_smear_work *work)
{
    if (s->pair_count == 0)
        return;
    const int *cells = work->cells;
    sort_pairs(s, work);
    for (int colour = 0; colour < 4; colour++) {
        row_group group = {.s = s, .work = work, .first = {colour & 1, colour >> 1}};
        for (int k = 0; k < 2; k++)
            group.rows[k] = (cells[k + 1] + 1 - group.first[k]) / 2;
        base_parallel_for(s->world->model.workers, group.rows[0] * group.rows[1], 1, add_rows,
                          &group);
    }
    s->pair_count = 0;
}

static inline void add_pair(smear *s, eng_smear_work *work, int block, int index)
{
    if (s->pair_count == PAIRS)
        add_pairs(s, work);
    s->memory->block[s->pair_count] = block;
    s->memory->from[s->pair_count++] = index;
}

static void pair_source(smear *s, eng_smear_work *work, const eng_smear_extent *extent, int index)
{
    const int *first = extent->first, *count = extent->count, *cells = work->cells;
    if (count[0] == 1 && count[1] == 1 && count[2] == 1) {
        add_pair(s, work, first[0] + cells[0] * (first[1] + cells[1] * first[2]), index);
        return;
    }
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++) {
            int row = first[1] + 2 * y + cells[1] * (first[2] + 2 * z);
            int block = first[0] + cells[0] * row;
            for (int x = 0; x < count[0]; x++)
                add_pair(s, work, block + 2 * x, index);
        }
}

static eng_smear_work work_of(const smear *s, eng_smear_kind kind)
{
    const batch *waiting = &s->batches[kind];
    const int *cells = s->grid->cells;
    return (eng_smear_work){.kind = kind,
                            .kernel = &s->memory->kernel,
                            .cells = {cells[0], cells[1], cells[2]},
                            .spacing = {s->spacing[0], s->spacing[1], s->spacing[2]},
                            .sources = waiting->sources,
                            .extents = waiting->extents,
                            .shares = s->memory->shares,
                            .pool = s->memory->pool,
                            .order = s->memory->order,
                            .start = s->start,
                            .fields = s->fields};
}

/// Sources of a batch whose shares are worked out.
typedef struct share_range {
    const smear *s;
    const eng_smear_work *work;
    int first;
} share_range;

static void make_shares(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk;
    (void)worker;
    const share_range *range = context;
    range->s->make_shares(range->work, range->first + begin, range->first + end);
}

/// Adds all that waits of a kind, as many at a time as the pool has room for the shares of.
static void add_batch(smear *s, eng_smear_kind kind)
{
    batch *waiting = &s->batches[kind];
    eng_smear_work work = work_of(s, kind);
    if (kind != ENG_SMEAR_BRANCHES)
        eng_smear_extents(&work, waiting->count, waiting->extents);
    for (int first = 0, end = 0; first < waiting->count; first = end) {
        for (int64_t used = 0; end < waiting->count; end++) {
            used = eng_smear_place(&work, end, used);
            if (used > s->pool_room)
                break;
        }
        share_range range = {s, &work, first};
        base_parallel_for(s->world->model.workers, end - first, SHARES_CHUNK, make_shares, &range);
        for (int i = first; i < end; i++)
            pair_source(s, &work, &waiting->extents[i], i);
        add_pairs(s, &work);
    }
    waiting->count = 0;
}

static inline eng_smear_source *next_source(smear *s, eng_smear_kind kind)
{
    if (s->batches[kind].count == s->batches[kind].room)
        add_batch(s, kind);
    return &s->batches[kind].sources[s->batches[kind].count++];
}

static inline void place_source(const smear *s, eng_smear_source *source, vec3 place)
{
    source->place[0] = s->per_width * (place.x - s->grid->low[0]);
    source->place[1] = s->per_width * (place.y - s->grid->low[1]);
    source->place[2] = s->per_width * (place.z - s->grid->low[2]);
}

/// Mass, momentum and momentum flux of a grain.
static void smear_grain(smear *s, double mass, vec3 place, vec3 v)
{
    eng_smear_source *source = next_source(s, ENG_SMEAR_GRAINS);
    vec3 momentum = vec3_scale(mass * s->per_volume, v);
    place_source(s, source, place);
    source->mass = mass * s->per_volume;
    vec3_store(source->amount, momentum);
    source->amount[3] = momentum.x * v.x;
    source->amount[4] = momentum.y * v.y;
    source->amount[5] = momentum.z * v.z;
    source->amount[6] = momentum.x * v.y;
    source->amount[7] = momentum.x * v.z;
    source->amount[8] = momentum.y * v.z;
}

/// Stress of the force on a grain at the end of a line from `start`; along it a unit vector.
static inline void smear_line(smear *s, vec3 force, vec3 start, vec3 along, double length)
{
    eng_smear_source *source = next_source(s, ENG_SMEAR_BRANCHES);
    const vec3 f = vec3_scale(-s->per_volume * length, force);
    int index = s->batches[ENG_SMEAR_BRANCHES].count - 1;
    place_source(s, source, start);
    vec3_store(source->along, along);
    source->length = length * s->per_width;
    vec3_store(source->amount, vec3_scale(f.x, along));
    vec3_store(source->amount + 3, vec3_scale(f.y, along));
    vec3_store(source->amount + 6, vec3_scale(f.z, along));
    eng_smear_work work = work_of(s, ENG_SMEAR_BRANCHES);
    work.sources += index;
    eng_smear_extents(&work, 1, &s->memory->line_extents[index]);
}

/// Where a line is near enough to the grid to be felt there, m from its start.
typedef struct stretch {
    double from, to;
} stretch;

static stretch stretch_near(const smear *s, vec3 start, vec3 along, double length)
{
    const double p[3] = {start.x, start.y, start.z}, d[3] = {along.x, along.y, along.z};
    double reach = s->reach * s->grid->width;
    stretch near = {0.0, length};
    for (int k = 0; k < 3; k++) {
        double low = s->grid->low[k] - reach - p[k], high = s->grid->high[k] + reach - p[k];
        if (d[k] == 0.0) {
            near.to = low <= 0.0 && 0.0 <= high ? near.to : -1.0;
            continue;
        }
        near.from = fmax(near.from, fmin(low / d[k], high / d[k]));
        near.to = fmin(near.to, fmax(low / d[k], high / d[k]));
    }
    return near;
}

/// The same at the end of a branch from its centre, in pieces as long as lines may be: of a branch
/// that is long beside the grid those that it feels.
static inline void smear_branch(smear *s, vec3 force, vec3 start, vec3 end)
{
    vec3 line = vec3_sub(end, start);
    double length = vec3_norm(line), lines = length * s->per_width / s->longest;
    if (!(length > 0.0))
        return;
    vec3 along = vec3_scale(1.0 / length, line);
    if (lines <= 1.0) {
        smear_line(s, force, start, along, length);
        return;
    }
    double count = 1.0 + floor(fmin(lines, 1e15)), piece = length / count;
    stretch near = stretch_near(s, start, along, length);
    // one more on either side, for round-off
    double first = fmax(floor(near.from / piece) - 1.0, 0.0);
    double last = fmin(floor(near.to / piece) + 1.0, count - 1.0);
    for (double i = first; i <= last && near.from <= near.to; i++)
        smear_line(s, force, vec3_add_scaled(start, i * piece, along), along, piece);
}

/// The force itself, where it comes from a boundary.
static void smear_boundary(smear *s, vec3 force, vec3 end)
{
    eng_smear_source *source = next_source(s, ENG_SMEAR_BOUNDARY);
    place_source(s, source, end);
    vec3_store(source->amount, vec3_scale(s->per_volume, force));
}

static inline void smear_contact(smear *s, const branch *b, vec3 shift)
{
    vec3 start = vec3_add(b->start, shift), end = vec3_add(b->end, shift);
    smear_branch(s, b->force, start, end);
    if (b->boundary)
        smear_boundary(s, b->force, end);
}

/// Images in a periodic cell that may reach the grid, by numbers of lattice vectors.
typedef struct images {
    int from[3], to[3];
} images;

static images images_of(const smear *s, vec3 place, double distance)
{
    images out = {0};
    // to the corners of the cube that the kernel fills
    double corner = sqrt(3.0) * s->reach * s->grid->width;
    eng_window_images(&s->window, place, corner + distance, out.from, out.to);
    return out;
}

static vec3 image_shift(const smear *s, int i, int j, int k)
{
    const double n[3] = {i, j, k};
    return eng_cell_vector(&s->world->state.cell.middle, n);
}

/// A grain with its images, which move with the strain of the cell.
static void add_grain(smear *s, double mass, vec3 place, vec3 velocity)
{
    if (!s->world->state.cell.any) {
        smear_grain(s, mass, place, velocity);
        return;
    }
    images in = images_of(s, place, 0.0);
    for (int i = in.from[0]; i <= in.to[0]; i++)
        for (int j = in.from[1]; j <= in.to[1]; j++)
            for (int k = in.from[2]; k <= in.to[2]; k++) {
                vec3 shift = image_shift(s, i, j, k);
                vec3 drift = mat3_apply(&s->world->state.cell.gradient, shift);
                smear_grain(s, mass, vec3_add(place, shift), vec3_add(velocity, drift));
            }
}

static inline void add_branch(smear *s, const branch *b)
{
    if (!s->world->state.cell.any) {
        smear_contact(s, b, (vec3){0.0, 0.0, 0.0});
        return;
    }
    images in = images_of(s, b->start, vec3_norm(vec3_sub(b->end, b->start)));
    for (int i = in.from[0]; i <= in.to[0]; i++)
        for (int j = in.from[1]; j <= in.to[1]; j++)
            for (int k = in.from[2]; k <= in.to[2]; k++)
                smear_contact(s, b, image_shift(s, i, j, k));
}

// ---------------------------------------------------------------- what there is

static void weigh_grains(smear *s)
{
    const cairn_world *world = s->world;
    for (int row = 0; row < world->model.bodies.count; row++) {
        bool grain =
            eng_body_is_live(world, row) && world->model.bodies.rows[row].kind == CAIRN_DYNAMIC;
        s->mass[row] = grain ? world->model.bodies.rows[row].mass : 0.0;
    }
}

/// Those of the sphere executor first, in the order in which they lie in space.
static void gather_grains(smear *s)
{
    const cairn_world *world = s->world;
    eng_spheres_grain own;
    for (int slot = 0; slot < eng_spheres_slot_count(world); slot++)
        if (eng_spheres_grain_of(world, slot, &own) && s->mass[own.body] > 0.0)
            add_grain(s, s->mass[own.body], own.centre, own.velocity);
    for (int row = 0; row < world->model.bodies.count; row++) {
        if (!(s->mass[row] > 0.0) || eng_spheres_holds(world, row))
            continue;
        vec3 place = eng_spheres_steps(world, row) ? eng_spheres_centre_of(world, row)
                                                   : eng_middle_of(world, row).position;
        add_grain(s, s->mass[row], place, vec3_from(eng_state_of(world, row).v));
    }
}

/// Whether a point lies on the line between two others, to round-off.
static bool is_between(vec3 a, vec3 b, vec3 point)
{
    vec3 line = vec3_sub(b, a), to = vec3_sub(point, a);
    double square = vec3_norm_squared(line), along = vec3_dot(line, to);
    return along >= 0.0 && along <= square &&
           vec3_norm_squared(vec3_cross(line, to)) <= 1e-20 * square * square;
}

/// Branches of a contact with a force on its second body.
static void add_contact(smear *s, const eng_spheres_force *f)
{
    const bool grains[2] = {s->mass[f->body[0]] > 0.0, s->mass[f->body[1]] > 0.0};
    vec3 opposite = vec3_negate(f->force);
    if (!(vec3_norm_squared(f->force) > 0.0))
        return;
    if (grains[0] && grains[1] &&
        (f->between || is_between(f->centre[0], f->centre[1], f->point))) {
        add_branch(s, &(branch){f->centre[0], f->centre[1], opposite, false});
        return;
    }
    for (int side = 0; side < 2; side++)
        if (grains[side])
            add_branch(s, &(branch){f->centre[side], f->point, side == 0 ? opposite : f->force,
                                    !grains[1 - side]});
}

/// Adds the lines of a block between two grains, without images and of one piece.
/// @return bits of the lanes that are done
static unsigned add_lines(smear *s, int block)
{
    batch *waiting = &s->batches[ENG_SMEAR_BRANCHES];
    eng_spheres_lines lines;
    if (s->world->state.cell.any)
        return 0;
    unsigned found = eng_spheres_block_lines(s->world, block, &lines);
    for (unsigned bits = found; bits != 0; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        if (!(s->mass[lines.body[0][k]] > 0.0) || !(s->mass[lines.body[1][k]] > 0.0) ||
            lines.length[k] * s->per_width > s->longest)
            found &= ~(1u << k);
    }
    if (waiting->count + ENG_SPHERES_BLOCK > waiting->room)
        add_batch(s, ENG_SMEAR_BRANCHES);
    s->make_lines(&s->lines, &lines, found, waiting->sources + waiting->count,
                  s->memory->line_extents + waiting->count);
    waiting->count += __builtin_popcount(found);
    return found;
}

static void gather_branches(smear *s)
{
    const cairn_world *world = s->world;
    eng_spheres_force forces[ENG_SPHERES_BLOCK];
    for (int i = 0; i < world->contacts.set.count; i++) {
        cairn_contact_view c;
        if (cairn_contact_get(world, i, &c) != CAIRN_OK)
            continue;
        eng_spheres_force f = {.body = {(int)c.a.index, (int)c.b.index},
                               .point = vec3_from(c.point),
                               .force = vec3_from(c.force)};
        // the image of a grain that the contact is next to
        for (int side = 0; side < 2; side++)
            f.centre[side] = eng_image_centre(world, f.body[side], f.point);
        add_contact(s, &f);
    }
    for (int block = 0; block < eng_spheres_block_count(world); block++) {
        unsigned done = add_lines(s, block);
        int count = eng_spheres_block_forces(world, block, ~done, forces);
        for (int i = 0; i < count; i++)
            add_contact(s, &forces[i]);
    }
}

void eng_coarse_finish(const cairn_coarse_fields *f, size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        if (!(f->density[i] > 0.0))
            continue;
        vec3 momentum = vec3_from(f->momentum[i]);
        double *stress = f->kinetic_stress[i];
        double mean[9];
        set_product(mean, -1.0 / f->density[i], momentum, momentum);
        for (int k = 0; k < 9; k++)
            stress[k] += mean[k];
        f->temperature[i] = (stress[0] + stress[4] + stress[8]) / (3.0 * f->density[i]);
    }
}

static cairn_status check_grid(const cairn_grid *grid, cairn_error *error)
{
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(grid->low[k]) || !isfinite(grid->high[k]) || !(grid->high[k] > grid->low[k]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a grid from %g to %g m along %c is empty", grid->low[k],
                             grid->high[k], "xyz"[k]);
        if (grid->cells[k] < 1)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a grid has %d cells along %c, of at least 1", grid->cells[k],
                             "xyz"[k]);
        cells *= grid->cells[k];
    }
    if (cells > CELLS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a grid has %.0f cells, of at most %d", cells,
                         (int)CELLS_MAX);
    if ((int)grid->kernel < 0 || grid->kernel > CAIRN_KERNEL_GAUSSIAN)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "kernel %d does not exist",
                         (int)grid->kernel);
    if (!(grid->width > 0.0 && isfinite(grid->width)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "width = %g m must be greater than 0",
                         grid->width);
    return CAIRN_OK;
}

/// Fields that the caller does not want are summed all the same, in memory of their own.
static cairn_status complete(const base_allocator *allocator, size_t points,
                             cairn_coarse_fields *all, double **own)
{
    double **fields[] = {&all->density,
                         (double **)&all->momentum,
                         (double **)&all->contact_stress,
                         (double **)&all->kinetic_stress,
                         (double **)&all->boundary_force,
                         &all->temperature};
    static const size_t components[] = {1, 3, 9, 9, 3, 1};
    size_t missing = 0;
    for (int i = 0; i < 6; i++)
        missing += *fields[i] == NULL ? components[i] : 0;
    *own = missing > 0 ? base_allocate(allocator, missing * points, sizeof **own) : NULL;
    if (missing > 0 && *own == NULL)
        return CAIRN_ERROR_MEMORY;
    double *at = *own;
    for (int i = 0; i < 6; i++) {
        if (*fields[i] != NULL) {
            memset(*fields[i], 0, points * components[i] * sizeof *at);
            continue;
        }
        *fields[i] = at;
        at += points * components[i];
    }
    return CAIRN_OK;
}

/// Memory for batches; false where there is not enough.
static bool make_room(smear *s, size_t cells)
{
    const base_allocator *allocator = &s->world->model.allocator;
    // one source may reach all cells
    s->pool_room = 0;
    for (int k = 0; k < 3; k++)
        s->pool_room += ENG_SMEAR_NODES * ((int64_t)s->grid->cells[k] + 2) + 8;
    s->pool_room = s->pool_room > POOL ? s->pool_room : POOL;
    size_t bodies = (size_t)s->world->model.bodies.count + 1;
    size_t bytes = sizeof *s->memory + (size_t)s->pool_room * sizeof *s->memory->pool;
    if (s->arena != NULL) {
        s->memory = base_arena_allocate(s->arena, "fields", 1, bytes);
        s->mass = base_arena_array(s->arena, double, "grains", bodies);
        s->start = base_arena_array(s->arena, int, "blocks", cells + 1);
    } else {
        s->memory = base_allocate(allocator, 1, bytes);
        s->mass = base_allocate(allocator, bodies, sizeof *s->mass);
        s->start = base_allocate(allocator, cells + 1, sizeof *s->start);
    }
    if (s->memory == NULL || s->mass == NULL || s->start == NULL)
        return false;
    batch_memory *m = s->memory;
    eng_smear_kernel_init(&m->kernel, s->grid->kernel);
    s->reach = m->kernel.reach;
    s->longest = m->kernel.longest;
    s->lines.reach = s->reach;
    s->batches[ENG_SMEAR_GRAINS] =
        (batch){.room = SOURCES, .sources = m->grains, .extents = m->extents};
    s->batches[ENG_SMEAR_BRANCHES] =
        (batch){.room = SOURCES, .sources = m->branches, .extents = m->line_extents};
    s->batches[ENG_SMEAR_BOUNDARY] =
        (batch){.room = BOUNDARY_SOURCES, .sources = m->boundary, .extents = m->extents};
    return true;
}

static void give_room_back(smear *s, base_arena_mark mark)
{
    if (s->arena != NULL) {
        base_arena_rewind(s->arena, mark);
        return;
    }
    base_release(&s->world->model.allocator, s->start);
    base_release(&s->world->model.allocator, s->mass);
    base_release(&s->world->model.allocator, s->memory);
}

/// Adds what there is to all fields.
static cairn_status smear_all(smear *s, size_t cells)
{
    base_arena_mark mark = {0};
    if (s->arena != NULL)
        mark = base_arena_get_mark(s->arena);
    bool enough = make_room(s, cells);
    if (enough) {
        weigh_grains(s);
        gather_grains(s);
        gather_branches(s);
        for (int kind = 0; kind < ENG_SMEAR_KINDS; kind++)
            add_batch(s, (eng_smear_kind)kind);
    }
    give_room_back(s, mark);
    return enough ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

size_t eng_coarse_cells(const cairn_grid *grid)
{
    return (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
}

cairn_coarse_fields eng_coarse_in(double *values, const cairn_grid *grid)
{
    size_t n = eng_coarse_cells(grid);
    return (cairn_coarse_fields){.density = values,
                                 .momentum = (double(*)[3])(values + n),
                                 .contact_stress = (double(*)[9])(values + 4 * n),
                                 .kinetic_stress = (double(*)[9])(values + 13 * n),
                                 .boundary_force = (double(*)[3])(values + 22 * n),
                                 .temperature = values + ENG_COARSE_SUMS * n};
}

cairn_status eng_coarse_sum(const cairn_world *world, const cairn_grid *grid,
                            const cairn_coarse_fields *fields, base_arena *arena,
                            cairn_error *error)
{
    smear s = {.world = world,
               .grid = grid,
               .fields = fields,
               .add_row = eng_smear_choose(),
               .make_lines = eng_smear_choose_lines(),
               .make_shares = eng_smear_choose_shares(),
               .per_width = 1.0 / grid->width,
               .per_volume = 1.0,
               .arena = arena};
    for (int k = 0; k < 3; k++) {
        double spacing = (grid->high[k] - grid->low[k]) / grid->cells[k];
        s.spacing[k] = spacing * s.per_width;
        s.per_volume /= spacing;
        s.lines.first[k] = grid->low[k];
        s.lines.per_spacing[k] = 1.0 / s.spacing[k];
        s.lines.cells[k] = grid->cells[k];
    }
    s.lines.per_width = s.per_width;
    s.lines.factor = s.per_volume;
    geo_bounds box = {vec3_from(grid->low), vec3_from(grid->high)};
    s.window = eng_window_make(&world->state.cell, &world->state.cell.middle, box);
    // to the corners of the cube that the kernel fills
    double reach = grid->kernel == CAIRN_KERNEL_GAUSSIAN ? 7.0 : 1.0;
    BASE_TRY(eng_window_check(&s.window, sqrt(3.0) * reach * grid->width,
                              "a grid, with the width of its kernel,", error));
    return smear_all(&s, eng_coarse_cells(grid)) == CAIRN_OK
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for fields");
}

cairn_status cairn_world_coarse_grain(const cairn_world *world, const cairn_grid *grid,
                                      const cairn_coarse_fields *fields, cairn_error *error)
{
    if (world == NULL || grid == NULL || fields == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check_grid(grid, error);
    const cairn_coarse_fields none = {0};
    if (status != CAIRN_OK || memcmp(fields, &none, sizeof none) == 0)
        return status;
    cairn_coarse_fields all = *fields;
    double *own;
    if (complete(&world->model.allocator, eng_coarse_cells(grid), &all, &own) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for fields");
    status = eng_coarse_sum(world, grid, &all, NULL, error);
    eng_coarse_finish(&all, eng_coarse_cells(grid));
    base_release(&world->model.allocator, own);
    return status;
}

// ---------------------------------------------------------------- averages over time

static cairn_status read_sums(void *context, const cairn_world *world, double *values,
                              cairn_error *error)
{
    const cairn_grid *grid = context;
    cairn_coarse_fields fields = eng_coarse_in(values, grid);
    memset(values, 0, ENG_COARSE_SUMS * eng_coarse_cells(grid) * sizeof *values);
    return eng_coarse_sum(world, grid, &fields, world->scratch.arena, error);
}

cairn_status cairn_fields_average_create(cairn_world *world, const cairn_grid *grid,
                                         const cairn_average_def *def, cairn_error *error)
{
    if (world == NULL || grid == NULL || def == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(check_grid(grid, error));
    if (eng_coarse_cells(grid) > INT_MAX / (4 * ENG_COARSE_SUMS))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a grid whose fields are averaged over time has %zu cells, of at most %d",
                         eng_coarse_cells(grid), INT_MAX / (4 * ENG_COARSE_SUMS));
    cairn_grid *own = base_allocate(&world->model.allocator, 1, sizeof *own);
    if (own == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for fields");
    *own = *grid;
    cairn_average_def average = *def;
    average.name = def->name != NULL ? def->name : "fields";
    average.read = read_sums;
    average.context = own;
    average.columns = (int)(ENG_COARSE_SUMS * eng_coarse_cells(grid));
    return eng_average_add(world, &average, own, error);
}
