// SPDX-License-Identifier: Apache-2.0
// The periodic cell and how it strains.
#include "engine/space/space.h"
#include "engine/state/world.h"

/// Lattice vectors that lean by more than half of another are replaced by shorter ones, which make
/// the same lattice. @return whether any was
static bool reduce(eng_cell *cell)
{
    bool changed = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            vec3 base = mat3_column(&cell->now, i), lean = mat3_column(&cell->now, j);
            double times = rint(vec3_dot(base, lean) / vec3_norm_squared(base));
            if (i == j || !cell->periodic[i] || !cell->periodic[j] || times == 0.0)
                continue;
            vec3 shorter = vec3_add_scaled(lean, -times, base);
            if (!(vec3_norm_squared(shorter) < vec3_norm_squared(lean)))
                continue;
            for (int k = 0; k < 3; k++)
                cell->now.m[k][j] = vec3_get(shorter, k);
            changed = true;
        }
    return changed;
}

/// h' = L h by the midpoint rule, as bodies move: middle = (1 - dt/2 L)^-1 now.
mat3 eng_cell_middle(const eng_cell *cell, const mat3 *now, double step)
{
    mat3 half = mat3_scale(-0.5 * step, &cell->gradient), one = mat3_identity();
    mat3 back = mat3_add(&one, &half), forth = mat3_inverse(&back);
    return mat3_multiply(&forth, now);
}

/// Sides at the end of a step, from those at its beginning and in its middle.
static mat3 ahead(const mat3 *now, const mat3 *middle)
{
    mat3 next;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            next.m[i][j] = 2.0 * middle->m[i][j] - now->m[i][j];
    return next;
}

mat3 eng_cell_next(const eng_cell *cell)
{
    return ahead(&cell->now, &cell->middle);
}

void eng_cell_begin(cairn_world *world)
{
    eng_cell *cell = &world->state.cell;
    if (!cell->any)
        return;
    cell->reduced = reduce(cell);
    if (cell->reduced)
        world->contacts.pairs.topology_changed = true;
    cell->middle = eng_cell_middle(cell, &cell->now, world->state.clock.step);
    cell->inverse = mat3_inverse(&cell->middle);
}

void eng_cell_end(eng_world_state *state)
{
    eng_cell *cell = &state->cell;
    if (!cell->any)
        return;
    mat3 middle = eng_cell_middle(cell, &cell->unfolded, state->clock.step);
    cell->unfolded = ahead(&cell->unfolded, &middle);
    cell->now = eng_cell_next(cell);
}

vec3 eng_cell_wrap(const cairn_world *world, vec3 point)
{
    const eng_cell *cell = &world->state.cell;
    if (!cell->any)
        return point;
    mat3 inverse = mat3_inverse(&cell->now);
    vec3 part = mat3_apply(&inverse, vec3_sub(point, cell->low));
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = cell->periodic[k] ? -floor(vec3_get(part, k)) : 0.0;
    return vec3_add(point, eng_cell_vector(&cell->now, n));
}
