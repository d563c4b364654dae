// SPDX-License-Identifier: Apache-2.0
// Which process has which parts, and what goes from process to process.
#include "contact/linear/block_share.h"

#include <limits.h>
#include <string.h>

typedef enum message_kind { UPDATES, OUTER, SOLUTION } message_kind;

/// Rows of a front below its pivots, in blocks.
static int below_of(const con_block_order *order, int s)
{
    return order->row_start[s + 1] - order->row_start[s] - (order->first[s + 1] - order->first[s]);
}

/// Whether what a supernode of a part leaves is for the top.
static bool is_root(const con_block_order *order, int part, int s)
{
    return order->parent[s] >= order->part[part].end;
}

/// What goes from memory into a message, and from a message into memory.
typedef struct parcel {
    double *at;
    bool packs;
} parcel;

static void copy(parcel *p, double *data, size_t count)
{
    if (p->packs)
        memcpy(p->at, data, count * sizeof *data);
    else
        memcpy(data, p->at, count * sizeof *data);
    p->at += count;
}

// the number of replaced pivots, and the updates of the roots
static void copy_updates(parcel *p, const con_block_order *order, int part, double *stack,
                         int *replaced)
{
    double count = replaced[part];
    copy(p, &count, 1);
    replaced[part] = (int)count;
    for (int s = order->part[part].begin; s < order->part[part].end; s++) {
        size_t below = (size_t)(below_of(order, s) * order->block);
        if (is_root(order, part, s))
            copy(p, stack + order->update_start[s], below * below);
    }
}

// rows of the top, those of several roots several times
static void copy_outer(parcel *p, const con_block_order *order, int part, double *outer)
{
    size_t block = (size_t)order->block;
    double *own = outer + (size_t)part * (size_t)order->top_count * block;
    for (int s = order->part[part].begin; s < order->part[part].end; s++)
        for (int k = order->row_start[s + 1] - below_of(order, s);
             is_root(order, part, s) && k < order->row_start[s + 1]; k++)
            copy(p, own + (size_t)order->top_place[order->row[k]] * block, block);
}

static void copy_solution(parcel *p, const con_block_order *order, int part, double *x)
{
    size_t block = (size_t)order->block;
    int first = order->first[order->part[part].begin], end = order->first[order->part[part].end];
    copy(p, x + (size_t)first * block, (size_t)(end - first) * block);
}

/// Doubles of a part in each kind of message.
static void measure(const con_block_order *order, int part, size_t size[CON_BLOCK_SHARE_KINDS])
{
    size_t block = (size_t)order->block;
    int begin = order->part[part].begin, end = order->part[part].end;
    size[UPDATES] = 1;
    size[OUTER] = 0;
    size[SOLUTION] = (size_t)(order->first[end] - order->first[begin]) * block;
    for (int s = begin; s < end; s++) {
        size_t below = (size_t)below_of(order, s) * block;
        size[UPDATES] += is_root(order, part, s) ? below * below : 0;
        size[OUTER] += is_root(order, part, s) ? below : 0;
    }
}

bool con_block_share_fits(const con_block_order *order)
{
    size_t sum[CON_BLOCK_SHARE_KINDS] = {0}, size[CON_BLOCK_SHARE_KINDS], most = 0;
    for (int p = 0; p < order->part_count; p++) {
        measure(order, p, size);
        for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++) {
            sum[kind] += size[kind];
            most = sum[kind] > most ? sum[kind] : most;
        }
    }
    return most <= INT_MAX / sizeof(double);
}

static double work_of(const con_block_order *order, int part)
{
    double work = 0.0;
    for (int s = order->part[part].begin; s < order->part[part].end; s++) {
        double rows = order->row_start[s + 1] - order->row_start[s];
        work += rows * rows * (order->first[s + 1] - order->first[s]);
    }
    return work;
}

// a part belongs to the process in whose share of the work its middle lies
static void deal_parts(con_block_share *share)
{
    const con_block_order *order = share->order;
    int count = share->gathering->count, rank = 0;
    double whole = 0.0, before = 0.0;
    for (int p = 0; p < order->part_count; p++)
        whole += work_of(order, p);
    for (int p = 0; p < order->part_count; p++) {
        double work = work_of(order, p);
        for (; rank < count && before + 0.5 * work >= whole * rank / count; rank++)
            share->first_part[rank] = p;
        before += work;
    }
    for (; rank <= count; rank++)
        share->first_part[rank] = order->part_count;
    share->begin = share->first_part[share->gathering->number];
    share->end = share->first_part[share->gathering->number + 1];
}

cairn_status con_block_share_create(const con_block_order *order, const con_gathering *gathering,
                                    base_arena *arena, con_block_share *share)
{
    size_t count = (size_t)gathering->count + 1, most = 0;
    *share = (con_block_share){.order = order, .gathering = gathering};
    share->first_part = base_arena_array(arena, int, "block parts", count);
    for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++)
        share->start[kind] = base_arena_array(arena, size_t, "block parts", count);
    if (share->first_part == NULL || share->start[UPDATES] == NULL || share->start[OUTER] == NULL ||
        share->start[SOLUTION] == NULL)
        return CAIRN_ERROR_MEMORY;
    deal_parts(share);
    for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++)
        share->start[kind][0] = 0;
    for (int rank = 0; rank < gathering->count; rank++) {
        size_t sum[CON_BLOCK_SHARE_KINDS] = {0}, size[CON_BLOCK_SHARE_KINDS];
        for (int p = share->first_part[rank]; p < share->first_part[rank + 1]; p++) {
            measure(order, p, size);
            for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++)
                sum[kind] += size[kind];
        }
        for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++)
            share->start[kind][rank + 1] = share->start[kind][rank] + sum[kind] * sizeof(double);
    }
    for (int kind = 0; kind < CON_BLOCK_SHARE_KINDS; kind++) {
        size_t size = share->start[kind][gathering->count] / sizeof(double);
        most = size > most ? size : most;
    }
    share->message = base_arena_array(arena, double, "block parts", most + 1);
    return share->message != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

/// What a message of one kind is about.
typedef struct content {
    double *stack, *outer, *x;
    int *replaced;
} content;

static void copy_part(parcel *p, message_kind kind, const con_block_order *order, int part,
                      const content *c)
{
    if (kind == UPDATES)
        copy_updates(p, order, part, c->stack, c->replaced);
    else if (kind == OUTER)
        copy_outer(p, order, part, c->outer);
    else
        copy_solution(p, order, part, c->x);
}

static void exchange(const con_block_share *share, message_kind kind, const content *c)
{
    const con_gathering *gathering = share->gathering;
    const size_t *start = share->start[kind];
    parcel out = {share->message + start[gathering->number] / sizeof(double), true};
    for (int p = share->begin; p < share->end; p++)
        copy_part(&out, kind, share->order, p, c);
    bool came = gathering->gather(gathering->context, (unsigned char *)share->message, start);
    for (int rank = 0; came && rank < gathering->count; rank++) {
        parcel in = {share->message + start[rank] / sizeof(double), false};
        for (int p = share->first_part[rank];
             rank != gathering->number && p < share->first_part[rank + 1]; p++)
            copy_part(&in, kind, share->order, p, c);
    }
}

void con_block_share_updates(const con_block_share *share, double *stack, int *replaced)
{
    exchange(share, UPDATES, &(content){.stack = stack, .replaced = replaced});
}

void con_block_share_outer(const con_block_share *share, double *outer)
{
    exchange(share, OUTER, &(content){.outer = outer});
}

void con_block_share_solution(const con_block_share *share, double *x)
{
    exchange(share, SOLUTION, &(content){.x = x});
}
