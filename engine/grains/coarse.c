// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields: sums over grains and contacts, smeared out by a kernel.
//
// A contact acts along the branch from the centre of a grain to the point of contact. Its stress is
// minus the force times the branch times the mean of the kernel along it, in closed form, so that
// the divergence of the stress is the force density exactly. Where the point lies between two
// centres both branches are one. In a periodic cell a grid has the images of grains and contacts,
// wherever it lies.
//
// Grains and branches are gathered first, and then each thread adds all of them, in their order, to
// layers of cells of its own: the sums do not depend on the layers.
#include "engine/grains/smear.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include <string.h>

enum { CELLS_MAX = 1 << 28, SLABS_OF_A_THREAD = 4, ROWS = 32 };

typedef struct smear_mass {
    vec3 place, velocity;
    double mass;
} smear_mass;

typedef struct branch {
    vec3 start, end; // m
    vec3 force;      // N, on the grain at the start
    bool boundary;   // the end is on a body that is not dynamic
} branch;

typedef struct smear {
    const cairn_world *world;
    const cairn_grid *grid;
    const cairn_coarse_fields *fields;
    const eng_smear_kernels *kernels;
    double spacing[3], per_spacing[3]; // m, 1/m
    double per_width, reach_squared;   // 1/m; of the kernel in widths
    double point_factor, line_factor;  // of the kernel
    double reach;                      // m, beyond which the kernel is nothing
    eng_window window;                 // the grid
    smear_mass *grains;
    branch *branches;
    int grain_count, branch_count;
} smear;

typedef enum source_kind { SOURCE_GRAINS, SOURCE_BRANCHES, SOURCE_BOUNDARY } source_kind;

/// Layers of cells, and what waits to be added to them.
typedef struct layers {
    const smear *s;
    int first, last; // layers
    source_kind kind;
    eng_smear_batch batch;
} layers;

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/// Cells [first, last] of one side whose middles may lie within reach of [a, b]; false for none.
static inline bool side_near(const layers *slab, int k, double a, double b, int first[3],
                             int last[3])
{
    const smear *s = slab->s;
    double low = lesser(a, b) - s->reach - s->grid->low[k];
    double high = greater(a, b) + s->reach - s->grid->low[k];
    int least = k == 2 ? slab->first : 0, most = k == 2 ? slab->last : s->grid->cells[k] - 1;
    double begin = low * s->per_spacing[k] - 0.5, end = high * s->per_spacing[k] - 0.5;
    if (!(begin <= most) || !(end >= least))
        return false;
    first[k] = begin > least ? (int)begin + ((int)begin < begin) : least;
    last[k] = end < most ? (int)end : most;
    return true;
}

/// The same of a slab and the bounds of two points.
static inline bool cells_near(const layers *slab, const vec3 *a, const vec3 *b, int first[3],
                              int last[3])
{
    return side_near(slab, 2, a->z, b->z, first, last) &&
           side_near(slab, 1, a->y, b->y, first, last) &&
           side_near(slab, 0, a->x, b->x, first, last);
}

/// Adds the pairs of the batch to the fields; the source at hand stays.
static void flush(layers *slab)
{
    eng_smear_batch *batch = &slab->batch;
    const eng_smear_kernels *kernels = slab->s->kernels;
    const cairn_coarse_fields *f = slab->s->fields;
    cairn_kernel kernel = slab->s->grid->kernel;
    int at_hand = batch->source_count - 1;
    batch->end[at_hand] = batch->count;
    if (slab->kind == SOURCE_BRANCHES) {
        kernels->lines[kernel](batch);
        kernels->add_tensors(batch, f->contact_stress);
    } else {
        kernels->points[kernel](batch);
        kernels->add_vectors(batch, slab->kind == SOURCE_GRAINS ? f->density : NULL,
                             slab->kind == SOURCE_GRAINS ? f->momentum : f->boundary_force);
    }
    if (slab->kind == SOURCE_GRAINS)
        kernels->add_tensors(batch, f->kinetic_stress);
    batch->scalar[0] = batch->scalar[at_hand];
    memmove(batch->vector[0], batch->vector[at_hand], sizeof batch->vector[0]);
    memmove(batch->tensor[0], batch->tensor[at_hand], sizeof batch->tensor[0]);
    batch->source_count = 1;
    batch->count = 0;
}

/// Ends the source at hand and makes room for another of a kind in the batch; its number.
static int begin_source(layers *slab, source_kind kind)
{
    eng_smear_batch *batch = &slab->batch;
    if (batch->source_count > 0)
        batch->end[batch->source_count - 1] = batch->count;
    if (batch->source_count > 0 &&
        (slab->kind != kind || batch->source_count == ENG_SMEAR_SOURCES)) {
        flush(slab);
        batch->source_count = 0;
    }
    slab->kind = kind;
    return batch->source_count++;
}

/// Rows of cells along x that may be within reach of a source.
typedef struct row_list {
    int count;
    double across[ROWS], part[ROWS]; // as in eng_smear_row
    int cell[ROWS];
} row_list;

/// Pairs of the source at hand with the cells [first, last] of rows.
static void pick_rows(layers *slab, eng_smear_row *row, const row_list *rows, int first, int last)
{
    enum { PIECE = ENG_SMEAR_ROOM / 2 };
    for (int i = 0; i < rows->count; i++) {
        row->across = rows->across[i];
        row->part = rows->part[i];
        row->cell = rows->cell[i];
        for (int x = first; x <= last; x += PIECE) {
            row->begin = x;
            row->end = x + PIECE <= last ? x + PIECE : last + 1;
            if (slab->batch.count + (row->end - x) > ENG_SMEAR_ROOM)
                flush(slab);
            slab->s->kernels->pick(&slab->batch, row);
        }
    }
}

/// Pairs of the source at hand, from a place along a unit vector, for a point 0. Rows whose
/// distance across x alone is too long are left out; branches that no processor foresees would cost
/// more.
static void add_source(layers *slab, const vec3 *from, const vec3 *way, double length,
                       const int first[3], const int last[3])
{
    const smear *s = slab->s;
    const double *low = s->grid->low, *d = s->spacing;
    double per_width = s->per_width;
    vec3 a = *from, along = *way;
    double slope2 = along.y * along.y + along.z * along.z;
    double per_slope = slope2 > 0.0 ? 1.0 / slope2 : 0.0;
    eng_smear_row row = {.first = per_width * (low[0] + 0.5 * d[0] - a.x),
                         .spacing = per_width * d[0],
                         .slope = along.x,
                         .length = per_width * length,
                         .reach = s->reach_squared};
    row_list rows;
    rows.count = 0;
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++) {
            double dy = per_width * (low[1] + (y + 0.5) * d[1] - a.y);
            double dz = per_width * (low[2] + (z + 0.5) * d[2] - a.z);
            double across = dy * dy + dz * dz, part = dy * along.y + dz * along.z;
            double foot = greater(lesser(part * per_slope, row.length), 0.0);
            rows.across[rows.count] = across;
            rows.part[rows.count] = part;
            rows.cell[rows.count] = s->grid->cells[0] * (y + s->grid->cells[1] * z);
            rows.count += across - foot * (part + part - foot * slope2) < row.reach;
            if (rows.count == ROWS) {
                pick_rows(slab, &row, &rows, first[0], last[0]);
                rows.count = 0;
            }
        }
    pick_rows(slab, &row, &rows, first[0], last[0]);
}

static void set_product(double out[9], double factor, vec3 a, vec3 b)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = factor * vec3_get(a, i) * vec3_get(b, k);
}

/// Mass, momentum and momentum flux of a grain.
static void smear_grain(layers *slab, double mass, const vec3 *place, const vec3 *v)
{
    static const vec3 nowhere = {0.0, 0.0, 0.0};
    int first[3], last[3];
    if (!cells_near(slab, place, place, first, last))
        return;
    int source = begin_source(slab, SOURCE_GRAINS);
    mass *= slab->s->point_factor;
    slab->batch.scalar[source] = mass;
    vec3_store(slab->batch.vector[source], vec3_scale(mass, *v));
    set_product(slab->batch.tensor[source], mass, *v, *v);
    add_source(slab, place, &nowhere, 0.0, first, last);
}

/// Stress of the force on a grain at the end of a branch from its centre.
static void smear_branch(layers *slab, const vec3 *force, const vec3 *start, const vec3 *end)
{
    int first[3], last[3];
    vec3 line = vec3_sub(*end, *start);
    double length = vec3_norm(line);
    if (!(length > 0.0) || !cells_near(slab, start, end, first, last))
        return;
    int source = begin_source(slab, SOURCE_BRANCHES);
    vec3 along = vec3_scale(1.0 / length, line);
    set_product(slab->batch.tensor[source], -slab->s->line_factor / length, *force, line);
    add_source(slab, start, &along, length, first, last);
}

/// The force itself, where it comes from a boundary.
static void smear_boundary(layers *slab, const vec3 *force, const vec3 *end)
{
    static const vec3 nowhere = {0.0, 0.0, 0.0};
    int first[3], last[3];
    if (!cells_near(slab, end, end, first, last))
        return;
    int source = begin_source(slab, SOURCE_BOUNDARY);
    vec3_store(slab->batch.vector[source], vec3_scale(slab->s->point_factor, *force));
    add_source(slab, end, &nowhere, 0.0, first, last);
}

/// A grain, or a branch, moved by lattice vectors.
static void smear_image(layers *slab, const smear_mass *g, const branch *b, vec3 shift)
{
    if (g != NULL) {
        // images move with the strain of the cell
        vec3 drift = mat3_apply(&slab->s->world->cell.gradient, shift);
        vec3 place = vec3_add(g->place, shift), velocity = vec3_add(g->velocity, drift);
        smear_grain(slab, g->mass, &place, &velocity);
        return;
    }
    vec3 start = vec3_add(b->start, shift), end = vec3_add(b->end, shift);
    smear_branch(slab, &b->force, &start, &end);
    if (b->boundary)
        smear_boundary(slab, &b->force, &end);
}

/// A grain or a branch, with its images.
static void smear_images(layers *slab, const smear_mass *g, const branch *b)
{
    const smear *s = slab->s;
    int from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    double distance = g == NULL ? vec3_norm(vec3_sub(b->end, b->start)) : 0.0;
    eng_window_images(&s->window, g != NULL ? g->place : b->start, s->reach + distance, from, to);
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int k = from[2]; k <= to[2]; k++) {
                const double n[3] = {i, j, k};
                smear_image(slab, g, b, eng_cell_vector(&s->world->cell.middle, n));
            }
}

static void smear_sources(layers *slab)
{
    const smear *s = slab->s;
    for (int i = 0; i < s->grain_count; i++)
        smear_grain(slab, s->grains[i].mass, &s->grains[i].place, &s->grains[i].velocity);
    for (int i = 0; i < s->branch_count; i++) {
        const branch *b = &s->branches[i];
        smear_branch(slab, &b->force, &b->start, &b->end);
        if (b->boundary)
            smear_boundary(slab, &b->force, &b->end);
    }
}

static void smear_periodic_sources(layers *slab)
{
    const smear *s = slab->s;
    for (int i = 0; i < s->grain_count; i++)
        smear_images(slab, &s->grains[i], NULL);
    for (int i = 0; i < s->branch_count; i++)
        smear_images(slab, NULL, &s->branches[i]);
}

static void smear_slab(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk;
    (void)worker;
    const smear *s = context;
    layers slab = {.s = s, .first = begin, .last = end - 1};
    if (s->world->cell.any)
        smear_periodic_sources(&slab);
    else
        smear_sources(&slab);
    if (slab.batch.source_count > 0)
        flush(&slab);
}

static bool is_grain(const cairn_world *world, int body)
{
    return eng_body_is_live(world, body) && world->bodies[body].kind == CAIRN_DYNAMIC;
}

/// Those of the sphere executor first, in the order in which they lie in space.
static void gather_grains(smear *s)
{
    const cairn_world *world = s->world;
    eng_spheres_grain own;
    for (int slot = 0; slot < eng_spheres_slot_count(world); slot++)
        if (eng_spheres_grain_of(world, slot, &own) && is_grain(world, own.body))
            s->grains[s->grain_count++] =
                (smear_mass){own.centre, own.velocity, world->bodies[own.body].mass};
    for (int row = 0; row < world->body_count; row++) {
        if (!is_grain(world, row) || eng_spheres_holds(world, row))
            continue;
        smear_mass *g = &s->grains[s->grain_count++];
        g->mass = world->bodies[row].mass;
        g->place = eng_spheres_steps(world, row) ? eng_spheres_centre_of(world, row)
                                                 : eng_middle_of(world, row).position;
        g->velocity = vec3_from(eng_state_of(world, row).v);
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
    const bool grains[2] = {is_grain(s->world, f->body[0]), is_grain(s->world, f->body[1])};
    vec3 opposite = vec3_negate(f->force);
    if (!(vec3_norm_squared(f->force) > 0.0))
        return;
    if (grains[0] && grains[1] &&
        (f->between || is_between(f->centre[0], f->centre[1], f->point))) {
        s->branches[s->branch_count++] = (branch){f->centre[0], f->centre[1], opposite, false};
        return;
    }
    for (int side = 0; side < 2; side++)
        if (grains[side])
            s->branches[s->branch_count++] = (branch){
                f->centre[side], f->point, side == 0 ? opposite : f->force, !grains[1 - side]};
}

static void gather_branches(smear *s)
{
    const cairn_world *world = s->world;
    eng_spheres_force forces[ENG_SPHERES_BLOCK];
    for (int i = 0; i < world->contacts.count; i++) {
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
        int count = eng_spheres_block_forces(world, block, forces);
        for (int i = 0; i < count; i++)
            add_contact(s, &forces[i]);
    }
}

/// The momentum flux is of whole velocities until here: that of the mean velocity goes.
static void take_mean_flux(const smear *s, size_t points)
{
    const cairn_coarse_fields *f = s->fields;
    for (size_t i = 0; i < points; i++) {
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
                             "a grid from %g to %g m along axis %d is empty", grid->low[k],
                             grid->high[k], k);
        if (grid->cells[k] < 1)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a grid has %d cells along axis %d, of at least 1", grid->cells[k], k);
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

/// Gathers what there is and adds it to all fields.
static cairn_status smear_all(smear *s)
{
    const cairn_world *world = s->world;
    const base_allocator *allocator = &world->allocator;
    size_t contacts = (size_t)cairn_contact_count(world);
    s->grains = base_allocate(allocator, (size_t)world->body_count + 1, sizeof *s->grains);
    s->branches = base_allocate(allocator, 2 * contacts + 1, sizeof *s->branches);
    bool enough = s->grains != NULL && s->branches != NULL;
    if (enough) {
        gather_grains(s);
        gather_branches(s);
        int count = s->grid->cells[2], slabs = 1;
        if (world->workers != NULL)
            slabs = SLABS_OF_A_THREAD * base_workers_count(world->workers);
        base_parallel_for(world->workers, count, (count + slabs - 1) / slabs, smear_slab, s);
    }
    base_release(allocator, s->branches);
    base_release(allocator, s->grains);
    return enough ? CAIRN_OK : CAIRN_ERROR_MEMORY;
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
    size_t points = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    cairn_coarse_fields all = *fields;
    double *own;
    if (complete(&world->allocator, points, &all, &own) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for fields");
    smear s = {.world = world,
               .grid = grid,
               .fields = &all,
               .kernels = eng_smear_choose(),
               .per_width = 1.0 / grid->width,
               .reach_squared = eng_smear_reach(grid->kernel) * eng_smear_reach(grid->kernel),
               .point_factor = eng_smear_point_factor(grid),
               .line_factor = eng_smear_line_factor(grid),
               .reach = eng_smear_reach(grid->kernel) * grid->width};
    for (int k = 0; k < 3; k++) {
        s.spacing[k] = (grid->high[k] - grid->low[k]) / grid->cells[k];
        s.per_spacing[k] = 1.0 / s.spacing[k];
    }
    geo_bounds box = {vec3_from(grid->low), vec3_from(grid->high)};
    s.window = eng_window_make(&world->cell, &world->cell.middle, box);
    status = smear_all(&s);
    take_mean_flux(&s, points);
    base_release(&world->allocator, own);
    return status == CAIRN_OK ? CAIRN_OK : base_fail(error, status, "out of memory for fields");
}
