// SPDX-License-Identifier: Apache-2.0
// Contact problems from arrays and from live steps, and their arrays for programs.
#include "engine/files/problems.h"

#include "engine/state/world.h"

#include <string.h>

enum { DATA_COOKIE = 0x50444154, ARENA_START = 1 << 16 };

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

_Static_assert(sizeof(cairn_sparse) == sizeof(con_sparse) &&
                   offsetof(cairn_sparse, columns) == offsetof(con_sparse, columns) &&
                   offsetof(cairn_sparse, start) == offsetof(con_sparse, start) &&
                   offsetof(cairn_sparse, index) == offsetof(con_sparse, index) &&
                   offsetof(cairn_sparse, value) == offsetof(con_sparse, value),
               "a public matrix is a matrix");

static cairn_sparse shown(const con_sparse *a)
{
    return (cairn_sparse){a->rows, a->columns, a->start, a->index, a->value};
}

static con_sparse given(const cairn_sparse *a)
{
    return (con_sparse){a->rows, a->columns, a->start, a->index, a->value};
}

cairn_problem_data cairn_default_problem_data(cairn_problem_kind kind)
{
    return (cairn_problem_data){.kind = kind, .dimension = 3, .cookie = DATA_COOKIE};
}

cairn_problem_data eng_problem_data(const con_fclib_problem *content)
{
    cairn_problem_data data = cairn_default_problem_data(
        content->form == CON_FCLIB_LOCAL ? CAIRN_PROBLEM_LOCAL : CAIRN_PROBLEM_GLOBAL);
    data.dimension = content->dimension;
    data.contacts = content->contact_count;
    data.velocities = content->velocity_count;
    data.equalities = content->equality_count;
    data.friction = content->friction;
    data.rolling = content->rolling;
    data.spinning = content->spinning;
    data.W = shown(&content->W);
    data.V = shown(&content->V);
    data.S = shown(&content->S);
    data.R = shown(&content->R);
    data.q = content->q;
    data.s = content->s;
    data.M = shown(&content->M);
    data.H = shown(&content->H);
    data.G = shown(&content->G);
    data.f = content->f;
    data.w = content->w;
    data.b = content->b;
    data.guess = content->guess_count > 0 ? content->guesses[0].r : NULL;
    data.title = content->info.title;
    data.description = content->info.description;
    return data;
}

cairn_problem_data cairn_problem_get_data(const cairn_problem *problem)
{
    if (problem == NULL)
        return (cairn_problem_data){0};
    return eng_problem_data(problem->content);
}

/// A problem with the content, which is its own from now on, also after a failure.
static cairn_status adopt(con_fclib_problem *content, cairn_problem **problem, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    cairn_problem *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL) {
        con_fclib_problem_destroy(content);
        return fail_memory(error);
    }
    made->allocator = allocator;
    made->content = content;
    made->arena = base_arena_create(&made->allocator, ARENA_START);
    cairn_status status = made->arena != NULL ? CAIRN_OK : fail_memory(error);
    if (status == CAIRN_OK)
        status = con_fclib_convert(content, &made->allocator, &made->conversion, error);
    if (status != CAIRN_OK) {
        cairn_problem_destroy(made);
        return status;
    }
    *problem = made;
    return CAIRN_OK;
}

cairn_status cairn_problem_create(const cairn_problem_data *data, cairn_problem **problem,
                                  cairn_error *error)
{
    if (problem == NULL)
        return base_fail_null(error, __func__);
    *problem = NULL;
    if (data == NULL || data->cookie != DATA_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the data does not come from cairn_default_problem_data");
    con_fclib_vectors guess = {.r = data->guess};
    con_fclib_problem content = {
        .form = data->kind == CAIRN_PROBLEM_LOCAL ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
        .dimension = data->dimension,
        .contact_count = data->contacts,
        .velocity_count = data->kind == CAIRN_PROBLEM_LOCAL ? 0 : data->velocities,
        .equality_count = data->equalities,
        .friction = data->friction,
        .rolling = data->rolling,
        .spinning = data->spinning,
        .W = given(&data->W),
        .V = given(&data->V),
        .S = given(&data->S),
        .R = given(&data->R),
        .q = data->q,
        .s = data->s,
        .M = given(&data->M),
        .H = given(&data->H),
        .G = given(&data->G),
        .f = data->f,
        .w = data->w,
        .b = data->b,
        .info = {data->title, data->description, NULL},
        .guess_count = data->guess != NULL,
        .guesses = &guess,
    };
    base_allocator allocator = base_allocator_default();
    con_fclib_problem *copy;
    cairn_status status = con_fclib_copy(&content, &allocator, &copy, error);
    return status != CAIRN_OK ? status : adopt(copy, problem, error);
}

/// The point that a step found becomes the one that the problem has.
static cairn_status keep_point(cairn_problem *problem, const cairn_world *world, cairn_error *error)
{
    size_t n = (size_t)world->scratch.solve.solved->contact_count;
    problem->R = base_allocate(&problem->allocator, n + 1, sizeof *problem->R);
    problem->U = base_allocate(&problem->allocator, n + 1, sizeof *problem->U);
    if (problem->R == NULL || problem->U == NULL)
        return fail_memory(error);
    memcpy(problem->R, world->scratch.solve.solved_R, n * sizeof *problem->R);
    memcpy(problem->U, world->scratch.solve.solution_U, n * sizeof *problem->U);
    problem->solved = true;
    return CAIRN_OK;
}

cairn_status cairn_world_get_problem(const cairn_world *world, cairn_problem_kind kind,
                                     cairn_problem **problem, cairn_error *error)
{
    if (world == NULL || problem == NULL)
        return base_fail_null(error, __func__);
    *problem = NULL;
    if ((unsigned)kind > CAIRN_PROBLEM_GLOBAL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is no problem kind %d", (int)kind);
    if (world->scratch.solve.problem.contact_count == 0 || world->scratch.solve.solved == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the last step had no contact of the implicit law, and so no problem");
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, ARENA_START);
    if (arena == NULL)
        return fail_memory(error);
    con_fclib_problem content, *copy = NULL;
    con_fclib_vectors guess = {.r = world->scratch.solve.guess[0]};
    cairn_status status =
        con_fclib_from_problem(kind == CAIRN_PROBLEM_LOCAL ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
                               world->scratch.solve.solved, arena, &content, error);
    if (status == CAIRN_OK) {
        content.guesses = &guess;
        // blocks of moments are not rows of the file
        content.guess_count = content.rolling == NULL;
        status = con_fclib_copy(&content, &allocator, &copy, error);
    }
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        status = adopt(copy, problem, error);
    if (status == CAIRN_OK)
        status = keep_point(*problem, world, error);
    if (status != CAIRN_OK) {
        cairn_problem_destroy(*problem);
        *problem = NULL;
    }
    return status;
}

cairn_status cairn_problem_get_impulses(const cairn_problem *problem, double (*impulses)[3],
                                        double (*velocities)[3], cairn_error *error)
{
    if (problem == NULL)
        return base_fail_null(error, __func__);
    if (problem->content->rolling != NULL)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "impulses of a problem with rolling friction cannot be shown");
    if (!problem->solved)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the problem has not been solved yet");
    size_t size = (size_t)problem->content->contact_count * sizeof *problem->R;
    if (impulses != NULL)
        memcpy(impulses, problem->R, size);
    if (velocities != NULL)
        memcpy(velocities, problem->U, size);
    return CAIRN_OK;
}
