// SPDX-License-Identifier: Apache-2.0
// Position correction after the velocity solve, theory.md section 7: the smallest displacement, in
// the metric of the masses, that takes bodies out of penetration. Velocities stay as they are, but
// for the turn of a floating group that keeps its angular momentum.
#include "engine/pairs/sharing.h"
#include "engine/passes/floating.h"
#include "engine/space/drive.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <math.h>
#include <string.h>

enum { CORRECTION_SWEEPS = 60, LEAVING_STEPS = 2, TIE_CHUNK = 512 };

// restitution from which on a contact that bounces opens by itself within LEAVING_STEPS
static const double bouncing = 0.5;

/// One contact as the correction sees it: its normal row and the gap it has at the end of the step.
typedef struct row {
    int body[2];
    double H[2][6]; // times M^-1/2
    double S[3];    // the same of the driven sides of the cell
    double inverse; // 1 / W_NN; 0 where immobile
    double target;  // m, displacement along the normal that is asked for (negative: allowed)
    double impulse; // kg m, >= 0
    int64_t seen;   // time up to which it has seen the changes of its bodies
} row;

/// Displacement of a body while it is looked for; a cache line.
typedef struct moved_body {
    double d[6];     // M^1/2 times displacement
    int64_t changed; // time of the last change that matters
    double apart;
} moved_body;

/// The whole correction. Time is counted in changes: what a task of a sweep does is later than all
/// that tasks of an earlier level did, and tasks of one level have no body in common.
typedef struct field {
    const cairn_world *world;
    row *rows;
    moved_body *bodies;                 // [rows of the problem]
    moved_body cell;                    // strains of the driven sides
    double precision;                   // m, changes below it do not matter
    int levels;                         // of tasks that have been run
    bool backward;                      // the sweep at hand
    double worst[CON_DOMAIN_TASKS_MAX]; // m, displacement that was missing in each task
} field;

/// Penetration that is left alone.
static double slop_of(const cairn_world *world, int a, int b)
{
    if (world->model.def.correction_slop > 0.0)
        return world->model.def.correction_slop;
    double size = fmin(world->model.shapes.rows[world->model.bodies.rows[a].shape]->smallest_size,
                       world->model.shapes.rows[world->model.bodies.rows[b].shape]->smallest_size);
    return isfinite(size) ? 1e-5 * size : 0.0;
}

/// Gap at the end of the step, by its rate along the frozen normal, theory.md (7.2).
static double end_gap(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts.set;
    return c->gap[contact] + 0.5 * world->state.clock.step * c->U[contact][0];
}

/// Whether a deep contact is on its way out: bodies that bounce open it by themselves within two
/// steps, and pushing them apart in flight would take part in their impact. Those that bounce less
/// would stay deep for longer and are corrected.
static bool is_leaving(const cairn_world *world, int contact, double gap)
{
    const eng_surface *surface =
        &world->model.materials.surfaces[world->contacts.set.surface[contact]];
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    double speed = world->contacts.set.U[contact][0];
    return terms.restitution >= bouncing && speed > 0.0 &&
           gap + LEAVING_STEPS * world->state.clock.step * speed >= 0.0;
}

static void fill_row(const cairn_world *world, int contact, row *r)
{
    const con_problem *problem = &world->scratch.solve.problem;
    double W = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = problem->body[contact][side];
        r->body[side] = body;
        for (int k = 0; k < 6 && body >= 0; k++) {
            r->H[side][k] = problem->H[contact][side][0][k] * sqrt(problem->mass_inverse[body][k]);
            W += r->H[side][k] * r->H[side][k];
        }
    }
    const eng_driven *driven = world->scratch.solve.driven;
    memset(r->S, 0, sizeof r->S);
    for (int k = 0; driven != NULL && k < driven->count; k++) {
        r->S[k] = driven->S[contact][0][k] / sqrt(driven->mass[k]);
        W += r->S[k] * r->S[k];
    }
    r->inverse = W > 0.0 ? 1.0 / W : 0.0;
    int a = world->contacts.set.body[contact][0], b = world->contacts.set.body[contact][1];
    double gap = end_gap(world, contact), slop = slop_of(world, a, b);
    // leave half the slop, so that the correction rests once it is done
    bool deep = gap < -slop && !is_leaving(world, contact, gap);
    r->target = deep ? -0.5 * slop - gap : -fmax(gap + 0.5 * slop, 0.0);
    r->impulse = 0.0;
    r->seen = r->target > 0.0 && W > 0.0 ? -1 : 0;
}

typedef struct need_context {
    const cairn_world *world;
    bool needed[CON_CHUNKS_MAX];
} need_context;

static void need_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    need_context *context = argument;
    const cairn_world *world = context->world;
    bool needed = false;
    for (int i = begin; i < end && !needed; i++) {
        const int *body = world->contacts.set.body[i];
        double gap = end_gap(world, i);
        needed = gap < -slop_of(world, body[0], body[1]) && !is_leaving(world, i, gap);
    }
    context->needed[chunk] = needed;
}

static void add_need(void *sum, const void *part)
{
    bool *any = sum;
    *any = *any || *(const bool *)part;
}

/// True when a contact that is not flying apart lies deeper than its slop.
static bool is_needed(const cairn_world *world)
{
    need_context context;
    context.world = world;
    context.needed[0] = false;
    con_domains_sum(&world->contacts.domains, world->contacts.set.cone_count, need_chunk, &context,
                    (con_rows){context.needed, sizeof *context.needed}, add_need);
    return context.needed[0];
}

static bool knows_cell(const row *r)
{
    return r->S[0] != 0.0 || r->S[1] != 0.0 || r->S[2] != 0.0;
}

/// Whether a body of the row, or the cell, has moved since the row was solved.
static bool is_stale(const row *r, const field *f)
{
    return r->seen < 0 || (f->cell.changed > r->seen && knows_cell(r)) ||
           (r->body[0] >= 0 && f->bodies[r->body[0]].changed > r->seen) ||
           (r->body[1] >= 0 && f->bodies[r->body[1]].changed > r->seen);
}

/// Solves one row; returns the displacement that was missing, m.
static double solve_row(row *r, field *f, int64_t *time)
{
    double moved = 0.0;
    for (int side = 0; side < 2; side++)
        if (r->body[side] >= 0)
            for (int k = 0; k < 6; k++)
                moved += r->H[side][k] * f->bodies[r->body[side]].d[k];
    // one thread solves the rows of a driven cell, and several none that know it
    bool with_cell = knows_cell(r);
    for (int k = 0; k < 3 && with_cell; k++)
        moved += r->S[k] * f->cell.d[k];
    double wanted = r->impulse + r->inverse * (r->target - moved);
    double change = fmax(wanted, 0.0) - r->impulse;
    r->seen = *time;
    if (change == 0.0)
        return 0.0;
    double missing = fabs(change) / r->inverse;
    if (missing > f->precision)
        r->seen = ++*time;
    r->impulse += change;
    for (int k = 0; k < 3 && with_cell; k++)
        f->cell.d[k] += change * r->S[k];
    if (missing > f->precision && with_cell)
        f->cell.changed = *time;
    for (int side = 0; side < 2; side++) {
        if (r->body[side] < 0)
            continue;
        for (int k = 0; k < 6; k++)
            f->bodies[r->body[side]].d[k] += change * r->H[side][k];
        if (missing > f->precision)
            f->bodies[r->body[side]].changed = *time;
    }
    return missing;
}

static void sweep_task(void *argument, int begin, int end, int task)
{
    field *f = argument;
    const con_problem *problem = &f->world->scratch.solve.problem;
    const con_domains *domains = problem->domains;
    int depth = con_domains_depth(domains, task);
    int levels = domains != NULL ? domains->levels : 0;
    int64_t level = f->levels + (f->backward ? depth : levels - depth);
    int64_t time = level * (problem->contact_count + 1);
    double worst = 0.0;
    for (int j = begin; j < end; j++) {
        row *r = &f->rows[f->backward ? end - 1 - (j - begin) : j];
        if (is_stale(r, f))
            worst = fmax(worst, solve_row(r, f, &time));
    }
    f->worst[task] = worst;
}

/// One sweep of projected Gauss-Seidel over the rows whose bodies have moved; returns the largest
/// displacement that was missing, m.
static double sweep(field *f, bool backward)
{
    const con_problem *problem = &f->world->scratch.solve.problem;
    const con_domains *domains = problem->domains;
    f->backward = backward;
    con_domains_run(domains, problem->contact_count, backward, sweep_task, f,
                    (con_rows){f->bodies, sizeof *f->bodies});
    con_domains_tasks_sum(domains, (con_rows){f->worst, sizeof *f->worst});
    f->levels += domains != NULL ? domains->levels + 1 : 1;
    double worst = 0.0;
    for (int k = 0; k < con_domains_tasks(domains); k++)
        worst = fmax(worst, f->worst[k]);
    return worst;
}

static void apply(cairn_world *world, const moved_body *bodies, pose *q)
{
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k];
        if (world->model.bodies.rows[i].kind != CAIRN_DYNAMIC || eng_is_elsewhere(world, i))
            continue;
        double *d = world->state.bodies.correction[i];
        for (int j = 0; j < 6; j++)
            d[j] = bodies[k].d[j] * sqrt(world->state.bodies.mass_inverse[i][j]);
        vec3 shift = vec3_from(d), turn = vec3_from(d + 3);
        q[i].position = vec3_add(q[i].position, shift);
        if (vec3_norm_squared(turn) > 0.0)
            q[i].orientation = quat_normalize(
                quat_multiply(q[i].orientation, base_quat_from_rotation_vector(turn)));
    }
}

static bool allocate(const cairn_world *world, field *f)
{
    size_t bodies = (size_t)world->scratch.solve.problem.body_count;
    f->rows = base_arena_array(world->scratch.arena, row, "correction rows",
                               world->scratch.solve.problem.contact_count);
    f->bodies = base_arena_array(world->scratch.arena, moved_body, "displacement", bodies);
    if (f->rows == NULL || f->bodies == NULL)
        return false;
    memset(f->bodies, 0, bodies * sizeof *f->bodies);
    return true;
}

typedef struct fill_context {
    const field *f;
    double deepest[CON_CHUNKS_MAX]; // m
} fill_context;

static void fill_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    fill_context *context = argument;
    double deepest = 0.0;
    for (int i = begin; i < end; i++) {
        fill_row(context->f->world, i, &context->f->rows[i]);
        deepest = fmax(deepest, context->f->rows[i].target);
    }
    context->deepest[chunk] = deepest;
}

static void add_deepest(void *sum, const void *part)
{
    double *deepest = sum;
    *deepest = fmax(*deepest, *(const double *)part);
}

/// The rows of all contacts; returns the largest displacement that is asked for, m.
static double fill_rows(const field *f)
{
    const con_problem *problem = &f->world->scratch.solve.problem;
    fill_context context;
    context.f = f;
    context.deepest[0] = 0.0;
    con_domains_sum(problem->domains, problem->contact_count, fill_chunk, &context,
                    (con_rows){context.deepest, sizeof *context.deepest}, add_deepest);
    return context.deepest[0];
}

typedef struct tie_context {
    const field *f;
    bool *ties;
} tie_context;

/// Whether contacts act between their bodies: closed, bearing by more than what a solver leaves of
/// those that do not, or pushed by the correction.
static void tie_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const tie_context *context = argument;
    const cairn_world *world = context->f->world;
    const eng_contacts *c = &world->contacts.set;
    for (int i = begin; i < end; i++)
        context->ties[i] =
            c->gap[i] <= 0.0 || eng_contact_bore(world, c, i) || context->f->rows[i].impulse > 0.0;
}

/// What groups that float are found from, to all.
static void share_all(const field *f, bool *ties)
{
    const cairn_world *world = f->world;
    if (!eng_sharing_is_active(world))
        return;
    con_team *team = &world->state.sharing->team;
    eng_borders_join(world);
    con_team_share_bodies(team, (con_rows){f->bodies, sizeof *f->bodies});
    con_team_share_contacts(team, (con_rows){ties, sizeof *ties});
    con_team_share_contacts(team,
                            (con_rows){world->contacts.set.body, sizeof *world->contacts.set.body});
}

cairn_status eng_correct_positions(cairn_world *world, pose *q)
{
    if (!is_needed(world))
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    field f = {.world = world};
    if (!allocate(world, &f))
        return CAIRN_ERROR_MEMORY;
    double kinetic, before, after;
    eng_energies_general(world, &kinetic, &before);
    double deepest = fill_rows(&f);
    f.precision = 1e-4 * deepest;
    for (int k = 0; k < CORRECTION_SWEEPS; k++)
        if (sweep(&f, k % 2 == 1) <= 1e-3 * deepest)
            break;
    bool *ties = base_arena_array(world->scratch.arena, bool, "ties",
                                  world->scratch.solve.problem.contact_count);
    if (ties == NULL)
        return CAIRN_ERROR_MEMORY;
    tie_context acting = {&f, ties};
    con_domains_each(&world->contacts.domains, world->model.workers,
                     world->scratch.solve.problem.contact_count, TIE_CHUNK, tie_chunk, &acting);
    eng_floating groups = {0};
    bool floats = true;
    cairn_status status = CAIRN_OK;
    if (world->state.elsewhere != NULL) {
        eng_borders_send(world, (con_rows){f.bodies, sizeof *f.bodies});
        status = eng_floating_look(world, ties, &floats);
    }
    if (status == CAIRN_OK && floats) {
        share_all(&f, ties);
        status = eng_floating_find(world, ties, &groups);
        if (groups.count > 0)
            eng_borders_stay_together(world);
    }
    if (status == CAIRN_OK) {
        apply(world, f.bodies, q);
        for (int k = 0;
             world->scratch.solve.driven != NULL && k < world->scratch.solve.driven->count; k++)
            world->scratch.solve.driven->strain[k] =
                f.cell.d[k] / sqrt(world->scratch.solve.driven->mass[k]);
        world->state.audit.energy.correction += eng_floating_restore(world, &groups);
        world->scratch.moved_energies = NULL;
        eng_energies_general(world, &kinetic, &after);
        world->state.audit.energy.correction += after - before;
        world->report.corrected = true;
    }
    base_arena_rewind(world->scratch.arena, mark);
    return status;
}
