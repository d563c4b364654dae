// SPDX-License-Identifier: Apache-2.0
// Greedy colours of the pairs of bodies in contact.
#include "contact/sweep_colours.h"

#include <stdint.h>
#include <string.h>

enum { COLOURS_MAX = 64 }; // groups that find none free get colours of their own, one each

static bool continues_group(const con_problem *problem, int i)
{
    const int(*body)[2] = problem->body;
    return i > 0 && body[i][0] == body[i - 1][0] && body[i][1] == body[i - 1][1];
}

static uint64_t colours_of(const uint64_t *used, int body)
{
    return body >= 0 ? used[body] : 0;
}

static void take_colour(uint64_t *used, int body, int colour)
{
    if (body >= 0 && colour < COLOURS_MAX)
        used[body] |= UINT64_C(1) << colour;
}

/// @param colour  [groups] out
/// @param used    [body_count] zeros: bits of the colours of a body
/// @return number of colours
static int colour_groups(const con_problem *problem, int *colour, uint64_t *used)
{
    int group = 0, count = 0, spare = COLOURS_MAX;
    for (int i = 0; i < problem->contact_count; i++) {
        if (continues_group(problem, i))
            continue;
        int a = problem->body[i][0], b = problem->body[i][1];
        uint64_t taken = colours_of(used, a) | colours_of(used, b);
        int here = taken != UINT64_MAX ? __builtin_ctzll(~taken) : spare++;
        take_colour(used, a, here);
        take_colour(used, b, here);
        colour[group++] = here;
        if (here >= count)
            count = here + 1;
    }
    return count;
}

static int count_groups(const con_problem *problem)
{
    int groups = 0;
    for (int i = 0; i < problem->contact_count; i++)
        groups += !continues_group(problem, i);
    return groups;
}

// groups sorted by colour, then contacts by group; `turn` [groups] is scratch
static void sort_groups(const con_problem *problem, const int *colour, int groups, int *turn,
                        con_sweep_colours *c, int *place)
{
    memset(c->group_start, 0, (size_t)(c->count + 1) * sizeof *c->group_start);
    memset(c->contact_start, 0, (size_t)(groups + 1) * sizeof *c->contact_start);
    for (int g = 0; g < groups; g++)
        c->group_start[colour[g] + 1]++;
    c->largest = 0;
    for (int k = 0; k < c->count; k++) {
        c->largest = c->group_start[k + 1] > c->largest ? c->group_start[k + 1] : c->largest;
        c->group_start[k + 1] += c->group_start[k];
    }
    for (int g = 0; g < groups; g++)
        turn[g] = c->group_start[colour[g]]++;
    for (int k = c->count; k > 0; k--)
        c->group_start[k] = c->group_start[k - 1];
    c->group_start[0] = 0;

    for (int i = 0, g = -1; i < problem->contact_count; i++) {
        g += !continues_group(problem, i);
        c->contact_start[turn[g] + 1]++;
    }
    for (int t = 0; t < groups; t++)
        c->contact_start[t + 1] += c->contact_start[t];
    for (int i = 0, g = -1, within = 0; i < problem->contact_count; i++) {
        bool same = continues_group(problem, i);
        g += !same;
        within = same ? within + 1 : 0;
        place[i] = c->contact_start[turn[g]] + within;
    }
}

cairn_status con_sweep_colours_create(const con_problem *problem, base_arena *arena,
                                      con_sweep_colours *colours, int *place)
{
    int groups = count_groups(problem);
    size_t bodies = (size_t)problem->body_count;
    colours->contact_start = base_arena_array(arena, int, "colours", groups + 1);
    colours->group_start = base_arena_array(arena, int, "colours", COLOURS_MAX + groups + 1);
    if (colours->contact_start == NULL || colours->group_start == NULL)
        return CAIRN_ERROR_MEMORY;
    base_arena_mark mark = base_arena_get_mark(arena);
    int *colour = base_arena_array(arena, int, "colours", groups + 1);
    int *turn = base_arena_array(arena, int, "colours", groups + 1);
    uint64_t *used = base_arena_allocate(arena, "colours", bodies + 1, sizeof *used);
    if (colour == NULL || turn == NULL || used == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(used, 0, (bodies + 1) * sizeof *used);
    colours->count = colour_groups(problem, colour, used);
    sort_groups(problem, colour, groups, turn, colours, place);
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}
