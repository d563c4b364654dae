// SPDX-License-Identifier: Apache-2.0
// Slots of the sphere executor in a periodic cell.
//
// Bodies keep the places to which they move, whatever copy of the cell that is in. When a list is
// made, slots are moved into the cell by whole lattice vectors, whose numbers they keep; between
// lists they may leave it a little. The work of the strain is that on images, and that on bodies in
// other copies of the cell, where space moves.
#include "engine/pairs/spheres/images.h"
#include "engine/state/world.h"

#include "engine/space/space.h"

#include <stdlib.h>
#include <string.h>

static vec3 times(const mat3 *lattice, const int n[3])
{
    return mat3_apply(lattice, vec3_make(n[0], n[1], n[2]));
}

static bool is_moved(const int n[3])
{
    return (n[0] | n[1] | n[2]) != 0;
}

int *eng_spheres_wrap_of(const struct eng_spheres *spheres, int slot)
{
    return spheres->world->state.cell.any ? (int *)spheres->table.wraps.block + 3 * (size_t)slot
                                          : NULL;
}

vec3 eng_spheres_wrap_shift(const struct eng_spheres *spheres, int slot)
{
    const int *n = eng_spheres_wrap_of(spheres, slot);
    return n != NULL && is_moved(n) ? times(&spheres->cell.frame.lattice, n)
                                    : vec3_make(0.0, 0.0, 0.0);
}

vec3 eng_spheres_wrap_drift(const struct eng_spheres *spheres, int slot)
{
    const int *n = eng_spheres_wrap_of(spheres, slot);
    return n != NULL && is_moved(n) ? times(&spheres->cell.frame.drift, n)
                                    : vec3_make(0.0, 0.0, 0.0);
}

// ---------------------------------------------------------------- frames

static void move_slot(const struct eng_spheres *spheres, int slot, vec3 way, vec3 velocity)
{
    double *X = spheres->pass.X[slot], *V = spheres->pass.V[slot];
    vec3_store(X, vec3_add(vec3_from(X), way));
    vec3_store(V, vec3_add(vec3_from(V), velocity));
}

void eng_spheres_unwrap(struct eng_spheres *spheres)
{
    for (int slot = 0; slot < spheres->table.slots && spheres->world->state.cell.any; slot++) {
        int *n = eng_spheres_wrap_of(spheres, slot);
        if (!is_moved(n))
            continue;
        move_slot(spheres, slot, eng_spheres_wrap_shift(spheres, slot),
                  eng_spheres_wrap_drift(spheres, slot));
        memset(n, 0, 3 * sizeof *n);
    }
    spheres->list.slack = -1.0;
}

/// Longest image of a lattice vector or of a sum of some under a map.
static double longest(const eng_cell *cell, const mat3 *map)
{
    double most = 0.0;
    for (int c = 0; c < 27; c++) {
        int n[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        for (int k = 0; k < 3; k++)
            n[k] = cell->periodic[k] ? n[k] : 0;
        most = fmax(most, vec3_norm(times(map, n)));
    }
    return most;
}

static mat3 difference(const mat3 *a, const mat3 *b)
{
    mat3 minus = mat3_scale(-1.0, b);
    return mat3_add(a, &minus);
}

void eng_spheres_frame_set(struct eng_spheres *spheres, const eng_spheres_frame *frame)
{
    spheres->cell.frame = *frame;
    for (int c = 0; c < 27; c++) {
        const int n[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        vec3_store(spheres->cell.image_shifts[c], times(&frame->lattice, n));
        vec3_store(spheres->cell.image_drifts[c], times(&frame->drift, n));
    }
}

/// The rate is another than the last step foresaw: slots outside of the cell and all images follow.
static void change_frame(struct eng_spheres *spheres, const eng_spheres_frame *next)
{
    mat3 ways = difference(&spheres->cell.frame.lattice, &next->lattice);
    mat3 velocities = difference(&spheres->cell.frame.drift, &next->drift);
    double jump = 0.0;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        const int *n = eng_spheres_wrap_of(spheres, slot);
        if (!is_moved(n))
            continue;
        vec3 way = times(&ways, n);
        move_slot(spheres, slot, way, times(&velocities, n));
        jump = fmax(jump, vec3_norm(way));
    }
    double apart = longest(&spheres->world->state.cell, &ways);
    for (int i = 0; i < spheres->list.chunk_count; i++) {
        spheres->pass.chunks[i].path += jump + 0.5 * apart;
        spheres->pass.chunks[i].left -= jump;
    }
    spheres->cell.path += apart;
    spheres->list.slack =
        fmin(spheres->list.slack - jump, spheres->cell.margin - spheres->cell.path);
}

static eng_spheres_frame frame_of(const eng_cell *cell, mat3 lattice)
{
    return (eng_spheres_frame){lattice, mat3_multiply(&cell->gradient, &lattice), cell->gradient};
}

bool eng_spheres_frame_follow(struct eng_spheres *spheres)
{
    const eng_cell *cell = &spheres->world->state.cell;
    if (!cell->any)
        return false;
    eng_spheres_frame next = frame_of(cell, cell->middle);
    const mat3 still = {0};
    bool strains = memcmp(&cell->gradient, &still, sizeof still) != 0;
    // lists of cells at rest have no room for a strain
    spheres->list.slack = strains != spheres->cell.strains ? -1.0 : spheres->list.slack;
    spheres->cell.strains = strains;
    bool other = memcmp(&next, &spheres->cell.frame, sizeof next) != 0;
    if (cell->reduced)
        eng_spheres_unwrap(spheres);
    else if (other)
        change_frame(spheres, &next);
    if (other)
        eng_spheres_frame_set(spheres, &next);
    // a new list places all
    return other && spheres->list.slack >= 0.0;
}

void eng_spheres_frame_advance(struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    const eng_cell *cell = &world->state.cell;
    if (!cell->any)
        return;
    mat3 now = eng_cell_next(cell);
    spheres->cell.before = spheres->cell.frame;
    eng_spheres_frame next = frame_of(cell, eng_cell_middle(cell, &now, world->state.clock.step));
    if (spheres->cell.strains)
        eng_spheres_frame_set(spheres, &next);
    eng_spheres_frame_measure(spheres);
}

void eng_spheres_frame_measure(struct eng_spheres *spheres)
{
    mat3 way = difference(&spheres->cell.frame.lattice, &spheres->cell.before.lattice);
    spheres->cell.way = spheres->cell.strains ? longest(&spheres->world->state.cell, &way) : 0.0;
}

void eng_spheres_wrap(struct eng_spheres *spheres)
{
    const eng_cell *cell = &spheres->world->state.cell;
    if (!cell->any)
        return;
    mat3 inverse = mat3_inverse(&spheres->cell.frame.lattice);
    spheres->cell.listed = spheres->cell.frame.lattice;
    spheres->cell.path = 0.0;
    for (int slot = 0; slot < spheres->table.slots && !spheres->list.relisting; slot++) {
        vec3 part = mat3_apply(&inverse, vec3_sub(vec3_from(spheres->pass.X[slot]), cell->low));
        int n[3] = {0}, *wrap = eng_spheres_wrap_of(spheres, slot);
        for (int k = 0; k < 3; k++) {
            double at = vec3_get(part, k);
            // one that is as far as that is lost anyway
            if (cell->periodic[k] && (at < 0.0 || at > 1.0) && fabs(at) < 1e9 &&
                abs(wrap[k]) < 1000000000)
                n[k] = (int)floor(at);
            wrap[k] += n[k];
        }
        if (is_moved(n))
            move_slot(spheres, slot, vec3_negate(times(&spheres->cell.frame.lattice, n)),
                      vec3_negate(times(&spheres->cell.frame.drift, n)));
    }
}

// ---------------------------------------------------------------- strain

double eng_spheres_drift_momentum(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    double sum = 0.0;
    const int *n = spheres->table.wraps.block;
    // no slot is outside of the cell, or there is none
    if (n == NULL || !chunk->wrapped)
        return 0.0;
    n += 3 * (size_t)chunk->first_slot;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++, n += 3) {
        double moved = spheres->pass.constants[slot][0];
        if (is_moved(n) && moved != 0.0)
            sum +=
                spheres->pass.step / moved *
                vec3_dot(vec3_from(spheres->pass.V[slot]), times(&spheres->cell.before.drift, n));
    }
    return sum;
}

void eng_spheres_chunk_strain(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                              double momentum)
{
    const eng_spheres_pass *pass = &spheres->pass;
    // straight on at the velocity of the step is not where the lattice goes
    mat3 ways = difference(&spheres->cell.before.lattice, &spheres->cell.frame.lattice);
    mat3 straight = mat3_scale(pass->step, &spheres->cell.before.drift);
    ways = mat3_add(&ways, &straight);
    mat3 velocities = difference(&spheres->cell.before.drift, &spheres->cell.frame.drift);
    chunk->strain += eng_spheres_drift_momentum(spheres, chunk) - momentum;
    for (int slot = chunk->first_slot; slot < chunk->end_slot && chunk->wrapped; slot++) {
        const int *n = (const int *)spheres->table.wraps.block + 3 * (size_t)slot;
        if (!is_moved(n))
            continue;
        // what is not from contacts is booked elsewhere
        double moved = pass->constants[slot][0];
        vec3 load = vec3_from(pass->load[(size_t)slot * pass->load_stride]);
        vec3 given = vec3_scale(pass->step, load);
        if (moved != 0.0) {
            given = vec3_add_scaled(given, pass->step / moved, vec3_from(pass->gravity));
            chunk->strain -= vec3_dot(given, times(&spheres->cell.before.drift, n));
        }
        vec3 way = times(&ways, n);
        move_slot(spheres, slot, way, times(&velocities, n));
        for (int k = 0; k < 3; k++)
            chunk->fastest[k] = fmax(chunk->fastest[k],
                                     fabs(pass->V[slot][k]) + fabs(vec3_get(way, k)) / pass->step);
    }
}
