// SPDX-License-Identifier: Apache-2.0
// A step in pieces. All sizes are powers of two of the step's, so that impulses which become those
// of a shorter step, and back, keep their bits.
#include "engine/passes/pieces.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "contact/problem/team.h"
#include "engine/joints/joints.h"
#include "engine/measures/finite.h"
#include "engine/measures/time_step.h"
#include "engine/pairs/spheres/spheres.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// FINER: times that a piece is halved again for bodies that meet others within it
enum { FINER = 3 };

// residual below which what is left is mostly the round-off of large problems
static const double round_off = 1e-11;

// rad, turn of a body in joints from which on a step is made in pieces
static const double turn_max = 0.6;

/// Where in the step a piece begins, s; counted as the time of whole steps is.
static double time_of(const cairn_world *world, double whole, int done, int full)
{
    double steps = (double)world->state.clock.step_count + (double)done / (double)full;
    return world->state.clock.time_start + steps * whole;
}

/// The size of the piece that follows: as large as the one that it is the other half of.
static int next_size(int done)
{
    return done & -done;
}

/// What was done for a piece that is taken back counts too.
static void add_effort(const cairn_step_report *piece, cairn_step_report *all)
{
    all->iterations += piece->iterations;
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        all->seconds[i] += piece->seconds[i];
}

/// The report of a piece comes to those before it.
static void add_report(const cairn_step_report *piece, bool solved, cairn_step_report *all)
{
    cairn_step_report sum = *piece;
    sum.pieces = all->pieces + 1;
    sum.iterations = all->iterations;
    memcpy(sum.seconds, all->seconds, sizeof sum.seconds);
    add_effort(piece, &sum);
    bool unsolved = strcmp(all->stop, "none") != 0 && strcmp(all->stop, "solved") != 0;
    if (unsolved || (solved && strcmp(piece->stop, "none") == 0))
        sum.stop = all->stop;
    sum.error = fmax(piece->error, all->error);
    sum.error_scaled = fmax(piece->error_scaled, all->error_scaled);
    sum.error_siconos = fmax(piece->error_siconos, all->error_siconos);
    sum.energy_rise = all->energy_rise + piece->energy_rise;
    *all = sum;
}

static bool has_function(const cairn_world *world, int body)
{
    return body >= 0 && eng_extra_of(world, body).motion.function != NULL;
}

/// Whether a body, or a motor, that is moved by a function of time touches or holds another one. It
/// has the mean velocity of a step in all of it, which begins half a step away from that of the
/// step before: seen by a piece of a sixteenth, a body that it lifts would be accelerated eight
/// times as fast.
static bool is_driven(const cairn_world *world)
{
    const eng_contacts *c = &world->contacts.set;
    bool found = false;
    int tasks =
        world->model.bodies.motion_count > 0 ? con_domains_tasks(&world->contacts.domains) : 0;
    for (int task = 0; task < tasks; task++) {
        con_span held = con_domains_held(&world->contacts.domains, c->cone_count, task);
        for (int i = held.begin; i < held.end && !found; i++)
            found = has_function(world, c->body[i][0]) || has_function(world, c->body[i][1]);
    }
    if (tasks > 0)
        found = con_team_any(&world->contacts.domains, found);
    for (int i = 0; i < world->model.joints.count && !found; i++)
        found = world->model.joints.rows[i].motor_function != NULL ||
                has_function(world, world->model.joints.rows[i].body[0]) ||
                has_function(world, world->model.joints.rows[i].body[1]);
    return found;
}

/// Whether the step asks what springs hold before the world's first one: each piece would ask
/// again.
static bool finds_first_energies(const cairn_world *world)
{
    return world->state.clock.step_count == 0 &&
           (world->contacts.set.count > world->contacts.set.cone_count ||
            world->model.connectors.count > 0 || eng_spheres_slot_count(world) > 0);
}

int eng_pieces_of(const cairn_world *world)
{
    int halvings = world->model.def.step_halvings;
    return halvings > 0 ? 1 << (halvings + FINER) : 1;
}

/// Whether a piece may be taken back at all: spheres that have moved already are not.
static bool may_take_back(const cairn_world *world)
{
    return !eng_spheres_are_acted_on(world) && !is_driven(world) && !finds_first_energies(world);
}

/// Whether the middle of half the piece in hand comes after what bodies have bounced off already.
static bool may_be_shorter(const cairn_world *world)
{
    return world->state.pieces.size / 2 >= world->state.pieces.least;
}

bool eng_pieces_may_divide(const cairn_world *world)
{
    return world->state.pieces.size > 1 << FINER && may_be_shorter(world) &&
           !world->state.pieces.gave_up && may_take_back(world);
}

bool eng_pieces_divide(cairn_world *world)
{
    con_stop stop = world->state.pieces.stop;
    // a limit that was asked for, a problem without a solution and round-off are not mended by
    // shorter steps
    bool helps = stop == CON_STOP_STAGNATED || stop == CON_STOP_FAILED ||
                 (stop == CON_STOP_ITERATION_LIMIT && world->model.def.max_iterations == 0);
    helps = helps && !(world->report.step.error < round_off);
    world->state.pieces.divide = helps && eng_pieces_may_divide(world);
    if (world->state.pieces.divide)
        add_effort(&world->report.step, &world->state.pieces.report);
    return world->state.pieces.divide;
}

bool eng_pieces_divide_joints(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    if (s == NULL || !(s->alone_error > 0.0))
        return false;
    con_stop stop = world->state.pieces.stop;
    double error = world->report.step.error;
    world->state.pieces.stop = s->alone_stop;
    world->report.step.error = s->alone_error;
    bool divides = eng_pieces_divide(world);
    world->state.pieces.stop = stop;
    world->report.step.error = error;
    return divides;
}

bool eng_pieces_may_divide_meeting(const cairn_world *world)
{
    return world->state.pieces.size > 1 && may_be_shorter(world) && may_take_back(world);
}

void eng_pieces_divide_meeting(cairn_world *world)
{
    eng_pieces *p = &world->state.pieces;
    p->divide = true;
    p->cut = true;
    p->ramp = p->size / 2;
    add_effort(&world->report.step, &p->report);
}

/// Bodies of joints that turn far in a piece get shorter ones. @param whole  s
static void fit_turns(cairn_world *world, double whole, int full)
{
    eng_pieces *p = &world->state.pieces;
    int body;
    while (eng_joints_turn(world, whole * p->size / full, &body) > turn_max &&
           eng_pieces_may_divide(world))
        p->size /= 2;
}

/// Past half a turn in a step nothing tells how far a body has turned. @param whole  s
static cairn_status check_turns(const cairn_world *world, double whole, cairn_error *error)
{
    int body;
    double turn = eng_joints_turn(world, whole, &body);
    if (turn <= M_PI)
        return CAIRN_OK;
    if (!isfinite(turn))
        return eng_finite_explain(world, "the turn of bodies in joints", error);
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "step %" PRId64 ", t = %g s: %s, which a joint holds, would turn by %.3g rad "
                     "in a step of %g s, and no more than half a turn can be followed; use a step "
                     "of %.2g s or less",
                     world->state.clock.step_count + 1, world->state.clock.time,
                     eng_body_label(world, body).text, turn, whole, whole * 0.5 / turn);
}

/// The size of the piece after that at hand. What bodies meet in the time until its middle is found
/// now: after pieces that were cut for that, sizes double at most.
static int following(const eng_pieces *p)
{
    int natural = next_size(p->done + p->size), most = p->cut ? p->size : 2 * p->size;
    return p->ramp > 0 && most < natural ? most : natural;
}

/// Bodies that have bounced off what they meet later are beyond it until then, so that the next
/// middle must not come before. All processes agree on that. @param whole  s
static void find_least(const cairn_world *world, eng_pieces *p, double whole, int full)
{
    p->least = 0;
    for (int size = 1; p->owed >= 0.0 && size <= full; size *= 2) {
        double before = 0.25 * whole * (double)size / (double)full;
        if (!con_team_any(&world->contacts.domains, p->owed > before * (1.0 - 1e-9)))
            return;
        p->least = size;
    }
}

/// Runs the pieces that are left of a step. @param whole  s
static cairn_status run_pieces(cairn_world *world, eng_piece *run, double whole, int full,
                               cairn_error *error)
{
    eng_pieces *p = &world->state.pieces;
    p->size = p->done > 0 ? next_size(p->done) : full;
    if (p->ramp > 0 && p->ramp < p->size)
        p->size = p->ramp;
    while (p->done < full) {
        fit_turns(world, whole, full);
        eng_step_set(world, whole * (double)p->size / (double)full);
        int next = following(p);
        int ahead = p->ramp > 0 ? next : p->size;
        world->state.clock.horizon = whole * (double)(p->size + ahead) / (2.0 * (double)full);
        p->divide = false;
        p->owed = -1.0;
        p->stop = CON_STOP_SOLVED;
        cairn_status status = run(world, error);
        if (p->divide) {
            p->size /= 2;
            continue;
        }
        if (status != CAIRN_OK)
            return status;
        bool solved = p->stop == CON_STOP_SOLVED;
        p->gave_up = p->gave_up || (!solved && p->size <= 1 << FINER);
        add_report(&world->report.step, solved, &p->report);
        p->done += p->size;
        world->state.clock.time = time_of(world, whole, p->done, full);
        p->ramp = p->ramp > 0 && next < full ? next : 0;
        p->cut = false;
        p->thrown = false;
        find_least(world, p, whole, full);
        p->size = next;
    }
    return CAIRN_OK;
}

cairn_status eng_pieces_step(cairn_world *world, eng_piece *run, cairn_error *error)
{
    eng_pieces *p = &world->state.pieces;
    int full = eng_pieces_of(world);
    double whole = world->model.def.time_step;
    if (p->done == 0)
        *p = (eng_pieces){.ramp = p->ramp,
                          .cut = p->cut,
                          .thrown = p->thrown,
                          .least = p->least,
                          .report = {.stop = "none"}};
    cairn_status status = check_turns(world, whole, error);
    if (status == CAIRN_OK)
        status = run_pieces(world, run, whole, full, error);
    eng_step_set(world, whole);
    if (status != CAIRN_OK)
        return status;
    if (p->report.pieces > 1)
        base_log(&world->model.logger, BASE_LOG_DETAIL,
                 "step %" PRId64 ", t = %g s: made in %d pieces, because the solve of a longer one "
                 "ended above the tolerance, or threw bodies through others",
                 world->state.clock.step_count + 1, time_of(world, whole, 0, full),
                 p->report.pieces);
    world->state.clock.time = time_of(world, whole, 0, full);
    world->report.step = p->report;
    p->done = 0;
    return CAIRN_OK;
}
