// SPDX-License-Identifier: Apache-2.0
// Which contacts carry the error of an island, and what others do to their bodies.
#include "contact/strategy/patch.h"

#include "contact/problem/reduced.h"
#include "contact/problem/team.h"
#include "contact/strategy/numbers.h"

#include <math.h>
#include <string.h>

enum {
    RINGS = 3,   // of neighbours around the contacts that carry the error
    BUCKETS = 64 // of errors, by powers of two
};

static void note(con_patch *patch)
{
    const con_cascade *c = patch->cascade;
    patch->best_error = con_cascade_island_error(c, patch->island);
    patch->at_best = true;
    memcpy(patch->best, c->R, (size_t)c->problem->contact_count * sizeof *patch->best);
}

cairn_status con_patch_init(con_cascade *cascade, int island, con_patch *patch)
{
    size_t n = (size_t)cascade->problem->contact_count;
    *patch = (con_patch){.cascade = cascade, .island = island};
    patch->chosen = base_arena_array(cascade->arena, bool, "patch", n);
    patch->best = base_arena_allocate(cascade->arena, "patch", n, sizeof *patch->best);
    if (patch->chosen == NULL || patch->best == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(patch->chosen, 0, n * sizeof *patch->chosen);
    cairn_status status = con_cascade_take_best(cascade, island);
    note(patch);
    return status;
}

static double error_of(const con_cascade *c, int i)
{
    con_residual_sums sums =
        con_residual_sums_at(c->problem, &c->scale, (const double(*)[3])c->R,
                             (const double(*)[3])c->U, i, c->control->both_measures);
    const con_residual residual = con_residual_from(&sums, &c->scale);
    return con_control_error(c->control, &residual);
}

static int bucket_of(double error, double whole)
{
    int exponent;
    if (!(error > 0.0))
        return BUCKETS - 1;
    frexp(error / whole, &exponent);
    return exponent >= 0 ? 0 : exponent <= -BUCKETS ? BUCKETS - 1 : -exponent;
}

/// Adds the contacts that have all of the error but a small rest.
static void add_carriers(const con_patch *patch)
{
    const con_cascade *c = patch->cascade;
    double sum[BUCKETS] = {0.0}, squared = 0.0, left = 0.0;
    int begin = c->start[patch->island], end = c->start[patch->island + 1], last = BUCKETS - 1;
    for (int k = begin; k < end; k++) {
        double error = error_of(c, c->contact[k]);
        squared += error * error;
    }
    double whole = sqrt(squared);
    for (int k = begin; k < end; k++) {
        double error = error_of(c, c->contact[k]);
        sum[bucket_of(error, whole)] += error * error;
    }
    double share = (double)(end - begin) / c->problem->contact_count;
    double rest = fmax(con_patch_rest * whole,
                       con_patch_rest_of_tolerance * c->control->tolerance * sqrt(share));
    for (; last > 0 && left + sum[last] <= rest * rest; last--)
        left += sum[last];
    for (int k = begin; k < end; k++)
        patch->chosen[c->contact[k]] |= bucket_of(error_of(c, c->contact[k]), whole) <= last;
}

/// Adds the contacts that share a body with the chosen ones.
/// @param reached  [body_count] scratch
static void add_ring_by_bodies(const con_patch *patch, bool *reached)
{
    const con_cascade *c = patch->cascade;
    const con_problem *problem = c->problem;
    const int(*bodies)[2] =
        problem->reduction != NULL ? (const int(*)[2])problem->reduction->together : problem->body;
    memset(reached, 0, (size_t)problem->body_count * sizeof *reached);
    for (int turn = 0; turn < 2; turn++)
        for (int k = c->start[patch->island]; k < c->start[patch->island + 1]; k++)
            for (int i = c->contact[k], s = 0; s < 2; s++) {
                int body = bodies[i][s];
                if (body < 0)
                    continue;
                if (turn == 0)
                    reached[body] |= patch->chosen[i];
                else
                    patch->chosen[i] |= reached[body];
            }
}

/// The same by the blocks of W.
/// @param reached  [contact_count] scratch
static void add_ring_by_blocks(const con_patch *patch, bool *reached)
{
    const con_cascade *c = patch->cascade;
    const con_block_matrix *W = c->problem->W;
    int begin = c->start[patch->island], end = c->start[patch->island + 1];
    for (int k = begin; k < end; k++) {
        int i = c->contact[k];
        reached[i] = false;
        for (int j = W->start[i]; j < W->start[i + 1]; j++)
            reached[i] |= patch->chosen[W->column[j]];
    }
    for (int k = begin; k < end; k++)
        patch->chosen[c->contact[k]] |= reached[c->contact[k]];
}

/// A force and its moment are solved together, also where W says nothing of one by the other.
static void join_moments(const con_patch *patch)
{
    const con_cascade *c = patch->cascade;
    for (int k = c->start[patch->island]; k < c->start[patch->island + 1]; k++) {
        int i = c->contact[k];
        if (con_has_moment(c->problem, i))
            patch->chosen[i] = patch->chosen[i + 1] = patch->chosen[i] || patch->chosen[i + 1];
    }
}

static cairn_status add_rings(const con_patch *patch)
{
    const con_cascade *c = patch->cascade;
    const con_problem *problem = c->problem;
    base_arena_mark mark = base_arena_get_mark(c->arena);
    size_t size = (size_t)problem->contact_count + (size_t)problem->body_count;
    bool *reached = base_arena_array(c->arena, bool, "patch", size);
    if (reached == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int ring = 0; ring < RINGS; ring++)
        if (problem->H != NULL)
            add_ring_by_bodies(patch, reached);
        else
            add_ring_by_blocks(patch, reached);
    join_moments(patch);
    base_arena_rewind(c->arena, mark);
    return CAIRN_OK;
}

/// The velocities that contacts have without the impulses of the patch.
static cairn_status find_velocity(const con_patch *patch, const int *contact, double (*U)[3])
{
    const con_cascade *c = patch->cascade;
    size_t n = (size_t)c->problem->contact_count;
    base_arena_mark mark = base_arena_get_mark(c->arena);
    double(*R)[3] = base_arena_allocate(c->arena, "patch", n, sizeof *R);
    if (R == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(R, c->R, n * sizeof *R);
    for (int k = 0; k < patch->count; k++)
        memset(R[contact[k]], 0, sizeof *R);
    cairn_status status = con_problem_velocity(c->problem, (const double(*)[3])R, U, c->arena);
    const con_domains *domains = c->problem->domains;
    if (domains != NULL && domains->team != NULL)
        con_team_share_contacts(domains->team, (con_rows){U, sizeof *U});
    base_arena_rewind(c->arena, mark);
    return status;
}

static cairn_status make_model(con_patch *patch, const int *contact)
{
    con_cascade *c = patch->cascade;
    size_t n = (size_t)c->problem->contact_count;
    int island_size = c->start[patch->island + 1] - c->start[patch->island];
    double share = sqrt((double)patch->count / island_size);
    double(*q)[3] = base_arena_allocate(c->arena, "patch", n, sizeof *q);
    BASE_TRY(q != NULL ? find_velocity(patch, contact, q) : CAIRN_ERROR_MEMORY);
    patch->around = *c->problem;
    patch->around.q = (const double(*)[3])q;
    const con_goal goal = {.tolerance = fmax(con_patch_part / share, con_patch_least_part) *
                                        c->control->tolerance,
                           .scale = c->scale,
                           .share = (double)patch->count / c->problem->contact_count,
                           .deadline = c->deadline};
    con_newton *model = &patch->model;
    BASE_TRY(con_newton_create(&patch->around, contact, patch->count, &goal, c->control, c->report,
                               c->body_place, c->place, c->arena, model));
    model->limit = con_cascade_left(c);
    con_newton_gather(model, (const double(*)[3])c->R, model->scratch[3]);
    con_newton_error(model, (const double(*)[3])model->scratch[3]);
    return CAIRN_OK;
}

cairn_status con_patch_find(con_patch *patch, double most, bool wider, bool *found)
{
    const con_cascade *c = patch->cascade;
    size_t n = (size_t)c->problem->contact_count;
    int begin = c->start[patch->island], end = c->start[patch->island + 1];
    base_arena_mark mark = base_arena_get_mark(c->arena);
    bool *earlier = base_arena_array(c->arena, bool, "patch", n);
    int *contact = base_arena_array(c->arena, int, "patch", end - begin);
    *found = false;
    if (contact == NULL || earlier == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(earlier, patch->chosen, n * sizeof *earlier);
    if (!wider)
        memset(patch->chosen, 0, n * sizeof *patch->chosen);
    add_carriers(patch);
    cairn_status status = add_rings(patch);
    patch->count = 0;
    for (int k = begin; k < end; k++) {
        int i = c->contact[k];
        if (patch->chosen[i])
            contact[patch->count++] = i;
        patch->chosen[i] |= earlier[i];
    }
    *found = status == CAIRN_OK && patch->count > 0 && patch->count <= most * (end - begin);
    patch->mark = mark;
    if (*found)
        return make_model(patch, contact);
    base_arena_rewind(c->arena, mark);
    return status;
}

cairn_status con_patch_take(con_patch *patch)
{
    con_cascade *c = patch->cascade;
    c->patch_steps += patch->model.factorisations + patch->model.gradients;
    cairn_status status = con_cascade_take(c, &patch->model);
    base_arena_rewind(c->arena, patch->mark);
    patch->at_best = con_cascade_island_error(c, patch->island) < patch->best_error;
    if (patch->at_best)
        note(patch);
    return status;
}

cairn_status con_patch_end(con_patch *patch)
{
    con_cascade *c = patch->cascade;
    if (patch->at_best)
        return CAIRN_OK;
    memcpy(c->R, patch->best, (size_t)c->problem->contact_count * sizeof *patch->best);
    return con_cascade_restart(c);
}
