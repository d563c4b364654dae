// SPDX-License-Identifier: Apache-2.0
// What a step left behind: contacts, forces on bodies, penetration, state hash, FCLIB.
#include "engine/measures/readout.h"
#include "engine/bodies/body_state.h"
#include "engine/joints/joints.h"
#include "engine/pairs/connectors.h"
#include "engine/state/actions.h"
#include "engine/state/blocks.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/hash.h"
#include "contact/fclib/fclib.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"

#include <stdlib.h>
#include <string.h>

const double *cairn_world_get_residuals(const cairn_world *world, int *count)
{
    if (world == NULL || count == NULL)
        return NULL;
    *count = world->report.residual_count;
    return world->report.residuals;
}

int cairn_contact_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->contacts.set.count + eng_spheres_contact_count(world);
}

/// A contact with no reaction is open; one that slides does so faster than the certificate's noise.
static cairn_contact_status status_of(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    const double *R = c->R[i], *U = c->U[i];
    double traction = sqrt(R[1] * R[1] + R[2] * R[2]);
    if (R[0] <= 0.0 && traction == 0.0)
        return CAIRN_CONTACT_OPEN;
    if (i >= c->cone_count)
        return traction > 0.0 && sqrt(U[1] * U[1] + U[2] * U[2]) > 1e-6 ? CAIRN_CONTACT_SLIDING
                                                                        : CAIRN_CONTACT_STICKING;
    const eng_surface *surface = &world->model.materials.surfaces[c->surface[i]];
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    double limit = terms.friction * R[0];
    return traction >= limit * (1.0 - 1e-9) && sqrt(U[1] * U[1] + U[2] * U[2]) > 0.0
               ? CAIRN_CONTACT_SLIDING
               : CAIRN_CONTACT_STICKING;
}

cairn_status cairn_contact_get(const cairn_world *world, int i, cairn_contact_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_contact_view){0};
    if (i < 0 || i >= cairn_contact_count(world))
        return CAIRN_ERROR_NOT_FOUND;
    const eng_contacts *c = &world->contacts.set;
    if (i >= c->count && !eng_spheres_has_pairs(world))
        return CAIRN_ERROR_NOT_FOUND;
    if (i >= c->count) {
        eng_spheres_contact_view(world, i - c->count, view);
        return CAIRN_OK;
    }
    *view = (cairn_contact_view){
        .a = eng_body_id(world, c->body[i][0]),
        .b = eng_body_id(world, c->body[i][1]),
        .gap = c->gap[i],
        .status = status_of(world, i),
        .key = c->key[i],
    };
    vec3 impulse = mat3_apply_transposed(&c->frame[i], vec3_from(c->R[i]));
    vec3_store(view->point, c->point[i]);
    vec3_store(view->normal, mat3_row(&c->frame[i], 0));
    vec3_store(view->impulse, impulse);
    vec3_store(view->force, vec3_scale(1.0 / world->state.clock.step, impulse));
    memcpy(view->velocity, c->U[i], sizeof view->velocity);
    return CAIRN_OK;
}

/// What a contact of the general passes gives one of its bodies: adds force (N) and torque about
/// `centre` (N m).
static void push_body(const cairn_world *world, int i, bool on_b, vec3 centre, vec3 *force,
                      vec3 *torque)
{
    const eng_contacts *c = &world->contacts.set;
    double per_second = 1.0 / world->state.clock.step;
    vec3 impulse = mat3_apply_transposed(&c->frame[i], vec3_from(c->R[i]));
    impulse = vec3_scale((on_b ? 1.0 : -1.0) * per_second, impulse);
    *force = vec3_add(*force, impulse);
    vec3 point = eng_image_point(world, c->body[i][on_b], eng_contact_place(world, i, on_b));
    *torque = vec3_add(*torque, vec3_cross(vec3_sub(point, centre), impulse));
    *torque = vec3_add_scaled(*torque, per_second, vec3_from(c->couple[i] + (on_b ? 3 : 0)));
}

void eng_contact_forces(const cairn_world *world, bool torques, double (*given)[3])
{
    const eng_contacts *c = &world->contacts.set;
    const eng_slots *slots = &world->model.ids.body;
    memset(given, 0, (size_t)slots->live_count * sizeof *given);
    for (int i = 0; i < 2 * c->count; i++) {
        int body = c->body[i / 2][i % 2], place = eng_slots_place(slots, body);
        if (place < 0)
            continue;
        vec3 sums[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        sums[torques] = vec3_from(given[place]);
        push_body(world, i / 2, i % 2 == 1, eng_middle_of(world, body).position, &sums[0],
                  &sums[1]);
        vec3_store(given[place], sums[torques]);
    }
    for (int place = 0; place < slots->live_count; place++) {
        int body = eng_slots_at(slots, place);
        vec3 sums[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        sums[torques] = vec3_from(given[place]);
        eng_connectors_add_force(world, body, &sums[0], &sums[1]);
        eng_spheres_add_force(world, body, &sums[0], &sums[1]);
        vec3_store(given[place], sums[torques]);
    }
}

/// Of what is no particle.
static void add_general(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    const eng_contacts *c = &world->contacts.set;
    vec3 centre = eng_middle_of(world, body).position;
    for (int i = 0; i < c->count; i++)
        if (c->body[i][0] == body || c->body[i][1] == body)
            push_body(world, i, c->body[i][1] == body, centre, force, torque);
    eng_connectors_add_force(world, body, force, torque);
}

vec3 eng_contact_force_on(const cairn_world *world, int body)
{
    vec3 force = {0.0, 0.0, 0.0}, torque = force;
    add_general(world, body, &force, &torque);
    eng_spheres_add_force(world, body, &force, NULL);
    return force;
}

cairn_status cairn_body_get_contact_force(const cairn_world *world, cairn_body_id body,
                                          double force[3], double torque[3])
{
    if (world == NULL || force == NULL || torque == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(eng_body_check(world, body));
    vec3 f = {0.0, 0.0, 0.0}, t = f;
    add_general(world, (int)body.index, &f, &t);
    eng_spheres_add_force(world, (int)body.index, &f, &t);
    vec3_store(force, f);
    vec3_store(torque, t);
    return CAIRN_OK;
}

/// Penetration of one contact at the end of the step, m, by the gap's rate along its normal and the
/// displacement of the correction, theory.md (7.2).
static double penetration_of(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    double gap = c->gap[i] + 0.5 * world->state.clock.step * c->U[i][0];
    if (!world->report.corrected)
        return real_max(-gap, 0.0);
    vec3 normal = mat3_row(&c->frame[i], 0);
    for (int side = 0; side < 2; side++) {
        int body = c->body[i][side];
        vec3 moved = eng_point_velocity(
            world->state.bodies.correction[body], &world->state.bodies.q_mid[body],
            eng_image_point(world, body, eng_contact_place(world, i, side)));
        gap += (side == 0 ? -1.0 : 1.0) * vec3_dot(normal, moved);
    }
    return real_max(-gap, 0.0);
}

/// Penetration and number of bearing contacts of a chunk.
typedef struct report_part {
    int active;
    double penetration, relative;
    double fastest, left; // m/s, closing freely and after the solve
    bool driven;          // a body that moves as prescribed takes part in the problem
} report_part;

typedef struct report_context {
    const cairn_world *world;
    report_part part[CON_CHUNKS_MAX];
} report_context;

static void report_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    report_context *context = argument;
    const cairn_world *world = context->world;
    const eng_contacts *c = &world->contacts.set;
    report_part part = {0};
    for (int i = begin; i < end; i++) {
        part.active += c->R[i][0] != 0.0;
        if (i < world->scratch.solve.problem.contact_count &&
            world->scratch.solve.solution_U != NULL) {
            part.fastest = real_max(-world->scratch.solve.problem.q[i][0], part.fastest);
            part.left = real_max(-world->scratch.solve.solution_U[i][0], part.left);
            for (int side = 0; side < 2; side++)
                part.driven |= world->model.bodies.rows[c->body[i][side]].kind == CAIRN_MOVING;
        }
        double size = real_min(
            world->model.shapes.rows[world->model.bodies.rows[c->body[i][0]].shape]->smallest_size,
            world->model.shapes.rows[world->model.bodies.rows[c->body[i][1]].shape]->smallest_size);
        double depth = penetration_of(world, i);
        part.penetration = real_max(depth, part.penetration);
        if (isfinite(size))
            part.relative = real_max(depth / size, part.relative);
    }
    context->part[chunk] = part;
}

static void add_report(void *sum, const void *part)
{
    report_part *total = sum;
    const report_part *more = part;
    total->active += more->active;
    total->driven |= more->driven;
    total->penetration = real_max(more->penetration, total->penetration);
    total->relative = real_max(more->relative, total->relative);
    total->fastest = real_max(more->fastest, total->fastest);
    total->left = real_max(more->left, total->left);
}

void eng_report_contacts(cairn_world *world)
{
    report_context context;
    const report_part *total = context.part;
    cairn_step_report *report = &world->report.step;
    context.world = world;
    context.part[0] = (report_part){0};
    con_domains_sum(&world->contacts.domains, world->contacts.set.count, report_chunk, &context,
                    (con_rows){context.part, sizeof *context.part}, add_report);
    world->scratch.solve.closing_fastest = total->fastest;
    world->scratch.solve.closing_left = total->left;
    world->scratch.solve.contacts_driven = total->driven;
    report->active += total->active;
    report->penetration = fmax(report->penetration, total->penetration);
    report->penetration_relative = fmax(report->penetration_relative, total->relative);
}

/// Column by column of the live bodies.
static uint64_t hash_bodies(const cairn_world *world, uint64_t hash)
{
    for (int column = 0; column < ENG_BODY_COLUMN_COUNT; column++) {
        if ((eng_body_column(column)->flags & ENG_HASHED) == 0)
            continue;
        for (int i = 0; i < world->model.bodies.count; i++) {
            double value[ENG_BODY_WIDTH_MAX];
            if (!eng_body_is_live(world, i))
                continue;
            eng_body_value(world, column, i, value);
            hash = base_hash_words(hash, value, eng_body_column(column)->width);
        }
        hash = base_hash_bytes(hash, NULL, 0);
    }
    return hash;
}

uint64_t cairn_world_get_hash(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    uint64_t hash = base_hash_bytes(BASE_HASH_START, &world->state.clock.step_count,
                                    sizeof world->state.clock.step_count);
    if (world->model.bodies.count > 0)
        hash = hash_bodies(world, hash);
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint_state *state = &world->state.joints.rows[i];
        hash = base_hash_bytes(hash, &state->coordinate, sizeof state->coordinate);
        hash = base_hash_bytes(hash, state->part, sizeof state->part);
        hash = base_hash_bytes(hash, &state->impulse, sizeof state->impulse);
        hash = base_hash_bytes(hash, &state->moment, sizeof state->moment);
    }
    eng_contacts contacts = world->contacts.set;
    hash = eng_columns_hash(eng_contacts_columns(&contacts), contacts.count, hash);
    hash = eng_spheres_hash(world, hash);
    if (world->state.cell.any)
        hash = base_hash_bytes(hash, &world->state.cell.now, sizeof world->state.cell.now);
    if (world->model.connectors.count > 0)
        hash = base_hash_bytes(hash, world->state.connectors.rows,
                               (size_t)world->model.connectors.count *
                                   sizeof *world->state.connectors.rows);
    return eng_actions_hash(world, hash);
}

cairn_status cairn_world_write_fclib(const cairn_world *world, const char *path,
                                     cairn_fclib_form form, const char *title,
                                     const char *description, cairn_error *error)
{
    if (world == NULL || path == NULL)
        return base_fail_null(error, __func__);
    if ((unsigned)form > CAIRN_FCLIB_GLOBAL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is no form %d of FCLIB files",
                         (int)form);
    if (world->scratch.solve.problem.contact_count == 0 || world->scratch.solve.solved == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the last step had no contact of the implicit law, and so no problem");
    con_fclib_info info = {title, description, ""};
    const eng_rolling *rolling = world->scratch.solve.rolling;
    if (rolling != NULL)
        return con_fclib_write(path, form == CAIRN_FCLIB_LOCAL ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
                               &rolling->problem, (const double(*)[3])rolling->guess,
                               (const double(*)[3])rolling->R, (const double(*)[3])rolling->U,
                               &info, world->scratch.arena, error);
    return con_fclib_write(
        path, form == CAIRN_FCLIB_LOCAL ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
        world->scratch.solve.solved, (const double(*)[3])world->scratch.solve.guess,
        (const double(*)[3])world->scratch.solve.solved_R,
        (const double(*)[3])world->scratch.solve.solution_U, &info, world->scratch.arena, error);
}
