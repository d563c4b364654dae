// SPDX-License-Identifier: Apache-2.0
// Levels of the pairs of bodies in contact, in the order of the contacts.
#include "contact/sweep_levels.h"

#include <string.h>

static bool continues_group(const con_problem *problem, int i)
{
    const int(*body)[2] = problem->body;
    return i > 0 && body[i][0] == body[i - 1][0] && body[i][1] == body[i - 1][1];
}

static int count_groups(const con_problem *problem)
{
    int groups = 0;
    for (int i = 0; i < problem->contact_count; i++)
        groups += !continues_group(problem, i);
    return groups;
}

/// @param level  [groups] out
/// @param top    [body_count] scratch: levels that a body is in so far
/// @return number of levels
static int find_levels(const con_problem *problem, int *level, int *top)
{
    memset(top, 0, (size_t)problem->body_count * sizeof *top);
    int group = 0, count = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        if (continues_group(problem, i))
            continue;
        int here = 0;
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0 && top[problem->body[i][s]] > here)
                here = top[problem->body[i][s]];
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                top[problem->body[i][s]] = here + 1;
        level[group++] = here;
        count = here + 1 > count ? here + 1 : count;
    }
    return count;
}

// groups sorted by level, in their order within one
static void sort_groups(const con_problem *problem, const int *level, int *start,
                        con_sweep_levels *levels, int level_count)
{
    memset(start, 0, (size_t)(level_count + 2) * sizeof *start);
    for (int g = 0; g < levels->group_count; g++)
        start[level[g] + 2]++;
    for (int k = 2; k <= level_count; k++)
        start[k] += start[k - 1];
    int group = -1, place = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        if (!continues_group(problem, i)) {
            place = start[level[++group] + 1]++;
            levels->range[place][0] = i;
        }
        levels->range[place][1] = i + 1;
    }
}

static void number_groups(const con_problem *problem, con_sweep_levels *levels)
{
    memset(levels->body_groups, 0, (size_t)problem->body_count * sizeof *levels->body_groups);
    for (int g = 0; g < levels->group_count; g++)
        for (int s = 0; s < 2; s++) {
            int body = problem->body[levels->range[g][0]][s];
            levels->number[g][s] = body >= 0 ? levels->body_groups[body]++ : 0;
        }
}

cairn_status con_sweep_levels_create(const con_problem *problem, base_arena *arena,
                                     con_sweep_levels *levels)
{
    int groups = count_groups(problem), bodies = problem->body_count;
    size_t room = (size_t)groups + 1;
    levels->group_count = groups;
    levels->range = base_arena_allocate(arena, "levels", room, sizeof *levels->range);
    levels->number = base_arena_allocate(arena, "levels", room, sizeof *levels->number);
    levels->body_groups = base_arena_array(arena, int, "levels", bodies + 1);
    if (levels->range == NULL || levels->number == NULL || levels->body_groups == NULL)
        return CAIRN_ERROR_MEMORY;
    base_arena_mark mark = base_arena_get_mark(arena);
    int *level = base_arena_array(arena, int, "levels", groups + 1);
    int *start = base_arena_array(arena, int, "levels", groups + 2);
    int *top = base_arena_array(arena, int, "levels", bodies + 1);
    if (level == NULL || start == NULL || top == NULL)
        return CAIRN_ERROR_MEMORY;
    int count = find_levels(problem, level, top);
    sort_groups(problem, level, start, levels, count);
    number_groups(problem, levels);
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}
