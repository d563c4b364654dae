// SPDX-License-Identifier: Apache-2.0
// Who holds what of a problem, and the messages of a solve.
#include "contact/problem/team.h"

#include <limits.h>
#include <string.h>

static void note_failure(con_team *team, cairn_status status)
{
    if (team->status == CAIRN_OK)
        team->status = status;
}

/// What each process has of some bytes goes to all.
static bool gather(void *context, unsigned char *bytes, const size_t *start)
{
    con_team *team = context;
    int self = team->ranks.number, count = 0;
    size_t own = start[self + 1] - start[self];
    for (int rank = 0; rank < team->ranks.count; rank++) {
        size_t size = start[rank + 1] - start[rank];
        if (rank == self || (own == 0 && size == 0))
            continue;
        team->messages[count++] =
            (cairn_message){rank, bytes + start[self], bytes + start[rank], own, size};
        team->sent_bytes += (int64_t)own;
    }
    if (count > 0 && team->status == CAIRN_OK)
        note_failure(team, team->ranks.exchange(team->ranks.context, team->messages, count, NULL));
    return team->status == CAIRN_OK;
}

cairn_status con_team_init(con_team *team, const cairn_ranks *ranks,
                           const base_allocator *allocator)
{
    size_t count = (size_t)ranks->count, lists = count * CON_DOMAIN_LEVELS_MAX;
    *team = (con_team){.ranks = *ranks, .allocator = *allocator};
    team->sent = base_allocate(allocator, lists, sizeof *team->sent);
    team->received = base_allocate(allocator, lists, sizeof *team->received);
    team->owned = base_allocate(allocator, count, sizeof *team->owned);
    team->sent_now = base_allocate(allocator, count, sizeof *team->sent_now);
    team->received_now = base_allocate(allocator, count, sizeof *team->received_now);
    team->sent_size = base_allocate(allocator, count, sizeof *team->sent_size);
    team->received_size = base_allocate(allocator, count, sizeof *team->received_size);
    team->messages = base_allocate(allocator, count, sizeof *team->messages);
    team->gathering = (con_gathering){ranks->count, ranks->number, team, gather};
    con_holders_find(0, ranks->count, &team->holders);
    bool complete = team->sent != NULL && team->received != NULL && team->owned != NULL &&
                    team->sent_now != NULL && team->received_now != NULL &&
                    team->sent_size != NULL && team->received_size != NULL &&
                    team->messages != NULL;
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void con_team_release(con_team *team)
{
    base_allocator allocator = team->allocator;
    void *blocks[] = {team->sent,     team->received,     team->owned,     team->sent_now,
                      team->messages, team->received_now, team->sent_size, team->rows,
                      team->bytes,    team->received_size};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        base_release(&allocator, blocks[i]);
}

int con_team_owner(int domain, int levels, int rank_count)
{
    return (int)((int64_t)domain * rank_count >> levels);
}

void con_holders_find(int levels, int rank_count, con_holders *holders)
{
    const con_domains domains = {.levels = levels};
    int tasks = con_domains_tasks(&domains);
    holders->levels = levels;
    for (int task = 0; task < tasks; task++) {
        int depth = con_domains_depth(&domains, task), level = levels - depth;
        int place = task - (tasks - ((2 << depth) - 1)); // among those of its level
        int first = place << level, end = (place + 1) << level;
        holders->of[task] = (con_ranks){con_team_owner(first, levels, rank_count),
                                        con_team_owner(end - 1, levels, rank_count)};
    }
    // what touches bodies of no domain lies here, too
    holders->of[tasks - 1] = (con_ranks){0, rank_count - 1};
}

// ---------------------------------------------------------------- planning

static cairn_status add_row(con_team *team, con_row_list *list, int row)
{
    BASE_TRY(base_array_reserve(&team->allocator, &team->rows, &team->row_capacity,
                                team->row_count + 1));
    if (list->count++ == 0)
        list->first = team->row_count;
    team->rows[team->row_count++] = row;
    return CAIRN_OK;
}

/// Rows of one process that another needs before a level, as both find them.
typedef struct border {
    con_team *team;
    const int (*body)[2];
    const int *domain;
    int *stamp, stamp_now; // [row_count] the last list that a row joined
    int level, owner, other;
    con_row_list *list;
} border;

static cairn_status add_contact(border *b, int contact)
{
    cairn_status status = CAIRN_OK;
    for (int side = 0; side < 2 && status == CAIRN_OK; side++) {
        int row = b->body[contact][side];
        if (row < 0 || b->domain[row] < 0 || b->stamp[row] == b->stamp_now ||
            con_team_owner(b->domain[row], b->team->domains->levels, b->team->ranks.count) !=
                b->owner)
            continue;
        b->stamp[row] = b->stamp_now;
        status = add_row(b->team, b->list, row);
    }
    return status;
}

static cairn_status make_list(border *b)
{
    const con_team *team = b->team;
    const con_domains *domains = team->domains;
    int depth = domains->levels - b->level, tasks = 1 << depth;
    int first = con_domains_tasks(domains) - (2 * tasks - 1);
    cairn_status status = CAIRN_OK;
    *b->list = (con_row_list){0};
    b->stamp_now++;
    for (int task = first; task < first + tasks; task++)
        for (int i = domains->start[task]; i < domains->start[task + 1] && status == CAIRN_OK &&
                                           con_holders_have(&team->holders, task, b->owner) &&
                                           con_holders_have(&team->holders, task, b->other);
             i++)
            status = add_contact(b, i);
    return status;
}

static cairn_status make_borders(border *b)
{
    con_team *team = b->team;
    int self = team->ranks.number, count = team->ranks.count;
    cairn_status status = CAIRN_OK;
    for (b->level = 1; b->level <= team->domains->levels; b->level++)
        for (int other = 0; other < count && status == CAIRN_OK; other++) {
            int place = (b->level - 1) * count + other;
            team->sent[place] = team->received[place] = (con_row_list){0};
            if (other == self)
                continue;
            b->list = &team->sent[place];
            b->owner = self;
            b->other = other;
            status = make_list(b);
            b->list = &team->received[place];
            b->owner = other;
            b->other = self;
            if (status == CAIRN_OK)
                status = make_list(b);
        }
    return status;
}

static cairn_status list_owned(con_team *team, const int *domain, int row_count)
{
    cairn_status status = CAIRN_OK;
    for (int rank = 0; rank < team->ranks.count; rank++) {
        team->owned[rank] = (con_row_list){0};
        for (int row = 0; row < row_count && status == CAIRN_OK; row++)
            if (domain[row] >= 0 &&
                con_team_owner(domain[row], team->domains->levels, team->ranks.count) == rank)
                status = add_row(team, &team->owned[rank], row);
    }
    return status;
}

cairn_status con_team_plan(con_team *team, const con_domains *domains, const int (*body)[2],
                           const int *domain, int row_count, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    border b = {.team = team, .body = body, .domain = domain};
    team->domains = domains;
    team->row_count = 0;
    if (domains->levels == 0)
        return CAIRN_OK;
    b.stamp = base_arena_array(arena, int, "borders", row_count);
    if (b.stamp == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(b.stamp, 0, (size_t)row_count * sizeof *b.stamp);
    cairn_status status = make_borders(&b);
    base_arena_rewind(arena, mark);
    return status == CAIRN_OK ? list_owned(team, domain, row_count) : status;
}

// ---------------------------------------------------------------- messages

unsigned char *con_team_room(con_team *team)
{
    size_t sum = 1;
    for (int rank = 0; rank < team->ranks.count; rank++)
        sum += team->sent_size[rank] + team->received_size[rank];
    cairn_status status = sum <= INT_MAX ? base_array_reserve(&team->allocator, &team->bytes,
                                                              &team->byte_capacity, (int)sum)
                                         : CAIRN_ERROR_MEMORY;
    note_failure(team, status);
    return team->status == CAIRN_OK ? team->bytes : NULL;
}

const unsigned char *con_team_exchange(con_team *team)
{
    unsigned char *out = team->bytes, *in = team->bytes;
    int count = 0;
    for (int rank = 0; rank < team->ranks.count; rank++)
        in += team->sent_size[rank];
    const unsigned char *begin = in;
    for (int rank = 0; rank < team->ranks.count; rank++) {
        size_t sent = team->sent_size[rank], received = team->received_size[rank];
        if (sent > 0 || received > 0)
            team->messages[count++] = (cairn_message){rank, out, in, sent, received};
        out += sent;
        in += received;
        team->sent_bytes += (int64_t)sent;
    }
    if (count > 0)
        note_failure(team, team->ranks.exchange(team->ranks.context, team->messages, count, NULL));
    return team->status == CAIRN_OK ? begin : NULL;
}

static const unsigned char *take(void *row, const unsigned char *from, size_t size)
{
    memcpy(row, from, size);
    return from + size;
}

static unsigned char *put(unsigned char *at, const void *row, size_t size)
{
    memcpy(at, row, size);
    return at + size;
}

static unsigned char *row_at(con_rows rows, int row)
{
    return (unsigned char *)rows.data + (size_t)row * rows.size;
}

/// Sends rows by the lists of all processes and puts what comes into its place.
static void share_rows(con_team *team, const con_row_list *sent, const con_row_list *received,
                       con_rows rows)
{
    int count = team->ranks.count;
    for (int rank = 0; rank < count; rank++) {
        team->sent_size[rank] = (size_t)sent[rank].count * rows.size;
        team->received_size[rank] = (size_t)received[rank].count * rows.size;
    }
    unsigned char *at = con_team_room(team);
    for (int rank = 0; rank < count && at != NULL; rank++)
        for (int k = 0; k < sent[rank].count; k++)
            at = put(at, row_at(rows, team->rows[sent[rank].first + k]), rows.size);
    const unsigned char *from = at != NULL ? con_team_exchange(team) : NULL;
    for (int rank = 0; rank < count && from != NULL; rank++)
        for (int k = 0; k < received[rank].count; k++)
            from = take(row_at(rows, team->rows[received[rank].first + k]), from, rows.size);
}

void con_team_share_level(con_team *team, int level, con_rows rows)
{
    size_t place = (size_t)(level - 1) * (size_t)team->ranks.count;
    int64_t before = team->sent_bytes;
    share_rows(team, team->sent + place, team->received + place, rows);
    team->level_bytes += team->sent_bytes - before;
}

void con_team_share_bodies(con_team *team, con_rows rows)
{
    int self = team->ranks.number;
    if (team->domains->levels == 0)
        return;
    for (int rank = 0; rank < team->ranks.count; rank++) {
        team->sent_now[rank] = rank != self ? team->owned[self] : (con_row_list){0};
        team->received_now[rank] = rank != self ? team->owned[rank] : (con_row_list){0};
    }
    share_rows(team, team->sent_now, team->received_now, rows);
}

/// Whether the first holder of a task is to tell another process of it.
static bool is_told(const con_team *team, int task, int from, int to)
{
    return from != to && team->holders.of[task].first == from &&
           !con_holders_have(&team->holders, task, to);
}

/// Runs of rows, each of a task, that go to those who do not hold it.
/// @param start  [count + 1] rows of each run
static void share_runs(con_team *team, const int *task, const int *start, int count, con_rows rows)
{
    int ranks = team->ranks.count, self = team->ranks.number;
    for (int rank = 0; rank < ranks; rank++) {
        team->sent_size[rank] = team->received_size[rank] = 0;
        for (int k = 0; k < count; k++) {
            size_t size = (size_t)(start[k + 1] - start[k]) * rows.size;
            team->sent_size[rank] += is_told(team, task[k], self, rank) ? size : 0;
            team->received_size[rank] += is_told(team, task[k], rank, self) ? size : 0;
        }
    }
    unsigned char *at = con_team_room(team);
    for (int rank = 0; rank < ranks && at != NULL; rank++)
        for (int k = 0; k < count; k++)
            if (is_told(team, task[k], self, rank))
                at = put(at, row_at(rows, start[k]), (size_t)(start[k + 1] - start[k]) * rows.size);
    const unsigned char *from = at != NULL ? con_team_exchange(team) : NULL;
    for (int rank = 0; rank < ranks && from != NULL; rank++)
        for (int k = 0; k < count; k++)
            if (is_told(team, task[k], rank, self))
                from = take(row_at(rows, start[k]), from,
                            (size_t)(start[k + 1] - start[k]) * rows.size);
}

void con_team_share_contacts(con_team *team, con_rows rows)
{
    int tasks = con_domains_tasks(team->domains), task[CON_DOMAIN_TASKS_MAX];
    for (int k = 0; k < tasks; k++)
        task[k] = k;
    share_runs(team, task, team->domains->start, tasks, rows);
}

void con_team_share_parts(con_team *team, const int *task, int count, con_rows parts)
{
    int start[CON_CHUNKS_MAX + 1];
    for (int k = 0; k <= count; k++)
        start[k] = k;
    share_runs(team, task, start, count, parts);
}

bool con_team_any(const con_domains *domains, bool value)
{
    con_team *team = domains != NULL ? domains->team : NULL;
    if (team == NULL)
        return value;
    for (int rank = 0; rank < team->ranks.count; rank++)
        team->sent_size[rank] = team->received_size[rank] = rank != team->ranks.number ? 1 : 0;
    unsigned char *at = con_team_room(team);
    if (at != NULL)
        memset(at, value, (size_t)team->ranks.count - 1);
    const unsigned char *from = at != NULL ? con_team_exchange(team) : NULL;
    for (int k = 0; from != NULL && k < team->ranks.count - 1; k++)
        value |= from[k] != 0;
    return value;
}

const con_gathering *con_team_gathering(const con_domains *domains)
{
    return domains != NULL && domains->team != NULL ? &domains->team->gathering : NULL;
}

void con_team_complete(const con_domains *domains)
{
    con_team *team = domains != NULL ? domains->team : NULL;
    if (team != NULL && team->complete != NULL)
        team->complete(team->complete_context);
}
