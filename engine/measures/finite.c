// SPDX-License-Identifier: Apache-2.0
// The first value of a world that is not finite.
#include "engine/measures/finite.h"
#include "engine/bodies/body_state.h"
#include "engine/measures/energy.h"
#include "engine/pairs/sharing.h"
#include "engine/state/blocks.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/joints/joints.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

eng_label eng_body_label(const cairn_world *world, int body)
{
    eng_label label;
    const char *name = body >= 0 ? eng_extra_of(world, body).name : NULL;
    if (body < 0)
        snprintf(label.text, sizeof label.text, "the world");
    else if (name != NULL)
        snprintf(label.text, sizeof label.text, "body %d (\"%.60s\")", body, name);
    else
        snprintf(label.text, sizeof label.text, "body %d", body);
    return label;
}

eng_label eng_body_title(const cairn_world *world, cairn_body_id body)
{
    eng_label label;
    cairn_body_view view;
    if (cairn_body_get(world, body, &view) == CAIRN_OK && view.name[0] != '\0')
        snprintf(label.text, sizeof label.text, "\"%.60s\"", view.name);
    else
        snprintf(label.text, sizeof label.text, "body %" PRIu32, body.index);
    return label;
}

static eng_label joint_label(const cairn_world *world, int index)
{
    eng_label label;
    const eng_joint *joint = &world->model.joints.rows[index];
    if (joint->name != NULL)
        snprintf(label.text, sizeof label.text, "joint %d (\"%.60s\")", index, joint->name);
    else
        snprintf(label.text, sizeof label.text, "joint %d", index);
    return label;
}

static bool all_finite(const double *values, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

/// "step 12, t = 0.05 s: WHOSE WHAT".
static cairn_status fail(const cairn_world *world, const char *whose, const char *what,
                         cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_NONFINITE, "step %" PRId64 ", t = %g s: %s %s",
                     world->state.clock.step_count + 1, world->state.clock.time, whose, what);
}

/// Whether a column of bodies has numbers that could end up not finite: what steps carry over,
/// where the world has it. What held a body is finite where its velocity is.
static bool must_be_finite(const cairn_world *world, int column)
{
    const eng_column *c = eng_body_column(column);
    return (c->flags & ENG_HASHED) != 0 && c->scalar == ENG_REAL && column != ENG_BODY_held &&
           world->state.bodies.data[column] != NULL;
}

static bool is_finite_body(const cairn_world *world, int body)
{
    bool finite = true;
    for (int column = 0; column < ENG_BODY_COLUMN_COUNT && finite; column++) {
        double value[ENG_BODY_WIDTH_MAX];
        if (!must_be_finite(world, column))
            continue;
        eng_body_value(world, column, body, value);
        finite = all_finite(value, eng_body_column(column)->width);
    }
    return finite;
}

/// A look at many rows at once; where it finds something, another one says what it is.
typedef struct glance {
    const cairn_world *world;
    atomic_bool found;
} glance;

static void glance_bodies(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    glance *look = argument;
    const cairn_world *world = look->world;
    for (int column = 0; column < ENG_BODY_COLUMN_COUNT; column++) {
        const eng_column *c = eng_body_column(column);
        const double(*rows)[1] = world->state.bodies.data[column];
        if (!must_be_finite(world, column))
            continue;
        // zero times a number is zero if it is finite and else not a number
        double sum = 0.0;
        for (int k = begin; k < end; k++) {
            const double *row = rows[(size_t)world->scratch.general.active[k] * (size_t)c->width];
            for (int i = 0;
                 i < c->width && !eng_is_elsewhere(world, world->scratch.general.active[k]); i++)
                sum += 0.0 * row[i];
        }
        if (isnan(sum))
            atomic_store_explicit(&look->found, true, memory_order_relaxed);
    }
}

static void glance_contacts(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    glance *look = argument;
    eng_columns columns = eng_contacts_columns((eng_contacts *)&look->world->contacts.set);
    if (!eng_columns_are_finite(columns, begin, end))
        atomic_store_explicit(&look->found, true, memory_order_relaxed);
}

/// Whether bodies of the general passes and contacts are finite, by all threads.
static bool are_general_finite(const cairn_world *world)
{
    glance look = {.world = world};
    base_parallel_for(world->model.workers, world->scratch.general.count, ENG_BODY_CHUNK,
                      glance_bodies, &look);
    con_domains_each(&world->contacts.domains, world->model.workers, world->contacts.set.count,
                     ENG_BODY_CHUNK, glance_contacts, &look);
    bool found = con_team_any(&world->contacts.domains, atomic_load(&look.found));
    // then all processes look for it
    return !found || (eng_sharing_is_active(world) && eng_sharing_gather(world, false) != CAIRN_OK);
}

/// @param all  those with particle slots too
static cairn_status check_bodies(const cairn_world *world, bool all, cairn_error *error)
{
    int count = all ? world->model.bodies.count : world->scratch.general.count;
    for (int k = 0; k < count; k++) {
        int i = all ? k : world->scratch.general.active[k];
        if (is_finite_body(world, i))
            continue;
        const eng_state state = eng_state_of(world, i);
        char what[160];
        locale_t before = base_plain_begin();
        snprintf(what, sizeof what, "has a state that is not finite (velocity %g %g %g m/s)",
                 state.v[0], state.v[1], state.v[2]);
        base_plain_end(before);
        return fail(world, eng_body_label(world, i).text, what, error);
    }
    return CAIRN_OK;
}

static cairn_status check_contacts(const cairn_world *world, cairn_error *error)
{
    int row = 0;
    const eng_contacts *c = &world->contacts.set;
    const eng_column *column =
        eng_columns_find_nonfinite(eng_contacts_columns((eng_contacts *)c), c->count, &row);
    if (column == NULL)
        return CAIRN_OK;
    char whose[240], what[96];
    snprintf(whose, sizeof whose, "the contact of %s and %s",
             eng_body_label(world, c->body[row][0]).text,
             eng_body_label(world, c->body[row][1]).text);
    snprintf(what, sizeof what, "has a value that is not finite (%s)", column->name);
    return fail(world, whose, what, error);
}

static cairn_status check_connectors(const cairn_world *world, cairn_error *error)
{
    for (int i = 0; i < world->model.connectors.count; i++) {
        const eng_connector *connector = &world->model.connectors.rows[i];
        char whose[96];
        if (all_finite((const double *)&world->state.connectors.rows[i], ENG_CONNECTOR_STATE_WIDTH))
            continue;
        snprintf(whose, sizeof whose, "connector %d (\"%.60s\")", i,
                 connector->name != NULL ? connector->name : "");
        return fail(world, whose, "has a state that is not finite", error);
    }
    return CAIRN_OK;
}

static cairn_status check_joints(const cairn_world *world, cairn_error *error)
{
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint_state *state = &world->state.joints.rows[i];
        const char *what = !isfinite(state->coordinate) ? "has a coordinate that is not finite"
                           : !isfinite(state->effort)   ? "has an effort that is not finite"
                           : !vec3_is_finite(state->impulse) || !vec3_is_finite(state->moment)
                               ? "has a reaction that is not finite"
                               : NULL;
        if (what != NULL)
            return fail(world, joint_label(world, i).text, what, error);
    }
    return CAIRN_OK;
}

static cairn_status check_energy(const cairn_world *world, cairn_error *error)
{
    const cairn_energy booked = eng_energy_booked(world), *e = &booked;
    const struct {
        const char *name;
        double value;
    } terms[] = {{"kinetic energy", e->kinetic},
                 {"potential energy", e->potential},
                 {"elastic energy", e->elastic},
                 {"work of drivers", e->drivers},
                 {"work of the position correction", e->correction},
                 {"work of joints", e->joints},
                 {"dissipation of impacts", e->impact},
                 {"dissipation of friction", e->friction},
                 {"dissipation of damping", e->damping},
                 {"plastic dissipation", e->plastic},
                 {"energy balance", e->residual}};
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        if (!isfinite(terms[i].value))
            return fail(world, terms[i].name,
                        "is not finite: positions or velocities are too large for it", error);
    return CAIRN_OK;
}

cairn_status eng_finite_check(const cairn_world *world, bool all, cairn_error *error)
{
    // in a step no other thread may read the world: its own are free to look
    bool finite = !all && are_general_finite(world);
    cairn_status status = finite ? CAIRN_OK : check_bodies(world, all, error);
    if (status == CAIRN_OK && !finite)
        status = check_contacts(world, error);
    if (status == CAIRN_OK)
        status = check_connectors(world, error);
    if (status == CAIRN_OK)
        status = check_joints(world, error);
    return status == CAIRN_OK ? check_energy(world, error) : status;
}

/// Largest entry of g(q), m or 1; infinite where one is not finite.
static double violation(const cairn_world *world, const eng_joint *joint)
{
    pose q[2];
    eng_joint_rows rows;
    double most = 0.0;
    for (int side = 0; side < 2; side++)
        q[side] =
            joint->body[side] >= 0 ? eng_state_of(world, joint->body[side]).q : pose_identity();
    eng_joint_evaluate(joint, q, &rows);
    for (int k = 0; k < rows.count; k++)
        most = isfinite(rows.g[k]) ? fmax(most, fabs(rows.g[k])) : INFINITY;
    return most;
}

cairn_status eng_finite_explain(const cairn_world *world, const char *pass, cairn_error *error)
{
    BASE_TRY(eng_finite_check(world, true, error));
    int worst = -1;
    double most = -1.0;
    for (int i = 0; i < world->model.joints.count; i++) {
        double off = violation(world, &world->model.joints.rows[i]);
        if (off > most) {
            most = off;
            worst = i;
        }
    }
    if (worst < 0)
        return base_fail(error, CAIRN_ERROR_NONFINITE,
                         "step %" PRId64 ", t = %g s: %s met a value that is not finite",
                         world->state.clock.step_count + 1, world->state.clock.time, pass);
    const eng_joint *joint = &world->model.joints.rows[worst];
    return base_fail(error, CAIRN_ERROR_NONFINITE,
                     "step %" PRId64 ", t = %g s: %s met a value that is not finite; %s of %s and "
                     "%s is the likely cause (off by %.3g)",
                     world->state.clock.step_count + 1, world->state.clock.time, pass,
                     joint_label(world, worst).text, eng_body_label(world, joint->body[0]).text,
                     eng_body_label(world, joint->body[1]).text, most);
}

int eng_finite_worst_contact(const cairn_world *world)
{
    const eng_contacts *c = &world->contacts.set;
    int worst = 0;
    double most = -1.0;
    for (int i = 0; i < c->cone_count; i++) {
        double size = fabs(c->V[i][0]) + fabs(c->V[i][1]) + fabs(c->V[i][2]);
        if (!isfinite(size + c->gap[i]))
            return i;
        if (size > most) {
            most = size;
            worst = i;
        }
    }
    return worst;
}
