// SPDX-License-Identifier: Apache-2.0
// Distances by a search over the graph of contacts, whose starts and ties are told by numbers.
#include "contact/problem/support_order.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 8 };

// what tells a contact from others
typedef struct contact_key {
    double number[NUMBERS];
    int contact;
} contact_key;

typedef struct support_search {
    const con_problem *problem;
    contact_key *key; // [count] forces, in the order of their numbers
    int count;
    int *level; // [contact_count] distance; -1: not found yet
    int *queue; // [count] forces, as they are found
    int found;
    int *start;   // [body_count + 1] into of_body; NULL in W form
    int *of_body; // forces of each body
} support_search;

static int compare_keys(const void *a, const void *b)
{
    const contact_key *x = a, *y = b;
    for (int k = 0; k < NUMBERS; k++)
        if (x->number[k] != y->number[k])
            return x->number[k] < y->number[k] ? -1 : 1;
    return (x->contact > y->contact) - (x->contact < y->contact);
}

// how many neighbours a contact has: in body form whether it has an immobile body, which comes
// first
static double neighbours_of(const con_problem *problem, int i)
{
    if (problem->H == NULL)
        return problem->W->start[i + 1] - problem->W->start[i];
    return problem->body[i][0] < 0 || problem->body[i][1] < 0 ? 0.0 : 1.0;
}

static void sort_by_numbers(support_search *s)
{
    const con_problem *problem = s->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        if (con_is_moment(problem, i))
            continue;
        const double *q = problem->q[i];
        const mat3 *W = &problem->W_diagonal[i];
        s->key[s->count++] = (contact_key){{neighbours_of(problem, i), q[0], W->m[0][0], q[1], q[2],
                                            W->m[1][1], W->m[2][2], problem->friction[i]},
                                           i};
    }
    qsort(s->key, (size_t)s->count, sizeof *s->key, compare_keys);
}

static void list_by_body(support_search *s)
{
    const con_problem *problem = s->problem;
    memset(s->start, 0, (size_t)(problem->body_count + 1) * sizeof *s->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < s->count; k++)
            for (int side = 0; side < 2; side++) {
                int body = problem->body[s->key[k].contact][side];
                if (body < 0)
                    continue;
                if (pass == 0)
                    s->start[body]++;
                else
                    s->of_body[--s->start[body]] = s->key[k].contact;
            }
        // ends of the lists, which the second pass fills from there
        for (int b = 1; pass == 0 && b <= problem->body_count; b++)
            s->start[b] += s->start[b - 1];
    }
}

static void find(support_search *s, int i, int level)
{
    if (s->level[i] >= 0 || con_is_moment(s->problem, i))
        return;
    s->level[i] = level;
    s->queue[s->found++] = i;
}

static void find_neighbours(support_search *s, int i)
{
    const con_problem *problem = s->problem;
    int next = s->level[i] + 1;
    for (int side = 0; problem->H != NULL && side < 2; side++) {
        int body = problem->body[i][side];
        for (int k = body >= 0 ? s->start[body] : 0; body >= 0 && k < s->start[body + 1]; k++)
            find(s, s->of_body[k], next);
    }
    const con_block_matrix *W = problem->H == NULL ? problem->W : NULL;
    for (int k = W != NULL ? W->start[i] : 0; W != NULL && k < W->start[i + 1]; k++)
        find(s, W->column[k], next);
}

static void find_levels(support_search *s)
{
    for (int i = 0; i < s->problem->contact_count; i++)
        s->level[i] = -1;
    for (int k = 0; k < s->count && s->key[k].number[0] == 0.0; k++)
        find(s, s->key[k].contact, 0);
    for (int k = 0, head = 0; k < s->count; k++) {
        for (; head < s->found; head++)
            find_neighbours(s, s->queue[head]);
        find(s, s->key[k].contact, 0);
    }
}

// forces by level, those of a level as they are sorted, each with its moment
static void list_by_level(const support_search *s, int *first, int *order)
{
    memset(first, 0, (size_t)(s->count + 1) * sizeof *first);
    for (int k = 0; k < s->count; k++) {
        int i = s->key[k].contact;
        first[s->level[i] + 1] += con_has_moment(s->problem, i) ? 2 : 1;
    }
    for (int level = 1; level <= s->count; level++)
        first[level] += first[level - 1];
    for (int k = 0; k < s->count; k++) {
        int i = s->key[k].contact, *place = &first[s->level[i]];
        order[(*place)++] = i;
        if (con_has_moment(s->problem, i))
            order[(*place)++] = i + 1;
    }
}

cairn_status con_support_order(const con_problem *problem, int *order, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    int n = problem->contact_count;
    support_search s = {.problem = problem};
    s.key = base_arena_array(arena, contact_key, "order", n);
    s.level = base_arena_array(arena, int, "order", n);
    s.queue = base_arena_array(arena, int, "order", n);
    int *first = base_arena_array(arena, int, "order", n + 1);
    bool complete = s.key != NULL && s.level != NULL && s.queue != NULL && first != NULL;
    if (problem->H != NULL) {
        s.start = base_arena_array(arena, int, "order", problem->body_count + 1);
        s.of_body = base_arena_array(arena, int, "order", 2 * n);
        complete = complete && s.start != NULL && s.of_body != NULL;
    }
    if (complete) {
        sort_by_numbers(&s);
        if (problem->H != NULL)
            list_by_body(&s);
        find_levels(&s);
        list_by_level(&s, first, order);
    }
    base_arena_rewind(arena, mark);
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}
