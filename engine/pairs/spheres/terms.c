// SPDX-License-Identifier: Apache-2.0
// Laws of pairs of spheres: terms of surfaces for the kernels, columns of pairs, and their history
// in the order of the laws.
#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"

#include <string.h>

bool eng_spheres_has_kernel(const eng_surface *surface)
{
    const con_batch *batch = surface->law->batch;
    return batch != NULL && (batch->covers == NULL || batch->covers(surface->parameters));
}

/// The arms of rolling are those of spheres about their own centres.
static bool takes_clumps(const con_batch *batch, const con_rolling *rolling)
{
    return batch->takes_clumps && rolling->rolling_friction == 0.0 &&
           rolling->twisting_friction == 0.0;
}

bool eng_spheres_law_takes_clumps(const eng_surface *surface)
{
    if (!eng_spheres_has_kernel(surface))
        return false;
    const con_batch *batch = surface->law->batch;
    con_rolling rolling = {0};
    if (batch->rolling != NULL)
        rolling = batch->rolling(surface->parameters);
    return takes_clumps(batch, &rolling);
}

static eng_spheres_terms terms_of(const eng_surface *surface)
{
    const con_batch *batch = surface->law->batch;
    eng_spheres_terms terms = {.batch = batch};
    batch->prepare(surface->parameters, terms.own);
    if (batch->rolling != NULL)
        terms.rolling = batch->rolling(surface->parameters);
    return terms;
}

cairn_status eng_spheres_terms_fill(struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    int count = world->model.materials.surface_count;
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->store.terms,
                                 (size_t)count * sizeof(eng_spheres_terms)));
    BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.covered,
                                &spheres->meeting.covered_capacity, count));
    spheres->store.terms_count = count;
    eng_spheres_terms *terms = spheres->store.terms.block;
    for (int i = 0; i < count; i++) {
        const eng_surface *surface = &world->model.materials.surfaces[i];
        // a pair on the list has 16 bits for its surface
        bool covered = eng_spheres_has_kernel(surface) && count <= UINT16_MAX;
        terms[i] = covered ? terms_of(surface) : (eng_spheres_terms){0};
    }
    eng_spheres_terms_measure(spheres);
    return CAIRN_OK;
}

void eng_spheres_terms_measure(struct eng_spheres *spheres)
{
    const eng_spheres_terms *terms = spheres->store.terms.block;
    spheres->meeting.all_covered = true;
    spheres->store.column_rows = spheres->store.kept_rows = 0;
    spheres->store.has_resistance = false;
    spheres->clumps.takes = true;
    for (int i = 0; i < spheres->store.terms_count; i++) {
        const con_batch *batch = terms[i].batch;
        spheres->meeting.covered[i] = batch != NULL;
        spheres->meeting.all_covered = spheres->meeting.all_covered && batch != NULL;
        if (batch == NULL)
            continue;
        if (batch->column_count - 1 > spheres->store.column_rows)
            spheres->store.column_rows = batch->column_count - 1;
        if (batch->kept_count > spheres->store.kept_rows)
            spheres->store.kept_rows = batch->kept_count;
        spheres->store.has_resistance |=
            terms[i].rolling.rolling_friction > 0.0 || terms[i].rolling.twisting_friction > 0.0;
        spheres->clumps.takes = spheres->clumps.takes && takes_clumps(batch, &terms[i].rolling);
    }
    spheres->clumps.takes = spheres->clumps.takes && spheres->meeting.all_covered;
    spheres->pass.terms = terms;
}

const eng_spheres_terms *eng_spheres_planned_terms(const struct eng_spheres *spheres, int surface)
{
    static const eng_spheres_terms none = {0};
    while (surface >= spheres->store.terms_count && surface > 0)
        surface = spheres->world->model.materials.surfaces[surface].from;
    return surface < spheres->store.terms_count ? &spheres->pass.terms[surface] : &none;
}

/// Direction in which gravity changes the velocity of B against A.
static int falls(const double a[4], const double b[4])
{
    return (b[0] != 0.0) - (a[0] != 0.0);
}

/// Radius of a slot that meets something flat, of two spheres, or of one and a wall that is a
/// sphere to the law, m.
static double effective_radius(const struct eng_spheres *spheres, const con_batch *batch,
                               const double a[4], int other)
{
    const eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    int ghost = other - spheres->table.slots - 2;
    double b = other < spheres->table.slots ? spheres->pass.constants[other][3] : 0.0;
    if (ghost >= 0 && ghost < spheres->walls.ghost_count && batch->takes_clumps) {
        const geo_shape *shape = walls[ghosts[ghost].wall].shape;
        b = shape->kind == GEO_SPHERE ? shape->sphere.radius : 0.0;
    }
    return b > 0.0 ? a[3] * b / (a[3] + b) : a[3];
}

void eng_spheres_pair_prepare(const struct eng_spheres *spheres, const eng_spheres_terms *terms,
                              int slot, int other, eng_spheres_block *block, int k)
{
    bool wall = other >= spheres->table.slots;
    const double none[4] = {0.0, 0.0, 0.0, 0.0}, *a = spheres->pass.constants[slot];
    const double *b = wall ? none : spheres->pass.constants[other];
    double step = spheres->pass.step, made[CON_BATCH_COLUMNS];
    con_batch_pair pair = {
        .step = step,
        .mass = step / (a[0] + b[0]),
        .radius = effective_radius(spheres, terms->batch, a, other),
        .inverse_mass = (a[0] + b[0]) / step,
        .arm = {a[3], b[3]},
        .inverse_inertia = {a[2] / step, b[2] / step},
        .falls = falls(a, b),
        .flat = wall,
    };
    terms->batch->pair(terms->own, &pair, made);
    double(*columns)[ENG_SPHERES_WIDTH] = eng_spheres_columns(spheres, block);
    block->column[k] = made[0];
    for (int c = terms->batch->kept_count + 1; c < terms->batch->column_count; c++)
        columns[c - 1][k] = made[c];
    eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    if (resist != NULL)
        resist->radius[k] = pair.radius;
}

con_batch_state eng_spheres_state_of_pair(const struct eng_spheres *spheres,
                                          const eng_spheres_terms *terms,
                                          const eng_spheres_block *block, int k, double overlap)
{
    double(*rows)[ENG_SPHERES_WIDTH] = eng_spheres_columns(spheres, block),
    columns[CON_BATCH_COLUMNS];
    columns[0] = block->column[k];
    for (int c = 1; c < terms->batch->column_count; c++)
        columns[c] = rows[c - 1][k];
    return terms->batch->state(terms->own, columns, overlap);
}

/// Places of rolling moment and twisting moment in the history of a law that resists them.
enum { ROLLING = 3, TWISTING = 6 };

void eng_spheres_history_write(const struct eng_spheres *spheres, const con_batch *batch,
                               const eng_spheres_block *block, int k, double sign, double *history)
{
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    for (int axis = 0; axis < 3 && batch->springs; axis++)
        history[axis] = sign * block->spring[axis][k];
    if (resist != NULL && batch->rolling != NULL) {
        for (int axis = 0; axis < 3; axis++)
            history[ROLLING + axis] = sign * resist->rolling[axis][k];
        history[TWISTING] = resist->twisting[k];
    }
    double(*columns)[ENG_SPHERES_WIDTH] = eng_spheres_columns(spheres, block);
    double turned = batch->kept_turn ? sign : 1.0;
    for (int i = 0; i < batch->kept_count; i++)
        history[batch->first_kept + i] = turned * columns[i][k];
}

void eng_spheres_history_read(const struct eng_spheres *spheres, const con_batch *batch,
                              eng_spheres_block *block, int k, double sign, const double *history)
{
    eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    for (int axis = 0; axis < 3 && batch->springs; axis++)
        block->spring[axis][k] = sign * history[axis];
    if (resist != NULL && batch->rolling != NULL) {
        for (int axis = 0; axis < 3; axis++)
            resist->rolling[axis][k] = sign * history[ROLLING + axis];
        resist->twisting[k] = history[TWISTING];
    }
    double(*columns)[ENG_SPHERES_WIDTH] = eng_spheres_columns(spheres, block);
    double turned = batch->kept_turn ? sign : 1.0;
    for (int i = 0; i < batch->kept_count; i++)
        columns[i][k] = turned * history[batch->first_kept + i];
    block->touch = (unsigned char)(block->touch | 1u << k);
}
