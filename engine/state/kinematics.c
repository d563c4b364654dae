// SPDX-License-Identifier: Apache-2.0
// One body by itself: its motion over a step, velocities of points, energies.
#include "engine/state/kinematics.h"
#include "engine/state/rotation.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <string.h>

/// Applied torque in principal axes at the midpoint.
static vec3 midpoint_torque(const cairn_world *world, int body)
{
    vec3 torque = eng_applied_of(world, body)->torque;
    // most have none
    if (torque.x == 0.0 && torque.y == 0.0 && torque.z == 0.0)
        return (vec3){0.0, 0.0, 0.0};
    return quat_rotate_inverse(world->state.bodies.q_mid[body].orientation, torque);
}

// rad, turn in a step from which on that of RIG_IMP is not near enough to the free motion: energies
// would swing by a hundredth, and impacts make of them what they find
static const double far_turn = 0.3;

/// Whether a dynamic body that turns far in a step is to flow: explicit laws ask for steps in which
/// nothing turns far, and clumps of spheres under them have a kernel for RIG_IMP.
static bool may_flow(const cairn_world *world, int body)
{
    return world->model.bodies.rows[body].solid > 0 && world->model.def.rotation == CAIRN_RIG_IMP &&
           !eng_is_jointed(world, body);
}

/// Whether it turns so far at an angular velocity, and does.
static inline bool turns_far(const cairn_world *world, int body, vec3 omega)
{
    double h = world->state.clock.step, most = far_turn * far_turn;
    return world->scratch.rigid && h * h * vec3_norm_squared(omega) > most && may_flow(world, body);
}

double eng_body_lag(const cairn_world *world, double before, double after)
{
    double rate = 0.5 * (before + after);
    return rate != 0.0 ? eng_rotation_lag(rate, world->state.clock.step) : 0.0;
}

int eng_body_spin_axis(const cairn_world *world, int body)
{
    return world->scratch.spin_axis != NULL ? world->scratch.spin_axis[body] : -1;
}

static quat jointed_half_turn(const cairn_world *world, int body, vec3 omega)
{
    double h = world->state.clock.step;
    quat half = eng_rotation_mean_half(omega, h);
    int axis = eng_body_spin_axis(world, body);
    double rate = axis >= 0 ? vec3_get(omega, axis) : 0.0;
    if (rate == 0.0)
        return half;
    return quat_multiply(half, eng_rotation_about(axis, 0.5 * eng_rotation_lag(rate, h)));
}

/// From t_n to the midpoint.
static inline quat half_turn(const cairn_world *world, int body, vec3 omega)
{
    return eng_is_jointed(world, body) ? jointed_half_turn(world, body, omega)
                                       : eng_rotation_half(omega, world->state.clock.step);
}

pose eng_body_middle(const cairn_world *world, int body, double half, vec3 *omega)
{
    const double *v = world->state.bodies.v[body];
    const pose *q = &world->state.bodies.q[body];
    pose middle = {vec3_add_scaled(q->position, half, vec3_from(v)), q->orientation};
    *omega = vec3_from(v + 3);
    if (eng_flows(world, body))
        eng_rotation_flow(eng_inertia_of(world, body), &middle.orientation, omega, half);
    else if (eng_is_jointed(world, body) && half == 0.5 * world->state.clock.step)
        middle.orientation = eng_rotation_turn(q->orientation, half_turn(world, body, *omega));
    else
        middle.orientation = eng_rotation_advance(q->orientation, vec3_scale(half, *omega));
    return middle;
}

/// @param turning  with `half`, unless the body flows; out: the rest
static inline void find_free(const cairn_world *world, int body, double v_free[6],
                             eng_turning *turning)
{
    const eng_body *b = &world->model.bodies.rows[body];
    const double *v = world->state.bodies.v[body];
    double h = world->state.clock.step;
    vec3 g = vec3_from(world->model.def.gravity);
    vec3 acceleration = vec3_add_scaled(g, 1.0 / b->mass, eng_applied_of(world, body)->force);
    vec3_store(v_free, vec3_add_scaled(vec3_from(v), h, acceleration));
    vec3 J = eng_inertia_of(world, body), torque = midpoint_torque(world, body);
    vec3 omega = vec3_from(v + 3);
    if (eng_flows(world, body))
        turning->omega = eng_rotation_kick(J, omega, torque, h);
    else
        eng_rotation_begin(J, omega, torque, h, turning);
    vec3_store(v_free + 3, turning->omega);
}

void eng_body_free(const cairn_world *world, int body, double v_free[6])
{
    eng_turning turning;
    turning.half = half_turn(world, body, vec3_from(world->state.bodies.v[body] + 3));
    find_free(world, body, v_free, &turning);
}

void eng_body_begin(cairn_world *world, int body, eng_turning *turning)
{
    double half = 0.5 * world->state.clock.step, *v = world->state.bodies.v[body];
    pose *middle = &world->state.bodies.q_mid[body];
    vec3 omega;
    turning->before = vec3_from(v + 3);
    world->model.bodies.rows[body].flows = turns_far(world, body, turning->before);
    if (eng_flows(world, body)) {
        *middle = eng_body_middle(world, body, half, &omega);
        // what follows sees the velocity of the middle of the step, theory.md (1.10)
        vec3_store(v + 3, omega);
    } else {
        const pose *q = &world->state.bodies.q[body];
        turning->half = half_turn(world, body, vec3_from(v + 3));
        middle->position = vec3_add_scaled(q->position, half, vec3_from(v));
        middle->orientation = eng_rotation_turn(q->orientation, turning->half);
    }
    find_free(world, body, world->state.bodies.v_free[body], turning);
}

bool eng_body_is_thrown(const cairn_world *world, int body, const eng_state *state)
{
    static const double most = 0.1; // of the size
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    const double *v = world->state.bodies.v[body];
    double way = vec3_distance(vec3_from(state->v), vec3_from(v));
    if (shape->kind != GEO_SPHERE && isfinite(shape->bounding_radius))
        way += shape->bounding_radius * vec3_distance(vec3_from(state->v + 3), vec3_from(v + 3));
    double size = isfinite(shape->smallest_size) ? shape->smallest_size : 0.0;
    return way * world->state.clock.step > most * size;
}

void eng_body_take_back(const cairn_world *world, int body, const eng_turning *turning)
{
    if (turning->known && eng_flows(world, body))
        vec3_store(world->state.bodies.v[body] + 3, turning->before);
    world->model.bodies.rows[body].flows = 0;
}

/// The turn of a whole step.
/// @param omega_end  rad/s, that the contacts and joints were solved for
/// @param turned     out: rad/s at its end
static quat jointed_turn(const cairn_world *world, int body, vec3 momentum, vec3 omega_end,
                         vec3 *turned)
{
    vec3 omega = vec3_from(world->state.bodies.v[body] + 3);
    quat turn = eng_rotation_mean(eng_inertia_of(world, body), omega, momentum, omega_end,
                                  world->state.clock.step, turned);
    int axis = eng_body_spin_axis(world, body);
    double lag =
        axis >= 0 ? eng_body_lag(world, vec3_get(omega, axis), vec3_get(*turned, axis)) : 0.0;
    if (lag == 0.0)
        return turn;
    quat more = eng_rotation_about(axis, lag);
    *turned = quat_rotate_inverse(more, *turned);
    return quat_multiply(turn, more);
}

/// The end of a body that joints hold. @param impulse  N m s, midpoint principal axes
static void turn_jointed(const cairn_world *world, int body, const eng_turning *turning,
                         vec3 impulse, vec3 omega_end, pose *q, double v[6])
{
    vec3 turned, momentum = quat_rotate(turning->half, vec3_add(turning->momentum, impulse));
    quat turn = jointed_turn(world, body, momentum, omega_end, &turned);
    q->orientation = eng_rotation_turn(world->state.bodies.q[body].orientation, turn);
    vec3_store(v + 3, turned);
}

/// The end of one that turns as free bodies do from the middle on. @param omega  rad/s, there
static void flow_on(const cairn_world *world, int body, vec3 omega, pose *q, double v[6])
{
    q->orientation = world->state.bodies.q_mid[body].orientation;
    eng_rotation_flow(eng_inertia_of(world, body), &q->orientation, &omega,
                      0.5 * world->state.clock.step);
    vec3_store(v + 3, omega);
}

void eng_body_end(const cairn_world *world, int body, const eng_turning *turning,
                  const double v_end[6], pose *q, double v[6])
{
    double h = world->state.clock.step;
    cairn_rotation scheme = world->model.def.rotation;
    vec3 omega_end = vec3_from(v_end + 3), turned = omega_end;
    const pose *mid = &world->state.bodies.q_mid[body];
    q->position = vec3_add_scaled(mid->position, 0.5 * h, vec3_from(v_end));
    vec3_store(v, vec3_from(v_end));
    if (eng_flows(world, body)) {
        flow_on(world, body, turned, q, v);
        return;
    }
    quat turn;
    if (world->model.bodies.rows[body].kind == CAIRN_DYNAMIC) {
        // angular impulse of contacts, joints and torque over the step, midpoint principal axes
        vec3 inertia = eng_inertia_of(world, body), torque = midpoint_torque(world, body);
        eng_turning own;
        if (turning == NULL) {
            vec3 omega = vec3_from(world->state.bodies.v[body] + 3);
            own.half = half_turn(world, body, omega);
            eng_rotation_begin(inertia, omega, torque, h, &own);
            turning = &own;
        }
        vec3 gained = vec3_sub(omega_end, turning->omega);
        vec3 impulse = vec3_add_scaled(vec3_multiply(inertia, gained), h, torque);
        if (eng_is_jointed(world, body)) {
            turn_jointed(world, body, turning, impulse, omega_end, q, v);
            return;
        }
        // what an impact throws round goes on as it does
        if (world->scratch.rigid) {
            vec3 omega = vec3_add(turning->momentum, impulse);
            omega = vec3_make(omega.x / inertia.x, omega.y / inertia.y, omega.z / inertia.z);
            if (turns_far(world, body, omega)) {
                flow_on(world, body, omega, q, v);
                return;
            }
        }
        turned =
            eng_rotation_finish(scheme, inertia, turning->momentum, omega_end, impulse, h, &turn);
    } else {
        turn = eng_rotation_half(omega_end, h);
    }
    q->orientation = eng_rotation_turn(mid->orientation, turn);
    vec3_store(v + 3, turned);
}

void eng_mean_velocity(const cairn_world *world, int body, double mean[6])
{
    for (int k = 0; k < 6; k++)
        mean[k] = 0.5 * (world->state.bodies.v[body][k] + world->state.bodies.v_end[body][k]);
}

vec3 eng_point_velocity(const double v[6], const pose *q, vec3 point)
{
    vec3 omega = quat_rotate(q->orientation, vec3_from(v + 3));
    return vec3_add(vec3_from(v), vec3_cross(omega, vec3_sub(point, q->position)));
}

static bool has_images(const cairn_world *world, int body)
{
    return world->state.cell.any && isfinite(eng_reach_of(world, body));
}

vec3 eng_image_shift(const cairn_world *world, int body, vec3 point)
{
    if (!has_images(world, body))
        return vec3_make(0.0, 0.0, 0.0);
    return eng_cell_shift(&world->state.cell,
                          vec3_sub(point, world->state.bodies.q_mid[body].position));
}

vec3 eng_pair_shift(const cairn_world *world, int a, int b)
{
    if (!has_images(world, a))
        return vec3_make(0.0, 0.0, 0.0);
    return eng_image_shift(world, b, world->state.bodies.q_mid[a].position);
}

vec3 eng_image_point(const cairn_world *world, int body, vec3 point)
{
    return vec3_sub(point, eng_image_shift(world, body, point));
}

vec3 eng_image_drift(const cairn_world *world, int body, vec3 point)
{
    return mat3_apply(&world->state.cell.gradient, eng_image_shift(world, body, point));
}

vec3 eng_image_velocity(const cairn_world *world, int body, const double v[6], vec3 point)
{
    if (!world->state.cell.any)
        return eng_point_velocity(v, &world->state.bodies.q_mid[body], point);
    vec3 own = eng_point_velocity(v, &world->state.bodies.q_mid[body],
                                  eng_image_point(world, body, point));
    return vec3_add(own, eng_image_drift(world, body, point));
}

mat3 eng_point_mobility(const double inverse[6], const pose *q, const mat3 *frame, vec3 point)
{
    mat3 W = {0};
    vec3 arm = vec3_sub(point, q->position), turned[3];
    for (int i = 0; i < 3; i++)
        turned[i] = quat_rotate_inverse(q->orientation, vec3_cross(arm, mat3_row(frame, i)));
    for (int i = 0; i < 3; i++) {
        W.m[i][i] = inverse[0];
        for (int k = 0; k < 3; k++)
            W.m[i][k] += turned[i].x * inverse[3] * turned[k].x +
                         turned[i].y * inverse[4] * turned[k].y +
                         turned[i].z * inverse[5] * turned[k].z;
    }
    return W;
}

void eng_body_push(eng_world_state *state, int body, vec3 impulse, vec3 torque)
{
    const double *inverse = state->bodies.mass_inverse[body];
    vec3 turning = quat_rotate_inverse(state->bodies.q_mid[body].orientation, torque);
    for (int k = 0; k < 3; k++) {
        state->bodies.v_free[body][k] += inverse[k] * vec3_get(impulse, k);
        state->bodies.v_free[body][k + 3] += inverse[k + 3] * vec3_get(turning, k);
    }
}

double eng_body_kinetic_energy(const cairn_world *world, int body, const double v[6])
{
    vec3 linear = vec3_from(v), omega = vec3_from(v + 3);
    return 0.5 * world->model.bodies.rows[body].mass * vec3_dot(linear, linear) +
           0.5 * vec3_dot(omega, vec3_multiply(eng_inertia_of(world, body), omega));
}

double eng_body_potential_energy(const cairn_world *world, int body, const pose *q)
{
    return -world->model.bodies.rows[body].mass *
           vec3_dot(vec3_from(world->model.def.gravity), q->position);
}

void eng_body_energies(const cairn_world *world, int body, double *kinetic, double *fallen)
{
    bool dynamic = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
    vec3 g = vec3_from(world->model.def.gravity);
    *kinetic = dynamic ? eng_body_kinetic_energy(world, body, world->state.bodies.v[body]) : 0.0;
    *fallen = dynamic ? world->model.bodies.rows[body].mass *
                            vec3_dot(g, world->state.bodies.q[body].position)
                      : 0.0;
}

enum { ENERGY_CHUNK = 64 };

/// Energies of the bodies of a few chunks at a time.
typedef struct energy_context {
    const cairn_world *world;
    int first;
    double kinetic[CON_CHUNKS_MAX * ENERGY_CHUNK], potential[CON_CHUNKS_MAX * ENERGY_CHUNK];
} energy_context;

static void energy_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    energy_context *context = argument;
    for (int k = begin; k < end; k++) {
        int i = context->world->scratch.general.active[context->first + k];
        context->kinetic[k] = context->potential[k] = 0.0;
        if (!eng_is_elsewhere(context->world, i))
            eng_body_energies(context->world, i, &context->kinetic[k], &context->potential[k]);
    }
}

/// Energies of the bodies of a domain, J.
typedef struct energy_part {
    double kinetic, potential;
} energy_part;

/// The part that a body is added to: that of its domain, or the last one.
static int part_of(const eng_cut *cut, int body)
{
    bool has = cut->levels > 0 && body < cut->body_count && cut->of_body[body] >= 0;
    return has ? cut->of_body[body] : CON_DOMAIN_TASKS_MAX;
}

/// Adds a body to the part of its domain.
/// @param k       of `active`
/// @param fallen  J, minus the potential energy
static void add_energies(const cairn_world *world, int k, double kinetic, double fallen,
                         energy_part *parts)
{
    energy_part *part = &parts[part_of(&world->contacts.cut, world->scratch.general.active[k])];
    part->kinetic += kinetic;
    part->potential -= fallen;
}

void eng_energies_general(const cairn_world *world, double *kinetic, double *potential)
{
    energy_context context;
    energy_part parts[CON_DOMAIN_TASKS_MAX + 1] = {0};
    context.world = world;
    context.first = 0;
    // as the bodies were moved: one after the other, as below
    for (int k = 0;
         world->scratch.moved_energies != NULL && k < world->scratch.general.active_count; k++)
        add_energies(world, k, world->scratch.moved_energies[k][0],
                     world->scratch.moved_energies[k][1], parts);
    while (world->scratch.moved_energies == NULL &&
           context.first < world->scratch.general.active_count) {
        int left = world->scratch.general.active_count - context.first,
            count = BASE_COUNT(context.kinetic);
        count = left < count ? left : count;
        base_parallel_for(world->model.workers, count, ENERGY_CHUNK, energy_chunk, &context);
        // one after the other: the sum does not depend on chunks
        for (int k = 0; k < count; k++)
            add_energies(world, context.first + k, context.kinetic[k], context.potential[k], parts);
        context.first += count;
    }
    // the first tasks are those of the domains
    if (world->state.elsewhere != NULL)
        con_domains_tasks_sum(&world->contacts.domains, (con_rows){parts, sizeof *parts});
    *kinetic = parts[CON_DOMAIN_TASKS_MAX].kinetic;
    *potential = parts[CON_DOMAIN_TASKS_MAX].potential;
    for (int domain = 0; domain < 1 << world->contacts.cut.levels && world->contacts.cut.levels > 0;
         domain++) {
        *kinetic += parts[domain].kinetic;
        *potential += parts[domain].potential;
    }
}

void eng_solver_rows_fill(cairn_world *world)
{
    for (int k = 0; k < world->scratch.general.active_count && world->scratch.solve.row != NULL;
         k++)
        memcpy(world->scratch.solve.v_free[k],
               world->state.bodies.v_free[world->scratch.general.active[k]],
               sizeof world->scratch.solve.v_free[k]);
}

bool eng_bounces(const cairn_world *world, int a, int b, double restitution, double speed)
{
    const double digits = 1e-12;
    double h = world->state.clock.step;
    double size = fmin(world->model.shapes.rows[world->model.bodies.rows[a].shape]->smallest_size,
                       world->model.shapes.rows[world->model.bodies.rows[b].shape]->smallest_size);
    double least = 4.0 * h * vec3_norm(vec3_from(world->model.def.gravity));
    least = fmax(least, isfinite(size) ? digits * size / h : 0.0);
    least = fmax(least, digits * (vec3_norm(vec3_from(world->state.bodies.v[a])) +
                                  vec3_norm(vec3_from(world->state.bodies.v[b]))));
    return restitution > 0.0 && fabs(speed) > least;
}

bool eng_contact_bore(const cairn_world *world, const eng_contacts *contacts, int contact)
{
    const double digits = 1e-12;
    const int *body = contacts->body[contact];
    double R = contacts->R[contact][0], inverse = 0.0, size = INFINITY;
    for (int side = 0; side < 2; side++) {
        inverse = fmax(inverse, world->state.bodies.mass_inverse[body[side]][0]);
        size = fmin(
            size,
            world->model.shapes.rows[world->model.bodies.rows[body[side]].shape]->smallest_size);
    }
    double moved = world->state.clock.step * inverse * R;
    return isfinite(size) ? moved > digits * size : R > 0.0;
}

bool eng_contact_bounces(const cairn_world *world, int contact, double restitution)
{
    const eng_contacts *c = &world->contacts.set;
    if (c->gap[contact] <= 0.0 || !world->model.def.margin)
        return true;
    return world->model.def.impact == CAIRN_IMPACT_NEWTON &&
           eng_bounces(world, c->body[contact][0], c->body[contact][1], restitution,
                       c->V[contact][0]);
}
