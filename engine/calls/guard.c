// SPDX-License-Identifier: Apache-2.0
// What is watched from step to step of a run, for the command and for programs alike.
#include "engine/measures/finite.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// more kinetic energy than this many times what there was to convert is an explosion
static const double explosion_factor = 100.0;
// a share of the exchanged energy that does not add up and is told at the end
static const double doubtful = 0.05;
// an overlap of rigid bodies that is told, as a part of the smaller one's size
static const double deep = 0.25;
// what moves bodies by less than this part of their size in a step is no explosion
static const double unseen_part = 1e-5;

enum { NAMED = 6, NAME_SIZE = sizeof(eng_label) };

bool cairn_world_is_unsolved(const cairn_world *world)
{
    const cairn_step_report *report = cairn_world_get_report(world);
    return report != NULL && strcmp(report->stop, "none") != 0 &&
           !(report->error <= world->model.def.tolerance);
}

// ---------------------------------------------------------------- scales of energy

/// Energy that gravity gives bodies at rest in one step, J: below it there is nothing to compare.
static double step_energy(const cairn_world *world)
{
    double mass = 0.0, speed2 = 0.0;
    for (int k = 0; k < 3; k++)
        speed2 += pow(world->model.def.gravity[k] * world->state.clock.step, 2);
    for (int i = 0; i < world->model.bodies.count; i++)
        if (world->model.bodies.rows[i].kind == CAIRN_DYNAMIC)
            mass += world->model.bodies.rows[i].mass;
    return mass * speed2;
}

/// Kinetic energy, J, of all bodies that move a small part of their size in a step. Round-off and
/// the accuracy of solutions leave less, whatever the units and however little there was before.
static double unseen_energy(const cairn_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < world->model.bodies.count; i++) {
        const eng_body *body = &world->model.bodies.rows[i];
        if (body->kind != CAIRN_DYNAMIC || body->shape < 0)
            continue;
        double speed = unseen_part * world->model.shapes.rows[body->shape]->bounding_radius /
                       world->state.clock.step;
        sum += 0.5 * body->mass * speed * speed;
    }
    return sum;
}

/// What the accuracy of the last solution leaves of its energy, J: the tolerance times the kinetic
/// energy of bodies at rest that the impulses of the contacts would make, each alone.
static double tolerance_energy(const cairn_world *world)
{
    double sum = 0.0;
    cairn_contact_view c;
    // explicit laws are not solved
    if (strcmp(world->report.step.stop, "none") == 0)
        return 0.0;
    for (int i = 0; cairn_contact_get(world, i, &c) == CAIRN_OK; i++) {
        cairn_body_view a, b;
        if (cairn_body_get(world, c.a, &a) == CAIRN_OK &&
            cairn_body_get(world, c.b, &b) == CAIRN_OK)
            sum += 0.5 * (1.0 / a.mass + 1.0 / b.mass) *
                   (c.impulse[0] * c.impulse[0] + c.impulse[1] * c.impulse[1] +
                    c.impulse[2] * c.impulse[2]);
    }
    return world->model.def.tolerance * sum;
}

/// Energy that changed its form since the start, J: what a residual is measured by.
static double exchanged(const cairn_guard *guard, const cairn_energy *e)
{
    return e->kinetic + fabs(e->elastic) + fabs(e->drivers) + fabs(e->correction) +
           fabs(e->impact) + fabs(e->friction) + fabs(e->damping) + fabs(e->plastic) +
           fabs(e->potential - guard->potential_start);
}

/// Energy that forces have changed the form of so far, J. What the correction lifted is no measure
/// of that: it moves bodies that were put into each other by any height.
static double moved(const cairn_guard *guard, const cairn_energy *e)
{
    return e->kinetic + fabs(e->elastic) + fabs(e->drivers) + fabs(e->impact) + fabs(e->friction) +
           fabs(e->damping) + fabs(e->plastic) +
           fabs(e->potential - e->correction - guard->potential_start);
}

/// J, kinetic energy of all dynamic bodies at the speed of the fastest moving one or of a straining
/// cell's far side, which give it to those that they push before their work is more than round-off.
static double pushed_energy(const cairn_world *world)
{
    double mass = 0.0, speed = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        if (cairn_body_get(world, cairn_body_at(world, i), &view) != CAIRN_OK)
            continue;
        const double *v = view.velocity;
        if (view.kind == CAIRN_DYNAMIC)
            mass += view.mass;
        else
            speed = fmax(speed, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    cairn_cell_view cell;
    if (cairn_world_get_cell(world, &cell) == CAIRN_OK)
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 3; k++) {
                double across = cell.rate[i] * cell.sides[i % 3][k];
                speed = fmax(speed, across * across);
            }
    return 0.5 * mass * speed;
}

/// J, energy of the start as the balance has it: with what the contacts held that bodies began
/// with, which are found in the first step.
static double start_energy(const cairn_energy *e)
{
    double held = e->kinetic + e->potential + e->elastic;
    double lost = e->impact + e->friction + e->damping + e->plastic;
    double brought = e->drivers + e->correction + e->joints + e->population;
    return held + lost - brought - e->residual;
}

// ---------------------------------------------------------------- explosions

/// @return slot of the dynamic body with the most kinetic energy, at `speed` m/s; -1: none moves
static int most_energetic(const cairn_world *world, double *speed)
{
    int found = -1;
    double most = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id body = cairn_body_at(world, i);
        cairn_body_view view;
        if (cairn_body_get(world, body, &view) != CAIRN_OK || view.kind != CAIRN_DYNAMIC ||
            !(view.kinetic_energy > most))
            continue;
        most = view.kinetic_energy;
        found = (int)body.index;
        *speed = sqrt(view.velocity[0] * view.velocity[0] + view.velocity[1] * view.velocity[1] +
                      view.velocity[2] * view.velocity[2]);
    }
    return found;
}

/// @param what       is too much, before its `energy`, J
/// @param available  J
static cairn_status fail_explosion(const cairn_world *world, const char *what, double energy,
                                   double available, cairn_error *error)
{
    char who[160] = "", why[160] = "a time step that is too long, or bodies that overlap";
    double speed = 0.0, step = world->state.clock.step;
    int body = most_energetic(world, &speed);
    cairn_step_limit limit = cairn_world_get_stable_step(world);
    if (body >= 0)
        snprintf(who, sizeof who, "; %s has the most kinetic energy, at %.3g m/s",
                 eng_body_label(world, body).text, speed);
    if (step > limit.step)
        snprintf(why, sizeof why,
                 "the time step %.4g s, which is longer than the stable step %.3g s of law %.40s",
                 step, limit.step, limit.law);
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: explosion: %s %.3g J in a scene that holds "
                     "%.3g J%s. Likely cause: %s",
                     world->state.clock.step_count, world->state.clock.time, what, energy,
                     available, who, why);
}

/// A step whose energy rises without a source by more than there was.
static cairn_status check_rise(cairn_guard *guard, const cairn_world *world, cairn_error *error)
{
    double rise = world->report.step.energy_rise;
    // energies of spheres alone cost as much as their steps; there check_sums looks
    if (isnan(rise))
        return CAIRN_OK;
    cairn_energy energy = cairn_world_get_energy(world);
    // what came in within the step counts as there, and so does what bodies brought that came and
    // went: a world may begin with none
    guard->moved_max = fmax(guard->moved_max, fabs(energy.population));
    double before =
        fmax(guard->moved_max, guard->supply) + fabs(energy.drivers) + fabs(energy.joints);
    guard->moved_max = fmax(guard->moved_max, moved(guard, &energy));
    if (rise <= before)
        return CAIRN_OK;
    // where nothing moves yet, round-off and what the accuracy of the solution leaves are more
    if (rise <= before + tolerance_energy(world) + unseen_energy(world))
        return CAIRN_OK;
    return fail_explosion(world, "energy grew in one step by", rise, before, error);
}

/// Energy that could have become kinetic: what there was, what came in, what fell, and what
/// contacts gave that attract each other, whose stored energy is below zero then. What came from
/// nowhere counts where bodies store it, too.
static cairn_status check_sums(cairn_guard *guard, const cairn_world *world, cairn_error *error)
{
    cairn_energy energy = cairn_world_get_energy(world);
    (void)cairn_guard_exchanged(guard, &energy);
    double given = fabs(guard->supply) + fabs(start_energy(&energy)) + fabs(energy.drivers) +
                   fabs(energy.correction) + fabs(energy.population);
    double available = given + fabs(energy.potential) + fmax(-energy.elastic, 0.0);
    if (energy.kinetic <= explosion_factor * available &&
        energy.residual <= explosion_factor * given)
        return CAIRN_OK;
    double unseen = pushed_energy(world) + unseen_energy(world);
    given += unseen;
    available += unseen;
    if (energy.residual > explosion_factor * (given + tolerance_energy(world)))
        return fail_explosion(world, "energy grew without a source by", energy.residual, given,
                              error);
    if (energy.kinetic <= explosion_factor * available)
        return CAIRN_OK;
    return fail_explosion(world, "kinetic energy is", energy.kinetic, available, error);
}

// ---------------------------------------------------------------- jams and overlaps

static void say_jam(cairn_guard *guard, const cairn_world *world, const cairn_body_id bodies[],
                    int count)
{
    char text[NAMED * (NAME_SIZE + 2) + 32] = "";
    size_t used = 0;
    for (int i = 0; i < count && i < NAMED; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", between,
                                 eng_body_title(world, bodies[i]).text);
    }
    if (count > NAMED)
        snprintf(text + used, sizeof text - used, " and %d more", count - NAMED);
    snprintf(guard->warning, sizeof guard->warning,
             "step %" PRId64 " at %.6g s: %s are jammed: prescribed motions leave them no velocity "
             "without overlap; from here on their reactions and the work of the drivers mean "
             "nothing",
             world->state.clock.step_count, world->state.clock.time, text);
}

static cairn_status look_for_jam(cairn_guard *guard, cairn_world *world, cairn_error *error)
{
    if (guard->jammed || !cairn_world_may_be_jammed(world))
        return CAIRN_OK;
    // the test can cost more than the step: at the 1st, 2nd, 4th, 8th such step
    int64_t look = ++guard->looks;
    if ((look & (look - 1)) != 0)
        return CAIRN_OK;
    cairn_body_id bodies[NAMED];
    int count = 0;
    cairn_status status = cairn_world_find_jam(world, bodies, NAMED, &count, error);
    if (status == CAIRN_ERROR_MEMORY)
        return status;
    // what cannot be tested is no jam that is known
    guard->jammed = status == CAIRN_OK && count > 0;
    if (guard->jammed)
        say_jam(guard, world, bodies, count);
    return CAIRN_OK;
}

static void look_for_overlap(cairn_guard *guard, const cairn_world *world)
{
    const cairn_step_report *report = &world->report.step;
    bool rigid = strcmp(report->stop, "none") != 0;
    // one sentence a step
    if (guard->overlapped || !rigid || report->penetration_relative <= deep ||
        guard->warning[0] != '\0')
        return;
    guard->overlapped = true;
    snprintf(guard->warning, sizeof guard->warning,
             "step %" PRId64 " at %.6g s: rigid bodies overlap by %.2g of the smaller one's size "
             "(%.3g m at most): shorter steps keep them apart",
             world->state.clock.step_count, world->state.clock.time, report->penetration_relative,
             report->penetration);
}

// ---------------------------------------------------------------- calls

void cairn_guard_begin(cairn_guard *guard, const cairn_world *world)
{
    if (guard == NULL)
        return;
    *guard = (cairn_guard){0};
    if (world == NULL)
        return;
    cairn_energy start = cairn_world_get_energy(world);
    guard->supply =
        start.kinetic + fabs(start.potential) + fabs(start.elastic) + step_energy(world);
    guard->potential_start = start.potential;
}

cairn_status cairn_guard_step(cairn_guard *guard, cairn_world *world, bool whole,
                              cairn_error *error)
{
    if (guard == NULL || world == NULL)
        return base_fail_null(error, __func__);
    locale_t before = base_plain_begin();
    guard->warning[0] = '\0';
    cairn_status status = check_rise(guard, world, error);
    if (status == CAIRN_OK)
        status = look_for_jam(guard, world, error);
    if (status == CAIRN_OK)
        look_for_overlap(guard, world);
    if (status == CAIRN_OK && whole)
        status = check_sums(guard, world, error);
    base_plain_end(before);
    return status;
}

double cairn_guard_exchanged(cairn_guard *guard, const cairn_energy *energy)
{
    if (guard == NULL || energy == NULL)
        return 0.0;
    guard->exchanged_max = fmax(guard->exchanged_max, exchanged(guard, energy));
    return guard->exchanged_max;
}

/// A wall that is to press, and that nothing touches at the end.
static void look_for_idle_servos(cairn_guard *guard, const cairn_world *world)
{
    for (int i = 0; i < cairn_servo_count(world) && guard->warning[0] == '\0'; i++) {
        cairn_servo_view view;
        if (cairn_servo_get(world, i, &view) != CAIRN_OK || view.cell || view.target == 0.0 ||
            view.force != 0.0)
            continue;
        snprintf(guard->warning, sizeof guard->warning,
                 "servo \"%.80s\" is to press with %g N, and nothing touches its body at the end: "
                 "its axis may point away from what it is to press",
                 view.name, view.target);
    }
}

void cairn_guard_end(cairn_guard *guard, const cairn_world *world)
{
    if (guard == NULL)
        return;
    guard->warning[0] = '\0';
    if (world == NULL)
        return;
    cairn_energy energy = cairn_world_get_energy(world);
    double all = fmax(exchanged(guard, &energy) + fabs(energy.population),
                      fmax(guard->exchanged_max, guard->moved_max));
    // where hardly anything moves, round-off and the accuracy of the solution are more
    double small = 1e-12 * fmax(fabs(energy.potential), fabs(guard->potential_start)) +
                   tolerance_energy(world) + 1e-8 * unseen_energy(world);
    locale_t before = base_plain_begin();
    if (fabs(energy.residual) > doubtful * all + small)
        snprintf(guard->warning, sizeof guard->warning,
                 "%.3g J of energy do not add up, %.0f %% of the %.3g J that changed their form: "
                 "the time step is too long, or bodies overlap (docs/laws.md, section 9)",
                 energy.residual, 100.0 * fabs(energy.residual) / all, all);
    look_for_idle_servos(guard, world);
    base_plain_end(before);
}
