// SPDX-License-Identifier: Apache-2.0
// The calls of the periodic cell.
#include "engine/bodies/body_state.h"
#include "engine/measures/finite.h"
#include "engine/space/space.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#define CELL_COOKIE 0x63656c6cU

cairn_cell_def cairn_default_cell_def(void)
{
    return (cairn_cell_def){.size = {1.0, 1.0, 1.0}, .cookie = CELL_COOKIE};
}

/// A half-space across a periodic direction would be met by its own images.
static cairn_status check_planes(const cairn_world *world, const bool periodic[3],
                                 cairn_error *error)
{
    for (int i = 0; i < world->model.bodies.count; i++) {
        if (!eng_body_is_live(world, i) || isfinite(eng_reach_of(world, i)))
            continue;
        pose frame = eng_state_of(world, i).q;
        vec3 normal = quat_rotate(frame.orientation, vec3_make(0.0, 0.0, 1.0));
        for (int k = 0; k < 3; k++)
            if (periodic[k] && fabs(vec3_get(normal, k)) > 1e-9)
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "%s is a half-space that leans against the periodic direction %c",
                                 eng_body_label(world, i).text, "xyz"[k]);
    }
    return CAIRN_OK;
}

cairn_status cairn_world_set_cell(cairn_world *world, const cairn_cell_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    if (def->cookie != CELL_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the definition of a cell was not made by cairn_default_cell_def");
    if (world->state.clock.step_count > 0 || world->state.audit.started)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a cell is given before the first step; its rate may change later");
    bool any = false;
    for (int k = 0; k < 3; k++) {
        any = any || def->periodic[k];
        if (!(def->size[k] > 0.0 && def->size[k] < INFINITY) || !isfinite(def->low[k]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "side %c of the cell goes from %g m over %g m: it must be finite and "
                             "longer than 0",
                             "xyz"[k], def -> low[k], def -> size[k]);
    }
    if (!any)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a cell is periodic in one direction at least");
    double volume = def->size[0] * def->size[1] * def->size[2];
    if (!isnormal(volume))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the cell of %g x %g x %g m has a volume of %g m3, with which nothing can "
                         "be computed",
                         def->size[0], def->size[1], def->size[2], volume);
    BASE_TRY(check_planes(world, def->periodic, error));
    mat3 sides = mat3_diagonal(vec3_from(def->size));
    world->state.cell =
        (eng_cell){.any = true,
                   .watched = world->state.cell.watched,
                   .drive = {world->state.cell.drive[0], world->state.cell.drive[1],
                             world->state.cell.drive[2]},
                   .periodic = {def->periodic[0], def->periodic[1], def->periodic[2]},
                   .low = vec3_from(def->low),
                   .now = sides,
                   .middle = sides,
                   .unfolded = sides,
                   .inverse = mat3_inverse(&sides)};
    world->scratch.general.due = world->contacts.pairs.topology_changed = true;
    return cairn_world_set_cell_rate(world, def->rate, error);
}

cairn_status cairn_world_set_cell_rate(cairn_world *world, const double rate[9], cairn_error *error)
{
    if (world == NULL || rate == NULL)
        return base_fail_null(error, __func__);
    if (!world->state.cell.any)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "this world has no periodic cell");
    mat3 gradient;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double value = rate[3 * i + j];
            if (!isfinite(value) || fabs(value) * world->state.clock.step > 0.1)
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "the rate %g 1/s of the cell: a step may strain it by a tenth, "
                                 "which is %g 1/s",
                                 value, 0.1 / world->state.clock.step);
            if (value != 0.0 && (!world->state.cell.periodic[i] || !world->state.cell.periodic[j]))
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "the cell can strain in periodic directions alone, not along %c%c",
                                 "xyz"[i], "xyz"[j]);
            gradient.m[i][j] = value;
        }
    world->state.cell.gradient = gradient;
    return CAIRN_OK;
}

cairn_status cairn_world_get_cell(const cairn_world *world, cairn_cell_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const eng_cell *cell = &world->state.cell;
    *view = (cairn_cell_view){0};
    vec3_store(view->low, cell->low);
    for (int k = 0; k < 3; k++) {
        view->periodic[k] = cell->any && cell->periodic[k];
        vec3_store(view->sides[k], mat3_column(&cell->now, k));
        vec3_store(view->unfolded[k], mat3_column(&cell->unfolded, k));
        vec3_store(view->rate + 3 * k, mat3_row(&cell->gradient, k));
    }
    return CAIRN_OK;
}

void cairn_world_wrap(const cairn_world *world, const double position[3], double wrapped[3])
{
    if (world == NULL || position == NULL || wrapped == NULL)
        return;
    vec3 inside = eng_cell_wrap(world, vec3_from(position));
    vec3_store(wrapped, inside);
}
