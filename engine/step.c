// SPDX-License-Identifier: Apache-2.0
// The step: a list of timed blocks.
#include "engine/world.h"

#include "base/timer.h"
#include "engine/lane.h"
#include "engine/rotation.h"

#include <inttypes.h>
#include <string.h>

enum { BODY_CHUNK = 128 };

static void midpoint_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    double half = 0.5 * world->def.time_step;
    for (int i = begin; i < end; i++) {
        if (world->bodies[i].kind == CAIRN_FIXED) {
            world->q_mid[i] = world->q[i];
            continue;
        }
        const double *v = world->v[i];
        world->q_mid[i].position = vec3_add_scaled(world->q[i].position, half, vec3_from(v));
        world->q_mid[i].orientation =
            eng_rotation_advance(world->q[i].orientation, vec3_scale(half, vec3_from(v + 3)));
    }
}

void eng_block_midpoint(cairn_world *world)
{
    base_parallel_for(world->workers, world->body_count, BODY_CHUNK, midpoint_chunk, world);
}

/// Applied torque in principal axes at the midpoint.
static vec3 midpoint_torque(const cairn_world *world, int body)
{
    return quat_rotate_inverse(world->q_mid[body].orientation, world->bodies[body].torque);
}

static void free_velocity_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    double h = world->def.time_step;
    vec3 g = vec3_from(world->def.gravity);
    for (int i = begin; i < end; i++) {
        const eng_body *body = &world->bodies[i];
        if (body->kind != CAIRN_DYNAMIC) {
            memcpy(world->v_free[i], world->v[i], sizeof world->v[i]);
            continue;
        }
        vec3 acceleration = vec3_add_scaled(g, 1.0 / body->mass, body->force);
        vec3 linear = vec3_add_scaled(vec3_from(world->v[i]), h, acceleration);
        vec3 angular = eng_rotation_free(body->inertia, vec3_from(world->v[i] + 3),
                                         midpoint_torque(world, i), h);
        vec3_store(world->v_free[i], linear);
        vec3_store(world->v_free[i] + 3, angular);
    }
}

void eng_block_free_velocity(cairn_world *world)
{
    base_parallel_for(world->workers, world->body_count, BODY_CHUNK, free_velocity_chunk, world);
}

/// Total residual, iterations and stop reason of the implicit problem go to the report.
static cairn_status solve_problem(cairn_world *world, cairn_error *error)
{
    con_control control = {
        .tolerance = world->def.tolerance,
        .scaled_weight = world->def.scaled_weight,
        .max_iterations = world->def.max_iterations,
        .time_limit = world->def.time_limit,
        .workers = world->workers,
        .local = world->local.plugin,
        .local_settings = world->local.settings,
    };
    con_report report;
    double start = base_timer_seconds();
    cairn_status status =
        con_solve(world->solver.plugin, world->solver.settings, &world->problem, &control,
                  world->contacts.R, world->solution_U, &report, world->arena);
    if (status != CAIRN_OK)
        return base_fail(error, status, "step %" PRId64 ", t = %g s: the solver failed: %s",
                         world->step_count + 1, world->time, cairn_status_text(status));
    world->report.stop = con_stop_name(report.stop);
    world->report.iterations = report.iterations;
    world->report.error = report.error;
    world->report.error_scaled = report.error_scaled;
    world->report.seconds[CAIRN_PHASE_solver] = report.seconds;
    world->report.seconds[CAIRN_PHASE_certificate] = base_timer_seconds() - start - report.seconds;
    return CAIRN_OK;
}

cairn_status eng_block_solver(cairn_world *world, cairn_error *error)
{
    int n = world->problem.contact_count;
    if (n == 0)
        return CAIRN_OK;
    world->guess =
        (double(*)[3])base_arena_allocate(world->arena, "guess", (size_t)n, sizeof *world->guess);
    world->solution_U = (double(*)[3])base_arena_allocate(world->arena, "solution velocity",
                                                          (size_t)n, sizeof *world->solution_U);
    if (world->guess == NULL || world->solution_U == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory in a step");
    memcpy(world->guess, world->contacts.R, (size_t)n * sizeof *world->guess);
    return solve_problem(world, error);
}

/// v_end = v_free + M^-1 H^T R over the implicit contacts (explicit ones are in v_free already).
static void apply_reactions(cairn_world *world)
{
    int bodies = world->body_count;
    if (world->problem.contact_count > 0)
        con_apply_impulses(&world->problem, (const double(*)[3])world->contacts.R, world->v_end);
    else
        memcpy(world->v_end, world->v_free, (size_t)bodies * sizeof *world->v_end);
}

/// U of all contacts: the solver's without the shift, H v_end for those of explicit laws.
static void update_velocities(cairn_world *world)
{
    const eng_contacts *c = &world->contacts;
    if (c->cone_count < c->count) {
        con_problem all = world->problem;
        all.contact_count = c->count;
        con_apply_H(&all, (const double(*)[6])world->v_end, world->problem.w, c->U);
    }
    for (int i = 0; i < c->cone_count; i++) {
        memcpy(c->U[i], world->solution_U[i], sizeof c->U[i]);
        c->U[i][0] -= world->shift[i];
    }
}

/// Angular impulse of contacts and torque on a body over the step, midpoint principal axes.
static vec3 angular_impulse(const cairn_world *world, int body, vec3 free_without_contacts)
{
    vec3 gained = vec3_sub(vec3_from(world->v_end[body] + 3), free_without_contacts);
    return vec3_multiply(world->bodies[body].inertia, gained);
}

/// Angular velocity at the end of the step, theory.md section 3.
static vec3 end_rotation(const cairn_world *world, int i)
{
    double h = world->def.time_step;
    const eng_body *body = &world->bodies[i];
    vec3 omega = vec3_from(world->v[i] + 3), omega_end = vec3_from(world->v_end[i] + 3);
    if (body->kind != CAIRN_DYNAMIC)
        return omega_end;
    vec3 torque = midpoint_torque(world, i);
    vec3 free = eng_rotation_free(body->inertia, omega, torque, h);
    vec3 impulse = vec3_add_scaled(angular_impulse(world, i, free), h, torque);
    return eng_rotation_end(world->def.rotation, body->inertia, omega, omega_end, impulse, h);
}

typedef struct move_context {
    cairn_world *world;
    pose *q;
} move_context;

static void move_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const move_context *context = argument;
    cairn_world *world = context->world;
    double h = world->def.time_step;
    for (int i = begin; i < end; i++) {
        if (world->bodies[i].kind == CAIRN_FIXED)
            continue;
        vec3 turned = end_rotation(world, i);
        // RIG_NEG turns with the velocity the contacts were solved for, RIG_IMP with the final one
        vec3 turn = world->def.rotation == CAIRN_RIG_IMP ? turned : vec3_from(world->v_end[i] + 3);
        context->q[i].position =
            vec3_add_scaled(world->q_mid[i].position, 0.5 * h, vec3_from(world->v_end[i]));
        context->q[i].orientation =
            eng_rotation_advance(world->q_mid[i].orientation, vec3_scale(0.5 * h, turn));
        memcpy(world->v[i], world->v_end[i], 3 * sizeof(double));
        vec3_store(world->v[i] + 3, turned);
    }
}

/// q_{n+1} from the midpoint and the end velocities; the velocities become those of t_{n+1}.
static void move_to_end(cairn_world *world, pose *q)
{
    move_context context = {world, q};
    base_parallel_for(world->workers, world->body_count, BODY_CHUNK, move_chunk, &context);
}

cairn_status eng_block_end(cairn_world *world)
{
    apply_reactions(world);
    update_velocities(world);
    eng_energy_contacts(world);
    move_to_end(world, world->q);
    double potential = eng_potential_energy(world, world->q);
    cairn_status status = CAIRN_OK;
    memset(world->correction, 0, (size_t)world->body_count * sizeof *world->correction);
    if (world->def.correction)
        status = eng_correct_positions(world, world->q);
    if (status == CAIRN_OK) {
        eng_energy_book(world, potential);
        eng_report_contacts(world);
    }
    return status;
}

/// Names the first body or contact whose state is not finite.
static cairn_status check_finite(const cairn_world *world, cairn_error *error)
{
    for (int i = 0; i < world->body_count; i++) {
        const double *v = world->v[i];
        double sum = v[0] + v[1] + v[2] + v[3] + v[4] + v[5];
        if (isfinite(sum) && vec3_is_finite(world->q[i].position))
            continue;
        const char *name = world->bodies[i].name;
        return base_fail(error, CAIRN_ERROR_NONFINITE,
                         "step %" PRId64 ", t = %g s: body %d%s%s%s has a state that is not finite "
                         "(velocity %g %g %g m/s)",
                         world->step_count + 1, world->time, i, name != NULL ? " (\"" : "",
                         name != NULL ? name : "", name != NULL ? "\")" : "", v[0], v[1], v[2]);
    }
    return CAIRN_OK;
}

static void begin_step(cairn_world *world)
{
    base_arena_reset(world->arena);
    world->problem = (con_problem){0};
    world->guess = NULL;
    world->report = (cairn_step_report){.stop = "none"};
    if (!world->energy_started)
        eng_energy_start(world);
}

/// Runs one block and books its time.
#define TIMED(phase, call)                                                                         \
    do {                                                                                           \
        double timed_start = base_timer_seconds();                                                 \
        call;                                                                                      \
        world->report.seconds[CAIRN_PHASE_##phase] += base_timer_seconds() - timed_start;          \
    } while (0)

static cairn_status run_blocks(cairn_world *world, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    TIMED(midpoint, eng_block_midpoint(world); eng_block_free_velocity(world));
    TIMED(broad_phase, status = eng_block_broad_phase(world));
    if (status == CAIRN_OK)
        TIMED(narrow_phase, status = eng_block_narrow_phase(world));
    if (status == CAIRN_OK)
        TIMED(contact_set, status = eng_block_contact_set(world));
    if (status == CAIRN_OK)
        TIMED(explicit_laws, status = eng_block_connectors(world));
    if (status == CAIRN_OK)
        TIMED(assembly, status = eng_block_assembly(world));
    if (status != CAIRN_OK)
        return base_fail(error, status, "step %" PRId64 ": %s", world->step_count + 1,
                         cairn_status_text(status));
    TIMED(explicit_laws, status = eng_block_explicit_laws(world));
    if (status != CAIRN_OK)
        return base_fail(error, status, "step %" PRId64 ": %s", world->step_count + 1,
                         cairn_status_text(status));
    status = eng_block_solver(world, error);
    if (status != CAIRN_OK)
        return status;
    TIMED(finish, status = eng_block_end(world));
    if (status != CAIRN_OK)
        return base_fail(error, status, "step %" PRId64 ": %s", world->step_count + 1,
                         cairn_status_text(status));
    return check_finite(world, error);
}

/// All blocks in one pass over spheres.
static cairn_status run_lane(cairn_world *world, cairn_error *error)
{
    cairn_status status = eng_lane_step(world, error);
    if (status != CAIRN_ERROR_NONFINITE)
        return status;
    eng_lane_publish(world);
    cairn_status found = check_finite(world, error);
    return found != CAIRN_OK ? found : base_fail(error, status, "a state is not finite");
}

cairn_status cairn_world_step(cairn_world *world, cairn_error *error)
{
    begin_step(world);
    bool lane = eng_lane_covers(world);
    if (!lane)
        world->lane_fit = ENG_LANE_UNFIT;
    cairn_status status = lane ? run_lane(world, error) : run_blocks(world, error);
    if (status != CAIRN_OK)
        return status;
    world->step_count++;
    // counted, not summed: the time of step n has no accumulated round-off
    world->time = world->time_start + (double)world->step_count * world->def.time_step;
    return CAIRN_OK;
}
