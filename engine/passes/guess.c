// SPDX-License-Identifier: Apache-2.0
// Problems that have no scale, and guesses of the step before that say nothing about this one.
#include "contact/problem/residual.h"
#include "engine/joints/joints.h"
#include "engine/state/blocks.h"
#include "engine/state/world.h"

#include <float.h>
#include <string.h>

/// Reactions so much larger than the velocities that they answer, in the units of theory.md (4.18):
/// there half of the digits of W R + q are lost. From 1e10 on they count as run away.
static const double guess_growth_max = 1e8;

/// Sums over contacts.
typedef struct guess_sums {
    double impulse; // J, w |R|^2 of contacts that are not rigid
    double noise;   // J, the same of what q is known to, over w
    double moving;  // contacts whose velocities are more than that
} guess_sums;

typedef struct guess_context {
    const cairn_world *world;
    double rigid; // kg^-1, of the scale
    guess_sums part[CON_CHUNKS_MAX];
} guess_context;

/// Largest row sum of |H| |v|, m/s: what the round-off of H v is relative to.
static double size_of(const double H[3][6], const double v[6])
{
    double size = 0.0;
    for (int row = 0; row < 3; row++) {
        double sum = 0.0;
        for (int k = 0; k < 6; k++)
            sum += fabs(H[row][k] * v[k]);
        size = fmax(size, sum);
    }
    return size;
}

/// m/s, what q of a contact is known to: the round-off of the velocities of both bodies, and of the
/// places that an open gap is the difference of.
static double noise_of(const cairn_world *world, int i)
{
    const con_problem *problem = world->scratch.solve.solved;
    double size = 0.0;
    for (int side = 0; side < 2; side++) {
        int row = problem->body[i][side];
        if (row >= 0)
            size += size_of(problem->H[i][side], problem->v_free[row]);
    }
    vec3 place = vec3_abs(world->contacts.set.point[i]);
    if (world->contacts.set.gap[i] > 0.0)
        size += fmax(place.x, fmax(place.y, place.z)) / world->state.clock.step;
    return 16.0 * DBL_EPSILON * size;
}

/// Whether the bodies of a contact move as one: its free velocity, and what gap and restitution add
/// to it, are no more than that.
static bool is_below(const cairn_world *world, int i, double noise)
{
    const double *q = world->scratch.solve.solved->q[i], *shift = world->scratch.solve.shift[i];
    for (int k = 0; k < 3; k++)
        if (!(fabs(q[k] - shift[k]) <= noise && fabs(shift[k]) <= noise))
            return false;
    return true;
}

static void sum_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    guess_context *context = argument;
    const cairn_world *world = context->world;
    guess_sums sums = {0};
    for (int i = begin; i < end; i++) {
        double w = mat3_trace(&world->scratch.solve.solved->W_diagonal[i]) / 3.0;
        double noise = noise_of(world, i);
        const double *R = world->scratch.solve.solved_R[i];
        sums.moving += is_below(world, i, noise) ? 0.0 : 1.0;
        if (w <= context->rigid)
            continue;
        sums.impulse += w * (R[0] * R[0] + R[1] * R[1] + R[2] * R[2]);
        sums.noise += noise * noise / w;
    }
    context->part[chunk] = sums;
}

static void add_sums(void *sum, const void *part)
{
    guess_sums *sums = sum;
    const guess_sums *more = part;
    sums->impulse += more->impulse;
    sums->noise += more->noise;
    sums->moving += more->moving;
}

/// What joints and the sides of a cell carry is not in q.
static bool is_plain(const cairn_world *world)
{
    bool shared = world->scratch.joint_step != NULL && world->scratch.joint_step->shared_count > 0;
    return !shared && world->scratch.solve.driven == NULL;
}

static guess_sums sums_of(const cairn_world *world, const con_residual_scale *scale)
{
    guess_context context = {.world = world, .rigid = scale->rigid};
    context.part[0] = (guess_sums){0};
    con_domains_sum(world->scratch.solve.solved->domains,
                    world->scratch.solve.solved->contact_count, sum_chunk, &context,
                    (con_rows){context.part, sizeof *context.part}, add_sums);
    return context.part[0];
}

/// @param share  of the errors that the solve has reported; 0: there was none
static void report_solved(cairn_world *world, double share)
{
    double *errors[] = {&world->report.step.error, &world->report.step.error_scaled,
                        &world->report.step.error_siconos};
    world->state.pieces.stop = CON_STOP_SOLVED;
    world->report.step.stop = con_stop_name(CON_STOP_SOLVED);
    for (int i = 0; i < 3; i++)
        *errors[i] = share > 0.0 ? *errors[i] * share : 0.0;
}

bool eng_guess_settle(cairn_world *world)
{
    if (!is_plain(world))
        return false;
    con_residual_scale scale = con_residual_scale_of(world->scratch.solve.solved);
    guess_sums sums = sums_of(world, &scale);
    size_t count = (size_t)world->scratch.solve.solved->contact_count;
    bool rolling = world->scratch.solve.rolling != NULL, none = sums.moving == 0.0 && !rolling;
    bool other = sums.impulse > guess_growth_max * guess_growth_max * scale.energy;
    if (other || none)
        memset(world->scratch.solve.solved_R, 0, count * sizeof *world->scratch.solve.solved_R);
    for (int i = 0; other && rolling && i < world->contacts.set.cone_count; i++)
        memset(world->contacts.set.history[i], 0, sizeof *world->contacts.set.history);
    if (none) {
        memcpy(world->scratch.solve.solution_U, world->scratch.solve.solved->q,
               count * sizeof *world->scratch.solve.solution_U);
        report_solved(world, 0.0);
    }
    return none;
}

void eng_guess_judge(cairn_world *world)
{
    if (!is_plain(world) || world->state.pieces.stop != CON_STOP_STAGNATED)
        return;
    con_residual_scale scale = con_residual_scale_of(world->scratch.solve.solved);
    guess_sums sums = sums_of(world, &scale);
    double left = world->report.step.error * sqrt(scale.energy), noise = sqrt(sums.noise);
    // relative to the size at which the tolerance is the round-off
    if (scale.energy > 0.0 && noise > 0.0 && left <= noise)
        report_solved(world, world->model.def.tolerance * sqrt(scale.energy) / noise);
}
