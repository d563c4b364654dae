// SPDX-License-Identifier: Apache-2.0
// Position correction after the velocity solve, theory.md section 7: the smallest displacement, in
// the metric of the masses, that takes bodies out of penetration. Velocities stay as they are.
#include "engine/world.h"

#include <math.h>
#include <string.h>

enum { CORRECTION_SWEEPS = 60 };

/// One contact as the correction sees it: its normal row and the gap it has at the end of the step.
typedef struct row {
    int body[2];
    double H[2][6]; // times M^-1/2
    double inverse; // 1 / W_NN; 0 where immobile
    double target;  // m, displacement along the normal that is asked for (negative: allowed)
    double impulse; // kg m, >= 0
    int seen;       // changes that it has been solved for
} row;

/// Displacements while they are looked for.
typedef struct field {
    double (*d)[6];   // [body_count] M^1/2 times displacement
    int *changed;     // [body_count] number of the last change that matters
    int changes;      // made so far
    double precision; // m, changes below it do not matter
} field;

/// Penetration that is left alone.
static double slop_of(const cairn_world *world, int a, int b)
{
    if (world->def.correction_slop > 0.0)
        return world->def.correction_slop;
    double size = fmin(world->shapes[world->bodies[a].shape]->smallest_size,
                       world->shapes[world->bodies[b].shape]->smallest_size);
    return isfinite(size) ? 1e-5 * size : 0.0;
}

/// Gap at the end of the step, by its rate along the frozen normal, theory.md (7.2).
static double end_gap(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts;
    return c->gap[contact] + 0.5 * world->def.time_step * c->U[contact][0];
}

static void fill_row(const cairn_world *world, int contact, row *r)
{
    const con_problem *problem = &world->problem;
    double W = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = problem->body[contact][side];
        r->body[side] = body;
        for (int k = 0; k < 6 && body >= 0; k++) {
            r->H[side][k] = problem->H[contact][side][0][k] * sqrt(world->mass_inverse[body][k]);
            W += r->H[side][k] * r->H[side][k];
        }
    }
    r->inverse = W > 0.0 ? 1.0 / W : 0.0;
    int a = world->contacts.body[contact][0], b = world->contacts.body[contact][1];
    double gap = end_gap(world, contact), slop = slop_of(world, a, b);
    // leave half the slop, so that the correction rests once it is done
    r->target = gap < -slop ? -0.5 * slop - gap : -fmax(gap + 0.5 * slop, 0.0);
    r->impulse = 0.0;
    r->seen = r->target > 0.0 && W > 0.0 ? -1 : 0;
}

/// True when a contact that is not flying apart lies deeper than its slop.
static bool is_needed(const cairn_world *world)
{
    for (int i = 0; i < world->contacts.cone_count; i++) {
        const int *body = world->contacts.body[i];
        if (end_gap(world, i) < -slop_of(world, body[0], body[1]))
            return true;
    }
    return false;
}

/// Whether a body of the row has moved since the row was solved.
static bool is_stale(const row *r, const field *f)
{
    return r->seen < 0 || (r->body[0] >= 0 && f->changed[r->body[0]] > r->seen) ||
           (r->body[1] >= 0 && f->changed[r->body[1]] > r->seen);
}

/// Solves one row; returns the displacement that was missing, m.
static double solve_row(row *r, field *f)
{
    double moved = 0.0;
    for (int side = 0; side < 2; side++)
        if (r->body[side] >= 0)
            for (int k = 0; k < 6; k++)
                moved += r->H[side][k] * f->d[r->body[side]][k];
    double wanted = r->impulse + r->inverse * (r->target - moved);
    double change = fmax(wanted, 0.0) - r->impulse;
    r->seen = f->changes;
    if (change == 0.0)
        return 0.0;
    double missing = fabs(change) / r->inverse;
    if (missing > f->precision)
        r->seen = ++f->changes;
    r->impulse += change;
    for (int side = 0; side < 2; side++) {
        if (r->body[side] < 0)
            continue;
        for (int k = 0; k < 6; k++)
            f->d[r->body[side]][k] += change * r->H[side][k];
        if (missing > f->precision)
            f->changed[r->body[side]] = f->changes;
    }
    return missing;
}

/// One sweep of projected Gauss-Seidel over the rows whose bodies have moved; returns the largest
/// displacement that was missing, m.
static double sweep(row *rows, int count, bool forward, field *f)
{
    double worst = 0.0;
    for (int j = 0; j < count; j++) {
        row *r = &rows[forward ? j : count - 1 - j];
        if (is_stale(r, f))
            worst = fmax(worst, solve_row(r, f));
    }
    return worst;
}

static void unscale(const cairn_world *world, field *f)
{
    for (int i = 0; i < world->body_count; i++)
        for (int k = 0; k < 6; k++)
            f->d[i][k] *= sqrt(world->mass_inverse[i][k]);
}

static void apply(cairn_world *world, const double (*d)[6], pose *q)
{
    for (int i = 0; i < world->body_count; i++) {
        if (world->bodies[i].kind != CAIRN_DYNAMIC)
            continue;
        vec3 shift = vec3_from(d[i]), turn = vec3_from(d[i] + 3);
        memcpy(world->correction[i], d[i], sizeof d[i]);
        q[i].position = vec3_add(q[i].position, shift);
        if (vec3_norm_squared(turn) > 0.0)
            q[i].orientation = quat_normalize(
                quat_multiply(q[i].orientation, base_quat_from_rotation_vector(turn)));
    }
}

static bool allocate(cairn_world *world, row **rows, field *f)
{
    size_t bodies = (size_t)world->body_count;
    *rows = base_arena_array(world->arena, row, "correction rows", world->problem.contact_count);
    f->d = (double(*)[6])base_arena_allocate(world->arena, "displacement", bodies, sizeof *f->d);
    f->changed = base_arena_array(world->arena, int, "displacement", bodies);
    if (*rows == NULL || f->d == NULL || f->changed == NULL)
        return false;
    memset(f->d, 0, bodies * sizeof *f->d);
    memset(f->changed, 0, bodies * sizeof *f->changed);
    return true;
}

cairn_status eng_correct_positions(cairn_world *world, pose *q)
{
    if (!is_needed(world))
        return CAIRN_OK;
    int n = world->problem.contact_count;
    base_arena_mark mark = base_arena_get_mark(world->arena);
    row *rows;
    field f = {0};
    if (!allocate(world, &rows, &f))
        return CAIRN_ERROR_MEMORY;
    double deepest = 0.0;
    for (int i = 0; i < n; i++) {
        fill_row(world, i, &rows[i]);
        deepest = fmax(deepest, rows[i].target);
    }
    f.precision = 1e-4 * deepest;
    for (int k = 0; k < CORRECTION_SWEEPS; k++)
        if (sweep(rows, n, k % 2 == 0, &f) <= 1e-3 * deepest)
            break;
    unscale(world, &f);
    apply(world, (const double(*)[6])f.d, q);
    base_arena_rewind(world->arena, mark);
    return CAIRN_OK;
}
