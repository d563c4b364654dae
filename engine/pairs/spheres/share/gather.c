// SPDX-License-Identifier: Apache-2.0
// What processes have of the state goes to others: rows of arrays, clumps, all of it for who reads,
// or part by part what a reader asks for while it writes.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

// ---------------------------------------------------------------- arrays

typedef eng_spheres_rows rows;

/// Ghosts of the groups of a process, from number `before` on.
static rows group_ghosts(const eng_spheres *spheres, int rank, int before)
{
    const eng_spheres_group *groups = spheres->walls.groups.block;
    rows own = eng_spheres_share_rows(spheres, rank, ENG_SPHERES_GROUP_ROWS);
    if (!spheres->walls.has_shapes || own.first == own.end)
        return (rows){0, 0};
    return (rows){groups[own.first].first_ghost - before, groups[own.end - 1].end_ghost - before};
}

/// Rows of an array go from each process to all others, or to one alone.
/// @param reader  that one; -1: all
static cairn_status send_rows(eng_spheres *spheres, void *array, size_t stride,
                              rows (*rows_of)(const eng_spheres *spheres, int rank, int kind),
                              int kind, int reader, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    unsigned char *base = array;
    int count = 0, number = share->ranks.number;
    rows own = rows_of(spheres, number, kind);
    for (int rank = 0; rank < share->ranks.count && array != NULL; rank++) {
        bool sends = reader < 0 || rank == reader, receives = reader < 0 || number == reader;
        if (rank == number || !(sends || receives))
            continue;
        rows theirs = rows_of(spheres, rank, kind);
        size_t sent = sends ? (size_t)(own.end - own.first) * stride : 0;
        size_t received = receives ? (size_t)(theirs.end - theirs.first) * stride : 0;
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = base + (size_t)own.first * stride,
                                                   .received = base + (size_t)theirs.first * stride,
                                                   .sent_size = sent,
                                                   .received_size = received};
        share->traffic.gathered_bytes += (int64_t)sent;
    }
    return array == NULL
               ? CAIRN_OK
               : share->ranks.exchange(share->ranks.context, share->messages, count, error);
}

cairn_status eng_spheres_share_array(eng_spheres *spheres, void *array, size_t stride,
                                     rows (*rows_of)(const eng_spheres *spheres, int rank,
                                                     int kind),
                                     int kind, cairn_error *error)
{
    return send_rows(spheres, array, stride, rows_of, kind, -1, error);
}

// ---------------------------------------------------------------- clumps

/// A clump goes to all from where its first member is.
typedef struct clump_state {
    pose q;
    double v[6];
} clump_state;

static int home_of(const eng_spheres *spheres, int clump)
{
    int first = eng_spheres_clumps(spheres)[clump].first;
    return eng_spheres_share_rank(spheres, eng_spheres_members(spheres)[first].slot);
}

/// Numbers of the first clump of each process, were they in the order of these.
static void count_clumps(const eng_spheres *spheres, int *first)
{
    int count = spheres->share->ranks.count;
    memset(first, 0, ((size_t)count + 1) * sizeof *first);
    for (int c = 0; c < spheres->clumps.count; c++)
        first[home_of(spheres, c) + 1]++;
    for (int rank = 0; rank < count; rank++)
        first[rank + 1] += first[rank];
}

/// Own clumps to states in the order of processes, or those of others from there.
/// @param number  [ranks] of the next state of each
static void copy_clumps(const eng_spheres *spheres, clump_state *states, int *number, bool read)
{
    const cairn_world *world = spheres->world;
    for (int c = 0; c < spheres->clumps.count; c++) {
        int body = eng_spheres_clumps(spheres)[c].body, rank = home_of(spheres, c);
        clump_state *state = &states[number[rank]++];
        bool own = rank == spheres->share->ranks.number;
        if (!read && own) {
            state->q = world->state.bodies.q[body];
            memcpy(state->v, world->state.bodies.v[body], sizeof state->v);
        } else if (read && !own) {
            world->state.bodies.q[body] = state->q;
            memcpy(world->state.bodies.v[body], state->v, sizeof state->v);
        }
    }
}

static rows clump_rows(const eng_spheres *spheres, int rank, int what)
{
    (void)what;
    const int *first = spheres->share->first_clump;
    return (rows){first[rank], first[rank + 1]};
}

static cairn_status gather_clumps(eng_spheres *spheres, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    size_t ranks = (size_t)share->ranks.count, clumps = (size_t)spheres->clumps.count;
    clump_state *states = base_allocate(allocator, clumps, sizeof *states);
    int *number = base_allocate(allocator, ranks + 1, sizeof *number);
    cairn_status status = states != NULL && number != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        count_clumps(spheres, share->first_clump);
        memcpy(number, share->first_clump, ranks * sizeof *number);
        copy_clumps(spheres, states, number, false);
        status = eng_spheres_share_array(spheres, states, sizeof *states, clump_rows, 0, error);
    }
    if (status == CAIRN_OK) {
        memcpy(number, share->first_clump, ranks * sizeof *number);
        copy_clumps(spheres, states, number, true);
    }
    base_release(allocator, states);
    base_release(allocator, number);
    return status;
}

// ---------------------------------------------------------------- all of it

void eng_spheres_share_forget(struct eng_spheres *spheres)
{
    if (spheres->share == NULL)
        return;
    spheres->share->active = spheres->share->parted = spheres->share->bare = false;
    spheres->share->given = -1;
    spheres->share->booked = (eng_booked){0};
}

cairn_status eng_spheres_share_places(struct eng_spheres *spheres)
{
    eng_spheres_pass *p = &spheres->pass;
    if (!spheres->share->active || spheres->share->whole)
        return CAIRN_OK;
    cairn_status status = spheres->clumps.count > 0 ? gather_clumps(spheres, NULL) : CAIRN_OK;
    return status == CAIRN_OK ? eng_spheres_share_array(spheres, p->X, sizeof *p->X,
                                                        eng_spheres_share_slots, 1, NULL)
                              : status;
}

cairn_status eng_spheres_share_sides(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || !share->parted || share->sides)
        return CAIRN_OK;
    share->parted = false;
    cairn_status status = eng_spheres_sides_make(spheres);
    share->parted = share->sides = true;
    return status;
}

/// Rows of forces of the blocks of others that this process computes: they are its own affair.
/// @param aside  keeps them while blocks are gathered; [blocks of chunks before the own ones]
static void set_rows_aside(eng_spheres *spheres, int *aside, bool back)
{
    const eng_spheres_share *share = spheres->share;
    int count = 0;
    for (int c = 0; c < share->first_chunk[share->ranks.number] && share->parted; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        for (int i = chunk->first_block; i < chunk->end_block && share->held[c]; i++, count++)
            if (back)
                spheres->pass.blocks[i].force_row = aside[count];
            else
                aside[count] = spheres->pass.blocks[i].force_row;
    }
}

/// An array of which processes have their rows.
typedef struct shared_array {
    void *array;
    size_t stride;
    rows (*rows_of)(const eng_spheres *spheres, int rank, int kind);
    int kind;
} shared_array;

typedef struct shared_arrays {
    shared_array list[12];
    int count;
} shared_arrays;

/// What states of bodies are read from, and what chunks and ghosts of walls remember.
static shared_arrays arrays_of_slots(const eng_spheres *spheres)
{
    const eng_spheres_pass *p = &spheres->pass;
    bool shapes = spheres->walls.has_shapes && spheres->walls.group_count > 0;
    size_t ghosts = (size_t)spheres->table.slots + 2;
    return (shared_arrays){
        {{p->X, sizeof *p->X, eng_spheres_share_slots, 1},
         {p->V, sizeof *p->V, eng_spheres_share_slots, 1},
         {p->turn, sizeof *p->turn, eng_spheres_share_slots, ENG_SPHERES_WIDTH},
         {p->chunks, sizeof *p->chunks, eng_spheres_share_rows, ENG_SPHERES_CHUNK_ROWS},
         {spheres->walls.ghosts.block, sizeof(eng_spheres_ghost), eng_spheres_share_rows,
          ENG_SPHERES_GHOST_ROWS},
         {shapes ? spheres->walls.groups.block : NULL, sizeof(eng_spheres_group),
          eng_spheres_share_rows, ENG_SPHERES_GROUP_ROWS},
         {shapes ? spheres->walls.ghosts.block : NULL, sizeof(eng_spheres_ghost), group_ghosts, 0},
         {shapes ? spheres->walls.touches.block : NULL, sizeof(eng_spheres_touch), group_ghosts,
          spheres->walls.plane_ghosts},
         {shapes ? p->X + ghosts : NULL, sizeof *p->X, group_ghosts, 0},
         {shapes ? p->V + ghosts : NULL, sizeof *p->V, group_ghosts, 0}},
        10};
}

/// Where slots were when the list was made, and their margins.
static shared_arrays arrays_of_list(const eng_spheres *spheres)
{
    shared_arrays arrays = {.count = spheres->share->bare ? 4 : 0};
    for (int axis = 0; axis < arrays.count; axis++) {
        double *reference = eng_spheres_reference(spheres, axis);
        arrays.list[axis] =
            (shared_array){reference, sizeof *reference, eng_spheres_share_slots, 1};
    }
    return arrays;
}

/// What pairs remember.
static shared_arrays arrays_of_pairs(const eng_spheres *spheres)
{
    const eng_spheres_pass *p = &spheres->pass;
    size_t columns = (size_t)p->column_rows;
    return (shared_arrays){
        {{p->blocks, sizeof *p->blocks, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS},
         {p->columns, columns * sizeof *p->columns, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS},
         {p->resist, sizeof *p->resist, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS}},
        3};
}

/// What else contacts and forces are read from.
static shared_arrays arrays_of_forces(const eng_spheres *spheres)
{
    const eng_spheres_pass *p = &spheres->pass;
    size_t ghosts = (size_t)spheres->table.slots + 2;
    return (shared_arrays){
        {{p->far_touched, sizeof *p->far_touched, eng_spheres_share_slots, 1},
         {spheres->store.segments.block, sizeof *p->segments, eng_spheres_share_rows,
          ENG_SPHERES_SEGMENT_ROWS},
         {p->X + ghosts, sizeof *p->X, eng_spheres_share_rows, ENG_SPHERES_GHOST_ROWS},
         {p->V + ghosts, sizeof *p->V, eng_spheres_share_rows, ENG_SPHERES_GHOST_ROWS}},
        4};
}

static cairn_status send_arrays(eng_spheres *spheres, const shared_arrays *arrays, int reader,
                                cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < arrays->count && status == CAIRN_OK; i++) {
        const shared_array *a = &arrays->list[i];
        status = send_rows(spheres, a->array, a->stride, a->rows_of, a->kind, reader, error);
    }
    return status;
}

static cairn_status gather_arrays(eng_spheres *spheres, int reader, bool all, cairn_error *error)
{
    const shared_arrays slots = arrays_of_slots(spheres), list = arrays_of_list(spheres);
    const shared_arrays pairs = arrays_of_pairs(spheres), forces = arrays_of_forces(spheres);
    const shared_arrays *const sets[] = {&slots, &list, &pairs, &forces};
    for (int i = 0; i < (all ? 4 : 1); i++)
        BASE_TRY(send_arrays(spheres, sets[i], reader, error));
    return CAIRN_OK;
}

/// What is worked out from the arrays where they are whole now.
static void complete(eng_spheres *spheres)
{
    int contacts = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        spheres->pass.chunks[c].first_contact = contacts;
        contacts += spheres->pass.chunks[c].contacts;
    }
    eng_spheres_images_move(spheres, 0, spheres->cell.image_count);
}

/// All rows, with those of forces that are this process's own affair as they were.
static cairn_status gather_whole(eng_spheres *spheres, int reader, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    int *aside = base_allocate(allocator, (size_t)spheres->store.block_count + 1, sizeof *aside);
    if (aside == NULL)
        return CAIRN_ERROR_MEMORY;
    set_rows_aside(spheres, aside, false);
    if (reader < 0 || reader == share->ranks.number)
        eng_spheres_share_constants(spheres);
    cairn_status status = gather_arrays(spheres, reader, true, error);
    set_rows_aside(spheres, aside, true);
    base_release(allocator, aside);
    return status;
}

cairn_status eng_spheres_share_gather(struct eng_spheres *spheres, int reader, bool all,
                                      cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || share->whole)
        return CAIRN_OK;
    if (reader >= 0 && share->given == reader && (share->given_all || !all))
        return CAIRN_OK;
    bool receives = reader < 0 || reader == share->ranks.number;
    cairn_status status = spheres->clumps.count > 0 ? gather_clumps(spheres, error) : CAIRN_OK;
    if (status == CAIRN_OK)
        status = all ? gather_whole(spheres, reader, error)
                     : gather_arrays(spheres, reader, false, error);
    if (status == CAIRN_OK)
        status = eng_spheres_share_booked(spheres, NULL);
    if (status == CAIRN_OK && receives)
        complete(spheres);
    share->whole = status == CAIRN_OK && reader < 0;
    share->read = share->read || (status == CAIRN_OK && receives);
    share->given = status == CAIRN_OK ? reader : -1;
    share->given_all = all;
    share->bare = share->bare && !share->whole;
    return status;
}

bool eng_spheres_has_pairs(const cairn_world *world)
{
    const eng_spheres_share *share =
        world->state.spheres != NULL ? world->state.spheres->share : NULL;
    return share == NULL || !share->active || share->whole ||
           (share->given_all && share->given == share->ranks.number);
}

// ---------------------------------------------------------------- part by part

/// What a reader asks the others for.
typedef struct request {
    int what; // eng_spheres_part, or none: it needs nothing more
    int first, end;
} request;

enum { NOTHING_MORE = -1 };

static shared_arrays arrays_of_part(const eng_spheres *spheres, int what)
{
    return what == ENG_SPHERES_PART_PAIRS ? arrays_of_pairs(spheres) : arrays_of_list(spheres);
}

/// The rows of a process that are among those asked for.
static rows asked_of(const eng_spheres *spheres, const shared_array *a, int rank,
                     const request *asked)
{
    rows r = a->rows_of(spheres, rank, a->kind);
    r.first = r.first > asked->first ? r.first : asked->first;
    r.end = r.end < asked->end ? r.end : asked->end;
    return r.first < r.end ? r : (rows){0, 0};
}

/// The reader's request goes to all others, from it or to this one.
static cairn_status send_request(eng_spheres_share *share, int reader, request *asked)
{
    bool reads = reader == share->ranks.number;
    int count = 0;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        if (rank == share->ranks.number || (!reads && rank != reader))
            continue;
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = asked,
                                                   .received = asked,
                                                   .sent_size = reads ? sizeof *asked : 0,
                                                   .received_size = reads ? 0 : sizeof *asked};
    }
    return share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
}

/// The rows asked for go from those who have them to the reader.
static cairn_status send_asked(eng_spheres *spheres, int reader, const request *asked)
{
    eng_spheres_share *share = spheres->share;
    const shared_arrays arrays = arrays_of_part(spheres, asked->what);
    bool reads = reader == share->ranks.number;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < arrays.count && status == CAIRN_OK; i++) {
        const shared_array *a = &arrays.list[i];
        int count = 0;
        for (int rank = 0; rank < share->ranks.count && a->array != NULL; rank++) {
            if (rank == share->ranks.number || (!reads && rank != reader))
                continue;
            rows r = asked_of(spheres, a, reads ? rank : share->ranks.number, asked);
            size_t size = (size_t)(r.end - r.first) * a->stride;
            unsigned char *at = (unsigned char *)a->array + (size_t)r.first * a->stride;
            if (size > 0)
                share->messages[count++] = (cairn_message){.rank = rank,
                                                           .sent = at,
                                                           .received = at,
                                                           .sent_size = reads ? 0 : size,
                                                           .received_size = reads ? size : 0};
            share->traffic.gathered_bytes += reads ? 0 : (int64_t)size;
        }
        status = share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
    }
    return status;
}

/// Whether a chunk's rows of a part are this process's, or needed here.
static bool is_kept(const eng_spheres_share *share, int what, int chunk)
{
    return what == ENG_SPHERES_PART_PAIRS ? share->held[chunk] : share->seen[chunk];
}

/// Rows of the chunks [first, end) in a part.
static rows rows_of_chunks(const eng_spheres *spheres, int what, int first, int end)
{
    const eng_spheres_chunk *from = &spheres->pass.chunks[first],
                            *to = &spheres->pass.chunks[end - 1];
    return what == ENG_SPHERES_PART_PAIRS ? (rows){from->first_block, to->end_block}
                                          : (rows){from->first_slot, to->end_slot};
}

/// The last chunk whose rows begin at a row or before it.
static int chunk_of_row(const eng_spheres *spheres, int what, int row)
{
    int low = 0, high = spheres->list.chunk_count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (rows_of_chunks(spheres, what, middle, middle + 1).first <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Rows of an array that were brought and are others' go back to the system, with some before them
/// that are: pages may be larger than what is brought at a time.
static void drop_rows(eng_spheres *spheres, int what, const shared_array *a, rows brought)
{
    enum { LARGE_PAGES = 1 << 22 }; // bytes
    int64_t before = (int64_t)brought.first - LARGE_PAGES / (int64_t)a->stride;
    int from = before > 0 ? (int)before : 0, chunks = spheres->list.chunk_count;
    for (int c = chunk_of_row(spheres, what, from); c < chunks; c++) {
        int first = c;
        while (c < chunks && !is_kept(spheres->share, what, c) &&
               rows_of_chunks(spheres, what, c, c + 1).first < brought.end)
            c++;
        if (c > first) {
            rows run = rows_of_chunks(spheres, what, first, c);
            eng_spheres_share_give_back(a->array, a->stride, run.first > from ? run.first : from,
                                        run.end < brought.end ? run.end : brought.end);
        }
        if (c < chunks && rows_of_chunks(spheres, what, c, c + 1).first >= brought.end)
            return;
    }
}

static void drop_brought(eng_spheres *spheres, int what)
{
    rows brought = spheres->share->brought[what];
    const shared_arrays arrays = arrays_of_part(spheres, what);
    spheres->share->brought[what] = (rows){0, 0};
    if (!eng_spheres_is_parted(spheres) || brought.first == brought.end)
        return;
    for (int i = 0; i < arrays.count; i++)
        if (arrays.list[i].array != NULL && arrays.list[i].stride > 0)
            drop_rows(spheres, what, &arrays.list[i], brought);
}

bool eng_spheres_share_bring(const struct eng_spheres *shown, eng_spheres_part what, int first,
                             int end)
{
    eng_spheres_share *share = shown->share;
    if (share == NULL || !share->asks)
        return true;
    eng_spheres *spheres = shown->world->state.spheres;
    rows known = share->brought[what];
    if (share->asked != CAIRN_OK || (first >= known.first && end <= known.end))
        return share->asked == CAIRN_OK;
    drop_brought(spheres, (int)what);
    request asked = {(int)what, first, end};
    share->asked = send_request(share, share->ranks.number, &asked);
    if (share->asked == CAIRN_OK)
        share->asked = send_asked(spheres, share->ranks.number, &asked);
    share->brought[what] = (rows){first, end};
    return share->asked == CAIRN_OK;
}

/// Sends what the reader asks for until it needs nothing more.
static cairn_status serve(eng_spheres *spheres, int reader)
{
    cairn_status status = CAIRN_OK;
    for (request asked = {0}; status == CAIRN_OK;) {
        status = send_request(spheres->share, reader, &asked);
        if (status == CAIRN_OK && asked.what == NOTHING_MORE)
            break;
        if (status == CAIRN_OK)
            status = send_asked(spheres, reader, &asked);
    }
    return status;
}

/// The reader's part of it. @param work  asks through eng_spheres_share_bring
static cairn_status ask(eng_spheres *spheres, cairn_read_function work, void *context)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    int *aside = base_allocate(allocator, (size_t)spheres->store.block_count + 1, sizeof *aside);
    share->asked = aside != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (aside != NULL) {
        set_rows_aside(spheres, aside, false);
        share->asks = true;
        work(context);
        share->asks = false;
        for (int what = 0; what < ENG_SPHERES_PARTS; what++)
            drop_brought(spheres, what);
        set_rows_aside(spheres, aside, true);
        base_release(allocator, aside);
    }
    cairn_status status = share->asked;
    request done = {.what = NOTHING_MORE};
    // the others wait for it in any case
    if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY) {
        cairn_status told = send_request(share, share->ranks.number, &done);
        status = status == CAIRN_OK ? told : status;
    }
    return status;
}

cairn_status eng_spheres_share_read(struct eng_spheres *spheres, int reader,
                                    cairn_read_function work, void *context)
{
    eng_spheres_share *share = spheres->share;
    bool reads = share == NULL || reader == share->ranks.number;
    BASE_TRY(eng_spheres_share_gather(spheres, reader, false, NULL));
    bool here = share == NULL || !share->active || share->whole ||
                (share->given == reader && share->given_all);
    if (here && reads)
        work(context);
    if (here)
        return CAIRN_OK;
    return reads ? ask(spheres, work, context) : serve(spheres, reader);
}
