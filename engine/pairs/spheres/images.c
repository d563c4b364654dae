// SPDX-License-Identifier: Apache-2.0
// Images of the sphere executor in a periodic cell: pairs through its faces meet slots of their own
// behind the ghosts of walls, which follow their slots when these have moved. Forces on an image
// are forces on its slot, so that kernels know nothing of cells.
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <string.h>

static vec3 times(const mat3 *lattice, const int n[3])
{
    return mat3_apply(lattice, vec3_make(n[0], n[1], n[2]));
}

// ---------------------------------------------------------------- candidates

static eng_spheres_image *candidate_at(const struct eng_spheres *spheres, int candidate)
{
    return (eng_spheres_image *)spheres->list.candidates.made.block + candidate;
}

static size_t stride_of(const struct eng_spheres *spheres)
{
    return (size_t)spheres->list.candidates.count + ENG_SPHERES_WIDTH +
           (size_t)spheres->list.ranges;
}

static double *column_of(const struct eng_spheres *spheres, int column)
{
    return (double *)spheres->list.candidates.places.block + (size_t)column * stride_of(spheres);
}

/// Ways through the faces that a sphere at these parts of the cell reaches: at most three a
/// direction. @param reach  part of the cell
static void list_ways(const eng_cell *cell, const double part[3], const double reach[3],
                      int ways[3][3], int count[3])
{
    for (int k = 0; k < 3; k++) {
        count[k] = 1;
        ways[k][0] = 0;
        if (cell->periodic[k] && part[k] < reach[k])
            ways[k][count[k]++] = 1;
        if (cell->periodic[k] && part[k] > 1.0 - reach[k])
            ways[k][count[k]++] = -1;
    }
}

/// Images of a slot that others may meet.
static cairn_status add_candidates(struct eng_spheres *spheres, const mat3 *inverse, int slot)
{
    const eng_cell *cell = &spheres->world->state.cell;
    eng_spheres_candidates *c = &spheres->list.candidates;
    double far = spheres->pass.constants[slot][3] + eng_spheres_margins(spheres)[slot] +
                 spheres->table.largest + 0.5 * spheres->list.widest + spheres->cell.margin;
    vec3 at = mat3_apply(inverse, vec3_sub(vec3_from(spheres->pass.X[slot]), cell->low));
    double part[3], reach[3];
    int ways[3][3], count[3];
    vec3_store(part, at);
    for (int k = 0; k < 3; k++)
        reach[k] = 1.000001 * far * vec3_norm(mat3_row(inverse, k));
    list_ways(cell, part, reach, ways, count);
    int all = count[0] * count[1] * count[2];
    cairn_status status = eng_spheres_reserve(
        spheres, &c->made, ((size_t)c->count + (size_t)all) * sizeof(eng_spheres_image));
    for (int i = 1; i < all && status == CAIRN_OK; i++)
        *candidate_at(spheres, c->count++) =
            (eng_spheres_image){.source = slot,
                                .n = {ways[0][i % count[0]], ways[1][i / count[0] % count[1]],
                                      ways[2][i / (count[0] * count[1])]}};
    return status;
}

static vec3 place_of(const struct eng_spheres *spheres, const eng_spheres_image *image)
{
    vec3 shift = times(&spheres->cell.frame.lattice, image->n);
    return vec3_add(vec3_from(spheres->pass.X[image->source]), shift);
}

static cairn_status reserve_candidates(struct eng_spheres *spheres, int cells)
{
    eng_spheres_candidates *c = &spheres->list.candidates;
    size_t count = (size_t)c->count;
    const struct {
        eng_spheres_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&c->used, (2 * count + 1) * sizeof(int)},
        {&c->sorted, (count + 1) * sizeof(int)},
        {&c->start, ((size_t)cells + 2) * sizeof(int)},
        {&c->places, 5 * stride_of(spheres) * sizeof(double)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(eng_spheres_reserve(spheres, wanted[i].buffer, wanted[i].bytes));
    memset(c->used.block, 0, (2 * count + 1) * sizeof(int));
    memset(c->start.block, 0, ((size_t)cells + 2) * sizeof(int));
    return CAIRN_OK;
}

/// By cells; the second half of `used` holds these meanwhile.
static void sort_candidates(struct eng_spheres *spheres, int cells,
                            int (*cell_of)(const void *grid, const double X[4]), const void *grid)
{
    eng_spheres_candidates *c = &spheres->list.candidates;
    int *start = c->start.block, *sorted = c->sorted.block, *cell = (int *)c->used.block + c->count;
    for (int i = 0; i < c->count; i++) {
        double X[4] = {0.0};
        vec3_store(X, place_of(spheres, candidate_at(spheres, i)));
        cell[i] = cell_of(grid, X);
        start[cell[i] + 2]++;
    }
    for (int i = 0; i < cells; i++)
        start[i + 2] += start[i + 1];
    for (int i = 0; i < c->count; i++)
        sorted[start[cell[i] + 1]++] = i;
}

cairn_status eng_spheres_candidates_make(struct eng_spheres *spheres, int cells,
                                         int (*cell_of)(const void *grid, const double X[4]),
                                         const void *grid)
{
    eng_spheres_candidates *c = &spheres->list.candidates;
    mat3 inverse = mat3_inverse(&spheres->cell.frame.lattice);
    cairn_status status = CAIRN_OK;
    c->count = 0;
    for (int slot = 0; slot < spheres->table.slots && status == CAIRN_OK; slot++)
        status = add_candidates(spheres, &inverse, slot);
    if (status == CAIRN_OK)
        status = reserve_candidates(spheres, cells);
    if (status != CAIRN_OK)
        return status;
    sort_candidates(spheres, cells, cell_of, grid);
    memset(c->places.block, 0, 5 * stride_of(spheres) * sizeof(double));
    for (int i = 0; i < c->count; i++) {
        const eng_spheres_image *image = candidate_at(spheres, ((int *)c->sorted.block)[i]);
        double at[3];
        vec3_store(at, place_of(spheres, image));
        for (int axis = 0; axis < 3; axis++)
            column_of(spheres, axis)[i] = at[axis];
        column_of(spheres, 3)[i] = spheres->pass.constants[image->source][3];
        column_of(spheres, 4)[i] =
            eng_spheres_margins(spheres)[image->source] + spheres->cell.margin;
    }
    return CAIRN_OK;
}

eng_spheres_search eng_spheres_candidates_search(const struct eng_spheres *spheres, int range,
                                                 const eng_spheres_search *search, int slot,
                                                 int *own)
{
    *own = spheres->list.candidates.count + ENG_SPHERES_WIDTH + range;
    for (int axis = 0; axis < 3; axis++)
        column_of(spheres, axis)[*own] = search->place[axis][slot];
    column_of(spheres, 3)[*own] = search->radius[slot];
    column_of(spheres, 4)[*own] = search->margin[slot];
    return (eng_spheres_search){
        .place = {column_of(spheres, 0), column_of(spheres, 1), column_of(spheres, 2)},
        .radius = column_of(spheres, 3),
        .margin = column_of(spheres, 4),
        .near = search->near,
    };
}

int eng_spheres_candidate_source(const struct eng_spheres *spheres, int candidate)
{
    return candidate_at(spheres, candidate)->source;
}

int eng_spheres_candidate_cell(const struct eng_spheres *spheres, int candidate)
{
    return ((const int *)
                spheres->list.candidates.used.block)[spheres->list.candidates.count + candidate];
}

void eng_spheres_candidate_take(struct eng_spheres *spheres, int candidate)
{
    // other ranges may take the same
    __atomic_store_n((int *)spheres->list.candidates.used.block + candidate, 1, __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------- images

cairn_status eng_spheres_images_number(struct eng_spheres *spheres)
{
    const eng_spheres_candidates *c = &spheres->list.candidates;
    int *used = c->used.block, count = 0;
    spheres->cell.image_count = 0;
    spheres->pass.first_image = INT_MAX;
    if (!spheres->world->state.cell.any)
        return CAIRN_OK;
    for (int i = 0; i < c->count; i++)
        count += used[i];
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->cell.images,
                                 ((size_t)count + 1) * sizeof(eng_spheres_image)));
    eng_spheres_image *images = spheres->cell.images.block;
    int made = 0;
    for (int chunk = 0, i = 0; chunk < spheres->list.chunk_count; chunk++) {
        eng_spheres_chunk *of = &spheres->pass.chunks[chunk];
        of->first_image = made;
        for (; i < c->count && candidate_at(spheres, i)->source < of->end_slot; i++)
            if (used[i] != 0) {
                used[i] = made;
                images[made++] = *candidate_at(spheres, i);
            }
        of->end_image = made;
        of->wrapped = false;
        for (int slot = of->first_slot; slot < of->end_slot && !of->wrapped; slot++) {
            const int *n = eng_spheres_wrap_of(spheres, slot);
            of->wrapped = (n[0] | n[1] | n[2]) != 0;
        }
    }
    spheres->cell.image_count = made;
    spheres->pass.images = images;
    spheres->pass.first_image = spheres->table.slots + 2 + spheres->walls.ghost_count;
    return CAIRN_OK;
}

cairn_status eng_spheres_image_pairs_list(struct eng_spheres *spheres)
{
    int count = 0;
    for (int c = 0; c < spheres->list.chunk_count && spheres->cell.image_count > 0; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        int end = eng_spheres_has_chunk(spheres, c) ? chunk->end_block : chunk->first_block;
        for (int i = chunk->first_block; i < end; i++)
            count += __builtin_popcount(spheres->pass.blocks[i].images);
    }
    BASE_TRY(count > 0 ? eng_spheres_reserve(spheres, &spheres->cell.image_pairs,
                                             (size_t)count * sizeof(int))
                       : CAIRN_OK);
    int made = 0, *pairs = spheres->cell.image_pairs.block;
    for (int c = 0; c < spheres->list.chunk_count && count > 0; c++) {
        eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        int end = eng_spheres_has_chunk(spheres, c) ? chunk->end_block : chunk->first_block;
        chunk->first_image_pair = made;
        for (int i = chunk->first_block; i < end; i++)
            for (unsigned bits = spheres->pass.blocks[i].images; bits != 0; bits &= bits - 1)
                pairs[made++] = i * ENG_SPHERES_WIDTH + __builtin_ctz(bits);
        chunk->end_image_pair = made;
    }
    return CAIRN_OK;
}

int eng_spheres_image_slot(const struct eng_spheres *spheres, int candidate)
{
    return spheres->pass.first_image +
           ((const int *)spheres->list.candidates.used.block)[candidate];
}

void eng_spheres_images_move(struct eng_spheres *spheres, int first, int end)
{
    for (int i = first; i < end; i++) {
        const eng_spheres_image *image = &spheres->pass.images[i];
        int slot = spheres->pass.first_image + i;
        double *X = spheres->pass.X[slot], *V = spheres->pass.V[slot];
        int code = eng_spheres_image_code(image->n);
        memcpy(X, spheres->pass.X[image->source], sizeof *spheres->pass.X);
        memcpy(V, spheres->pass.V[image->source], sizeof *spheres->pass.V);
        for (int k = 0; k < 3; k++) {
            X[k] += spheres->cell.image_shifts[code][k];
            V[k] += spheres->cell.image_drifts[code][k];
        }
    }
}

bool eng_spheres_is_nearest(const struct eng_spheres *spheres, int slot, int other)
{
    const eng_cell *cell = &spheres->world->state.cell;
    if (!cell->any || (other >= spheres->table.slots && other < spheres->pass.first_image))
        return true;
    vec3 at = vec3_from(spheres->pass.X[eng_spheres_source_of(&spheres->pass, other)]);
    if (other >= spheres->pass.first_image)
        at = place_of(spheres, &spheres->pass.images[other - spheres->pass.first_image]);
    mat3 inverse = mat3_inverse(&spheres->cell.frame.lattice);
    vec3 part = mat3_apply(&inverse, vec3_sub(at, vec3_from(spheres->pass.X[slot])));
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k] && fabs(vec3_get(part, k)) > 0.5)
            return false;
    return true;
}

double eng_spheres_image_work(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    const eng_spheres_pass *pass = &spheres->pass;
    const int *pairs = spheres->cell.image_pairs.block;
    double work = 0.0;
    for (int i = chunk->first_image_pair; i < chunk->end_image_pair; i++) {
        const eng_spheres_block *block = &pass->blocks[pairs[i] / ENG_SPHERES_WIDTH];
        int k = pairs[i] % ENG_SPHERES_WIDTH;
        if (!(block->touch >> k & 1))
            continue;
        const eng_spheres_image *image =
            &pass->images[eng_spheres_slot_b(block, k) - pass->first_image];
        work += vec3_dot(vec3_from(pass->force[block->force_row + k]),
                         times(&spheres->cell.before.drift, image->n));
    }
    return -pass->step * work;
}

// ---------------------------------------------------------------- stress of the cell

/// sum += factor a b^T, symmetric part: xx, yy, zz, xy, xz, yz.
static void add_product(double sum[6], double factor, vec3 a, vec3 b)
{
    sum[0] += factor * a.x * b.x;
    sum[1] += factor * a.y * b.y;
    sum[2] += factor * a.z * b.z;
    sum[3] += 0.5 * factor * (a.x * b.y + a.y * b.x);
    sum[4] += 0.5 * factor * (a.x * b.z + a.z * b.x);
    sum[5] += 0.5 * factor * (a.y * b.z + a.z * b.y);
}

void eng_spheres_chunk_branches(const struct eng_spheres *spheres, eng_spheres_chunk *chunk)
{
    const eng_spheres_pass *pass = &spheres->pass;
    eng_cell_stress *sum = &chunk->stress;
    memset(sum, 0, sizeof *sum);
    // branches of clumps go to their own centres
    sum->others = chunk->members > 0;
    for (int i = chunk->first_block; i < chunk->end_block; i++) {
        const eng_spheres_block *block = &pass->blocks[i];
        for (unsigned bits = block->touch; bits != 0; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
            vec3 branch = vec3_sub(vec3_from(pass->X[b]), vec3_from(pass->X[a]));
            int source = eng_spheres_source_of(pass, b);
            // to walls a branch ends at the point of contact
            sum->others |= source >= spheres->table.slots || pass->constants[a][0] == 0.0 ||
                           pass->constants[source][0] == 0.0;
            add_product(sum->contacts, 1.0, vec3_from(pass->force[block->force_row + k]), branch);
        }
    }
}

void eng_spheres_chunk_fluctuations(const struct eng_spheres *spheres, eng_spheres_chunk *chunk)
{
    const eng_spheres_pass *pass = &spheres->pass;
    eng_cell_stress *sum = &chunk->stress;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        double moved = pass->constants[slot][0];
        if (moved == 0.0)
            continue;
        double mass = pass->step / moved;
        vec3 v = vec3_from(pass->V[slot]);
        vec3 end = vec3_add_scaled(vec3_from(pass->X[slot]), -0.5 * pass->step, v);
        // images move with the strain of the cell, and so does the mean motion in it
        vec3 own = vec3_sub(v, mat3_apply(&spheres->world->state.cell.gradient, end));
        add_product(sum->motion, mass, own, own);
        sum->momentum = vec3_add_scaled(sum->momentum, mass, own);
        sum->mass += mass;
    }
}

bool eng_spheres_cell_stress(const cairn_world *world, double stress[6])
{
    const eng_spheres *spheres = world->state.spheres;
    if (world->scratch.general.work || spheres == NULL || spheres->list.chunk_count == 0)
        return false;
    eng_cell_stress sum = {0};
    for (int i = 0; i < spheres->list.chunk_count; i++) {
        const eng_cell_stress *own = &spheres->pass.chunks[i].stress;
        for (int k = 0; k < 6; k++)
            sum.contacts[k] += own->contacts[k] + own->motion[k];
        sum.momentum = vec3_add(sum.momentum, own->momentum);
        sum.mass += own->mass;
        sum.others |= own->others;
    }
    if (sum.others)
        return false;
    if (sum.mass > 0.0)
        add_product(sum.contacts, -1.0 / sum.mass, sum.momentum, sum.momentum);
    double volume = fabs(mat3_determinant(&world->state.cell.now));
    for (int k = 0; k < 6; k++)
        stress[k] = sum.contacts[k] / volume;
    return true;
}
