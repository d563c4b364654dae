// SPDX-License-Identifier: Apache-2.0
// Symbolic part of the block factorisation: minimum degree, elimination tree, supernodes, fronts.
#include "contact/linear/block_order.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <suitesparse/amd.h>

/// Scratch of one analysis, all [size + 1] unless said otherwise.
typedef struct analysis {
    const con_block_pattern *pattern;
    con_block_order *order;
    base_arena *arena;
    int *tree;  // parent of a turn in the elimination tree, -1 for roots
    int *count; // blocks of the factor's column, diagonal included
    int *super; // supernode of a turn
    int *mark;
    int *work_a;
    int *work_b;
} analysis;

static int *integers(base_arena *arena, size_t count)
{
    return base_arena_array(arena, int, "block order", count + 1);
}

// the graph without its diagonal, in the workspace form of AMD
static bool run_minimum_degree(const con_block_pattern *pattern, int *turn_to_block,
                               base_arena *arena)
{
    int n = pattern->size, entries = pattern->start[n] - n;
    size_t room = (size_t)entries + (size_t)entries / 5 + (size_t)n + 1;
    if (room > INT_MAX)
        return false;
    int *graph = integers(arena, room);
    int *work = integers(arena, 8 * (size_t)n);
    if (graph == NULL || work == NULL)
        return false;
    int *start = work, *length = work + n, *next = work + 2 * n, *head = work + 3 * n;
    int *elements = work + 4 * n, *degree = work + 5 * n, *flags = work + 6 * n, *nv = work + 7 * n;
    int used = 0;
    for (int i = 0; i < n; i++) {
        start[i] = used;
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++)
            if (pattern->column[k] != i)
                graph[used++] = pattern->column[k];
        length[i] = used - start[i];
    }
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2(n, start, graph, length, (int)room, used, nv, next, turn_to_block, head, elements, degree,
          flags, control, info);
    return true;
}

// elimination tree of the permuted matrix, by path compression
static void build_tree(analysis *a)
{
    const con_block_order *order = a->order;
    int *ancestor = a->work_a;
    for (int i = 0; i < order->size; i++) {
        a->tree[i] = ancestor[i] = -1;
        int block = order->block_at[i];
        for (int k = a->pattern->start[block]; k < a->pattern->start[block + 1]; k++) {
            int j = order->place[a->pattern->column[k]];
            while (j != -1 && j < i) {
                int next = ancestor[j];
                ancestor[j] = i;
                if (next == -1)
                    a->tree[j] = i;
                j = next;
            }
        }
    }
}

// renumbers the turns so that the tree is in postorder
static void apply_postorder(analysis *a)
{
    con_block_order *order = a->order;
    int n = order->size, *head = a->work_a, *next = a->work_b, *stack = a->mark, *old = a->count;
    memset(head, -1, (size_t)n * sizeof *head);
    for (int j = n - 1; j >= 0; j--)
        if (a->tree[j] >= 0) {
            next[j] = head[a->tree[j]];
            head[a->tree[j]] = j;
        }
    int turn = 0;
    for (int root = 0; root < n; root++) {
        if (a->tree[root] >= 0)
            continue;
        int top = 0;
        stack[0] = root;
        while (top >= 0) {
            int node = stack[top], child = head[node];
            if (child >= 0) {
                head[node] = next[child];
                stack[++top] = child;
            } else {
                old[turn++] = order->block_at[node];
                top--;
            }
        }
    }
    memcpy(order->block_at, old, (size_t)n * sizeof *old);
    for (int i = 0; i < n; i++)
        order->place[order->block_at[i]] = i;
}

// blocks in each column of the factor: every row visits its subtree once
static void count_columns(analysis *a)
{
    const con_block_order *order = a->order;
    int n = order->size;
    for (int i = 0; i < n; i++) {
        a->count[i] = 1;
        a->mark[i] = -1;
    }
    for (int i = 0; i < n; i++) {
        a->mark[i] = i;
        int block = order->block_at[i];
        for (int k = a->pattern->start[block]; k < a->pattern->start[block + 1]; k++)
            for (int j = order->place[a->pattern->column[k]]; j < i && a->mark[j] != i;
                 j = a->tree[j]) {
                a->count[j]++;
                a->mark[j] = i;
            }
    }
}

// is it worth storing `zeros` in a supernode of `width` pivots and `entries` blocks
static bool few_zeros(int width, double zeros, double entries)
{
    double allowed = width <= 4 ? 0.5 : width <= 16 ? 0.15 : 0.05;
    return zeros <= allowed * entries;
}

// chains of the tree become supernodes as long as their structures are nearly the same
static void find_supernodes(analysis *a)
{
    con_block_order *order = a->order;
    int n = order->size, count = 0;
    double zeros = 0.0;
    for (int j = 0; j < n; j++) {
        bool joins = j > 0 && a->tree[j - 1] == j;
        if (joins) {
            int width = j - order->first[count - 1];
            double more = (double)width * (a->count[j] - (a->count[j - 1] - 1));
            double rows = (double)width + a->count[j];
            joins = few_zeros(width + 1, zeros + more, (width + 1) * rows);
            zeros = joins ? zeros + more : 0.0;
        }
        if (!joins) {
            order->first[count++] = j;
            zeros = 0.0;
        }
        a->super[j] = count - 1;
    }
    order->first[count] = n;
    order->supernode_count = count;
    for (int s = 0; s < count; s++) {
        int up = a->tree[order->first[s + 1] - 1];
        order->parent[s] = up < 0 ? -1 : a->super[up];
    }
}

// rows of all fronts: the pivots, then each later row in ascending order
static cairn_status list_rows(analysis *a)
{
    con_block_order *order = a->order;
    int supernodes = order->supernode_count;
    size_t total = 0;
    for (int s = 0; s < supernodes; s++) {
        order->row_start[s] = (int)total;
        int last = order->first[s + 1] - 1;
        total += (size_t)(last - order->first[s]) + (size_t)a->count[last];
        if (total > INT_MAX)
            return CAIRN_ERROR_MEMORY;
        a->mark[s] = -1;
    }
    order->row_start[supernodes] = (int)total;
    order->row = integers(a->arena, total);
    order->relative = integers(a->arena, total);
    if (order->row == NULL || order->relative == NULL)
        return CAIRN_ERROR_MEMORY;
    int *fill = a->work_a;
    for (int s = 0; s < supernodes; s++)
        fill[s] = order->row_start[s];
    for (int i = 0; i < order->size; i++) {
        int own = a->super[i], block = order->block_at[i];
        order->row[fill[own]++] = i;
        for (int k = a->pattern->start[block]; k < a->pattern->start[block + 1]; k++) {
            int j = order->place[a->pattern->column[k]];
            for (int s = j < i ? a->super[j] : own; s != own && a->mark[s] != i;
                 s = order->parent[s]) {
                order->row[fill[s]++] = i;
                a->mark[s] = i;
            }
        }
    }
    return CAIRN_OK;
}

static void relate_to_parents(const con_block_order *order)
{
    for (int s = 0; s < order->supernode_count; s++) {
        int up = order->parent[s], width = order->first[s + 1] - order->first[s];
        int at = up >= 0 ? order->row_start[up] : 0;
        for (int k = order->row_start[s]; k < order->row_start[s + 1]; k++) {
            order->relative[k] = 0;
            if (up < 0 || k < order->row_start[s] + width)
                continue;
            while (order->row[at] < order->row[k])
                at++;
            order->relative[k] = at - order->row_start[up];
        }
    }
}

// place of a turn in the front of supernode s
static int find_row(const con_block_order *order, int s, int turn)
{
    int low = order->row_start[s], high = order->row_start[s + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (order->row[middle] < turn)
            low = middle + 1;
        else
            high = middle;
    }
    return low - order->row_start[s];
}

// each block of the matrix goes to the front of the earlier of its row and column
static cairn_status list_entries(analysis *a)
{
    con_block_order *order = a->order;
    const con_block_pattern *pattern = a->pattern;
    int entries = pattern->start[order->size], *fill = a->work_a;
    order->entry = base_arena_array(a->arena, con_block_entry, "block entries", entries + 1);
    if (order->entry == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0)
            memset(order->entry_start, 0,
                   (size_t)(order->supernode_count + 1) * sizeof *order->entry_start);
        for (int i = 0; i < order->size; i++)
            for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
                int row = order->place[i], column = order->place[pattern->column[k]];
                int s = a->super[row < column ? row : column];
                if (pass == 0)
                    order->entry_start[s + 1]++;
                else
                    order->entry[fill[s]++] =
                        (con_block_entry){k, find_row(order, s, row), find_row(order, s, column)};
            }
        for (int s = 0; pass == 0 && s < order->supernode_count; s++) {
            order->entry_start[s + 1] += order->entry_start[s];
            fill[s] = order->entry_start[s];
        }
    }
    return CAIRN_OK;
}

// scalars of a front, and of its pivots
static int rows_of(const con_block_order *order, int s)
{
    return (order->row_start[s + 1] - order->row_start[s]) * order->block;
}

static int pivots_of(const con_block_order *order, int s)
{
    return (order->first[s + 1] - order->first[s]) * order->block;
}

// of the elimination of one front
static double flops_of(const con_block_order *order, int s)
{
    int rows = rows_of(order, s), pivots = pivots_of(order, s);
    double flops = 0.0;
    for (int k = 1; k <= pivots; k++)
        flops += 2.0 * (double)(rows - k) * (double)(rows - k);
    return flops;
}

// the front takes the updates of those children that lie in [begin, end) off the stack and puts its
// own there; doubles that the stack then has
static size_t push_update(con_block_order *order, int s, int begin, int end, size_t used)
{
    for (int c = order->first_child[s]; c >= begin && c < end; c = order->next_child[c])
        used = order->update_start[c];
    size_t below = (size_t)(rows_of(order, s) - pivots_of(order, s));
    order->update_start[s] = used;
    return used + below * below;
}

// places of the updates of supernodes [begin, end), which follow those of the stack so far; doubles
// that the stack has at most
static size_t lay_stack(con_block_order *order, int begin, int end, size_t base)
{
    size_t used = base, most = base;
    for (int s = begin; s < end; s++) {
        used = push_update(order, s, begin, end, used);
        most = used > most ? used : most;
    }
    return most;
}

// sizes of factor, front and stack
static void measure(con_block_order *order)
{
    size_t factor = 0;
    order->front_size = 0;
    order->flops = 0.0;
    for (int s = 0; s < order->supernode_count; s++) {
        int rows = rows_of(order, s), pivots = pivots_of(order, s);
        size_t size = (size_t)rows * con_front_stride(rows);
        order->front_size = size > order->front_size ? size : order->front_size;
        order->factor_start[s] = factor;
        factor += (size_t)pivots * (size_t)(2 * rows - pivots);
        order->flops += flops_of(order, s);
    }
    order->factor_start[order->supernode_count] = factor;
    order->stack_size = lay_stack(order, 0, order->supernode_count, 0);
}

// children of each supernode, the last first: in the order in which a stack gives them back
static void list_children(con_block_order *order)
{
    for (int s = 0; s < order->supernode_count; s++)
        order->first_child[s] = -1;
    for (int s = 0; s < order->supernode_count; s++) {
        int up = order->parent[s];
        order->next_child[s] = up >= 0 ? order->first_child[up] : -1;
        if (up >= 0)
            order->first_child[up] = s;
    }
}

static bool allocate(analysis *a, base_arena *arena)
{
    size_t n = (size_t)a->pattern->size;
    con_block_order *order = a->order;
    int **arrays[] = {&order->place,       &order->block_at,   &order->first,
                      &order->parent,      &order->row_start,  &order->entry_start,
                      &order->first_child, &order->next_child, &a->tree,
                      &a->count,           &a->super,          &a->mark,
                      &a->work_a,          &a->work_b};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = integers(arena, n);
        if (*arrays[k] == NULL)
            return false;
    }
    order->factor_start = base_arena_array(arena, size_t, "block order", n + 1);
    order->update_start = base_arena_array(arena, size_t, "block order", n + 1);
    return order->factor_start != NULL && order->update_start != NULL;
}

cairn_status con_block_order_create(const con_block_pattern *pattern, int block, base_arena *arena,
                                    con_block_order *order)
{
    *order = (con_block_order){.size = pattern->size, .block = block};
    analysis a = {.pattern = pattern, .order = order, .arena = arena};
    if (!allocate(&a, arena))
        return CAIRN_ERROR_MEMORY;
    base_arena_mark mark = base_arena_get_mark(arena);
    if (pattern->size > 0 && !run_minimum_degree(pattern, order->block_at, arena))
        return CAIRN_ERROR_MEMORY;
    base_arena_rewind(arena, mark);
    for (int i = 0; i < order->size; i++)
        order->place[order->block_at[i]] = i;
    build_tree(&a);
    apply_postorder(&a);
    build_tree(&a);
    count_columns(&a);
    find_supernodes(&a);
    cairn_status status = list_rows(&a);
    if (status == CAIRN_OK) {
        relate_to_parents(order);
        status = list_entries(&a);
    }
    if (status == CAIRN_OK) {
        list_children(order);
        measure(order);
    }
    return status;
}

// ---------------------------------------------------------------- parts

/// Scratch of one cut.
typedef struct cut {
    con_block_order *order;
    double *work; // [supernode_count] of the subtree below and with a supernode
    double most;  // of a part
} cut;

// flops of all subtrees; children come before their parents
static double weigh_subtrees(cut *c)
{
    const con_block_order *order = c->order;
    double total = 0.0;
    for (int s = 0; s < order->supernode_count; s++)
        c->work[s] = 0.0;
    for (int s = 0; s < order->supernode_count; s++) {
        c->work[s] += flops_of(order, s);
        if (order->parent[s] >= 0)
            c->work[order->parent[s]] += c->work[s];
        else
            total += c->work[s];
    }
    return total;
}

static bool is_top(const cut *c, int s)
{
    return c->work[s] > c->most;
}

// The root of the subtree that begins with a supernode and is as large as a part may be. What
// follows a whole subtree begins another
static int largest_root(const cut *c, int s)
{
    const int *parent = c->order->parent;
    while (parent[s] >= 0 && !is_top(c, parent[s]))
        s = parent[s];
    return s;
}

// Subtrees that follow each other without a supernode of the top in between are one part as long as
// they are small together; false where they are too many
static bool find_parts(cut *c)
{
    con_block_order *order = c->order;
    double so_far = 0.0;
    bool follows = false;
    order->part_count = 0;
    for (int s = 0; s < order->supernode_count; s++) {
        if (is_top(c, s)) {
            follows = false;
            continue;
        }
        int root = largest_root(c, s);
        if (follows && so_far + c->work[root] <= 0.5 * c->most) {
            so_far += c->work[root];
        } else {
            if (order->part_count == CON_BLOCK_PARTS_MAX)
                return false;
            order->part[order->part_count++].begin = s;
            so_far = c->work[root];
        }
        con_block_part *part = &order->part[order->part_count - 1];
        part->end = root + 1;
        part->last_turn = order->first[root + 1] - 1;
        follows = true;
        s = root;
    }
    return order->part_count > 1;
}

// largest fronts and places of all updates, those of parts first
static void measure_parts(con_block_order *order)
{
    size_t used = 0;
    order->front_size = order->part_front_size = 0;
    int next = 0;
    for (int p = 0; p < order->part_count; p++)
        used = lay_stack(order, order->part[p].begin, order->part[p].end, used);
    order->stack_size = used;
    for (int s = 0; s < order->supernode_count; s++) {
        while (next < order->part_count && order->part[next].end <= s)
            next++;
        bool top = next == order->part_count || s < order->part[next].begin;
        int rows = rows_of(order, s);
        size_t size = (size_t)rows * con_front_stride(rows);
        size_t *largest = top ? &order->front_size : &order->part_front_size;
        *largest = size > *largest ? size : *largest;
        if (!top)
            continue;
        // children of the top are on its stack, and others in their parts
        for (int c = order->first_child[s]; c >= 0; c = order->next_child[c])
            if (order->top_place[order->first[c]] >= 0)
                used = order->update_start[c];
        size_t below = (size_t)(rows - pivots_of(order, s));
        order->update_start[s] = used;
        used += below * below;
        order->stack_size = used > order->stack_size ? used : order->stack_size;
    }
}

// turns of no part
static void list_top(con_block_order *order)
{
    int count = 0, turn = 0;
    for (int p = 0; p <= order->part_count; p++) {
        bool after = p == order->part_count;
        int end = after ? order->size : order->first[order->part[p].begin];
        for (; turn < end; turn++) {
            order->top_place[turn] = count;
            order->top[count++] = turn;
        }
        for (; !after && turn <= order->part[p].last_turn; turn++)
            order->top_place[turn] = -1;
    }
    order->top_count = count;
}

cairn_status con_block_order_cut(con_block_order *order, base_arena *arena)
{
    const double share = 0.125;
    order->top = integers(arena, (size_t)order->size);
    order->top_place = integers(arena, (size_t)order->size);
    base_arena_mark mark = base_arena_get_mark(arena);
    cut c = {.order = order};
    c.work = base_arena_array(arena, double, "block order", order->supernode_count + 1);
    if (order->top == NULL || order->top_place == NULL || c.work == NULL)
        return CAIRN_ERROR_MEMORY;
    c.most = share * weigh_subtrees(&c);
    if (find_parts(&c)) {
        list_top(order);
        measure_parts(order);
    } else {
        order->part_count = 0;
    }
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}
