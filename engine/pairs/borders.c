// SPDX-License-Identifier: Apache-2.0
// Bodies at the borders of processes, and gathering those of all.
#include "engine/pairs/sharing.h"
#include "engine/state/kinematics.h"
#include "engine/state/rotation.h"
#include "engine/state/world.h"

#include <string.h>

enum { TOGETHER = 16 }; // steps

cairn_status eng_borders_init(const con_team *team, eng_borders *borders)
{
    size_t count = (size_t)team->ranks.count;
    *borders = (eng_borders){0};
    borders->sent = base_allocate(&team->allocator, count, sizeof *borders->sent);
    borders->received = base_allocate(&team->allocator, count, sizeof *borders->received);
    return borders->sent != NULL && borders->received != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void eng_borders_release(const con_team *team, eng_borders *borders)
{
    void *blocks[] = {borders->sent, borders->received, borders->bodies, borders->elsewhere};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        base_release(&team->allocator, blocks[i]);
}

/// The process that a body belongs to; -1 for those that no contact moves, which all know.
static int owner_of(const cairn_world *world, int body)
{
    int domain = world->contacts.cut.of_body[body], count = world->state.sharing->team.ranks.count;
    return domain < 0 ? -1 : con_team_owner(domain, world->contacts.cut.levels, count);
}

// ---------------------------------------------------------------- lists

/// Lists in the making.
typedef struct listing {
    cairn_world *world;
    const int *task;
    int *seen; // [body_count] the last list that a body joined
    int lists;
} listing;

static cairn_status add_body(const listing *l, int body, con_row_list *list)
{
    eng_borders *b = &l->world->state.sharing->borders;
    BASE_TRY(base_array_reserve(&l->world->state.sharing->team.allocator, &b->bodies, &b->capacity,
                                b->count + 1));
    b->bodies[b->count++] = body;
    list->count++;
    l->seen[body] = l->lists;
    return CAIRN_OK;
}

/// The bodies of one process that another one holds pairs with, in the order in which the plan
/// meets them: both make the same list.
static cairn_status list_bodies(listing *l, int owner, int other, con_row_list *list)
{
    const cairn_world *world = l->world;
    const con_holders *holders = &world->state.sharing->team.holders;
    cairn_status status = CAIRN_OK;
    *list = (con_row_list){.first = world->state.sharing->borders.count};
    l->lists++;
    for (int place = 0; place < world->contacts.pairs.count; place++) {
        const geo_pair *pair =
            &world->contacts.pairs.rows[world->contacts.plan.order[place]].colliders;
        if (!con_holders_have(holders, l->task[place], owner) ||
            !con_holders_have(holders, l->task[place], other))
            continue;
        for (int side = 0; side < 2 && status == CAIRN_OK; side++) {
            int body = world->contacts.colliders.rows[side == 0 ? pair->first : pair->second].body;
            if (l->seen[body] != l->lists && owner_of(world, body) == owner)
                status = add_body(l, body, list);
        }
    }
    return status;
}

/// What others own is elsewhere, but for what they send.
static cairn_status mark_elsewhere(const cairn_world *world)
{
    eng_borders *b = &world->state.sharing->borders;
    const con_team *team = &world->state.sharing->team;
    BASE_TRY(base_array_reserve(&team->allocator, &b->elsewhere, &b->elsewhere_capacity,
                                world->model.bodies.count));
    for (int body = 0; body < world->model.bodies.count; body++) {
        int owner = owner_of(world, body);
        b->elsewhere[body] = owner >= 0 && owner != team->ranks.number;
    }
    for (int rank = 0; rank < team->ranks.count; rank++)
        for (int k = 0; k < b->received[rank].count; k++)
            b->elsewhere[b->bodies[b->received[rank].first + k]] = 0;
    return CAIRN_OK;
}

cairn_status eng_borders_make(cairn_world *world, const int *task)
{
    eng_borders *b = &world->state.sharing->borders;
    const cairn_ranks *ranks = &world->state.sharing->team.ranks;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    listing l = {
        .world = world,
        .task = task,
        .seen = base_arena_array(world->scratch.arena, int, "borders", world->model.bodies.count)};
    if (l.seen == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(l.seen, 0, (size_t)world->model.bodies.count * sizeof *l.seen);
    cairn_status status = CAIRN_OK;
    b->count = 0;
    for (int rank = 0; rank < ranks->count; rank++) {
        b->sent[rank] = b->received[rank] = (con_row_list){0};
        if (rank == ranks->number)
            continue;
        if (status == CAIRN_OK)
            status = list_bodies(&l, ranks->number, rank, &b->sent[rank]);
        if (status == CAIRN_OK)
            status = list_bodies(&l, rank, ranks->number, &b->received[rank]);
    }
    if (status == CAIRN_OK)
        status = mark_elsewhere(world);
    base_arena_rewind(world->scratch.arena, mark);
    b->current = status == CAIRN_OK;
    return status;
}

// ---------------------------------------------------------------- messages

static unsigned char *row_at(const cairn_world *world, con_rows rows, int body)
{
    return (unsigned char *)rows.data + (size_t)eng_solver_row(world, body) * rows.size;
}

void eng_borders_send(const cairn_world *world, con_rows rows)
{
    con_team *team = &world->state.sharing->team;
    const eng_borders *b = &world->state.sharing->borders;
    int count = team->ranks.count;
    int64_t before = team->sent_bytes;
    for (int rank = 0; rank < count; rank++) {
        team->sent_size[rank] = (size_t)b->sent[rank].count * rows.size;
        team->received_size[rank] = (size_t)b->received[rank].count * rows.size;
    }
    unsigned char *at = con_team_room(team);
    for (int rank = 0; rank < count && at != NULL; rank++)
        for (int k = 0; k < b->sent[rank].count; k++, at += rows.size)
            memcpy(at, row_at(world, rows, b->bodies[b->sent[rank].first + k]), rows.size);
    const unsigned char *from = at != NULL ? con_team_exchange(team) : NULL;
    for (int rank = 0; rank < count && from != NULL; rank++)
        for (int k = 0; k < b->received[rank].count; k++, from += rows.size)
            memcpy(row_at(world, rows, b->bodies[b->received[rank].first + k]), from, rows.size);
    team->level_bytes += team->sent_bytes - before;
}

/// Whether nothing looks at all bodies in a step: loads and fields, and sides of a cell.
static bool may_part(const cairn_world *world)
{
    return world->state.bodies.loads == NULL && world->scratch.applied == NULL &&
           !world->state.cell.any;
}

void eng_borders_send_velocities(cairn_world *world, con_rows rows)
{
    if (world->contacts.cut.levels == 0)
        return;
    eng_borders *b = &world->state.sharing->borders;
    if (world->state.elsewhere == NULL && (!may_part(world) || b->together > 0)) {
        b->together -= b->together > 0;
        con_team_share_bodies(&world->state.sharing->team, rows);
        return;
    }
    eng_borders_send(world, rows);
    world->state.elsewhere = b->elsewhere;
}

void eng_borders_stay_together(const cairn_world *world)
{
    if (world->state.sharing != NULL)
        world->state.sharing->borders.together = TOGETHER;
}

/// Columns that a step begins with, and those that it leaves.
static const int columns[] = {ENG_BODY_q,     ENG_BODY_v,          ENG_BODY_q_mid, ENG_BODY_v_free,
                              ENG_BODY_v_end, ENG_BODY_correction, ENG_BODY_held};

enum { COLUMNS_BEFORE = 2, COLUMNS = (int)(sizeof columns / sizeof columns[0]) };

/// Copies the first columns of the bodies of a process between a message and the world; returns the
/// end of what it has copied.
static unsigned char *copy_bodies(const cairn_world *world, int count, int owner, unsigned char *at,
                                  bool out)
{
    for (int body = 0; body < world->model.bodies.count; body++)
        for (int i = 0; i < count && owner_of(world, body) == owner; i++) {
            size_t size = eng_column_row_size(eng_body_column(columns[i]));
            unsigned char *row =
                (unsigned char *)world->state.bodies.data[columns[i]] + (size_t)body * size;
            memcpy(out ? at : row, out ? row : at, size);
            at += size;
        }
    return at;
}

/// All get the first columns of all bodies.
static void join(const cairn_world *world, int count)
{
    eng_sharing *s = world->state.sharing;
    con_team *team = &s->team;
    int self = team->ranks.number;
    size_t size = 0;
    int64_t before = team->sent_bytes;
    for (int i = 0; i < count; i++)
        size += eng_column_row_size(eng_body_column(columns[i]));
    memset(team->sent_size, 0, (size_t)team->ranks.count * sizeof *team->sent_size);
    memset(team->received_size, 0, (size_t)team->ranks.count * sizeof *team->received_size);
    for (int body = 0; body < world->model.bodies.count; body++) {
        int owner = owner_of(world, body);
        for (int rank = 0; rank < team->ranks.count && owner == self; rank++)
            team->sent_size[rank] += rank != self ? size : 0;
        if (owner >= 0 && owner != self)
            team->received_size[owner] += size;
    }
    unsigned char *at = con_team_room(team);
    for (int rank = 0; rank < team->ranks.count && at != NULL; rank++)
        if (rank != self)
            at = copy_bodies(world, count, self, at, true);
    unsigned char *from = at != NULL ? (unsigned char *)con_team_exchange(team) : NULL;
    for (int rank = 0; rank < team->ranks.count && from != NULL; rank++)
        if (rank != self)
            from = copy_bodies(world, count, rank, from, false);
    s->world->state.elsewhere = NULL;
    s->world->scratch.moved_energies = NULL;
    s->gathered_bytes += team->sent_bytes - before;
}

void eng_borders_join(const cairn_world *world)
{
    if (world->state.elsewhere != NULL)
        join(world, COLUMNS);
}

void eng_borders_join_free(cairn_world *world)
{
    const unsigned char *was_elsewhere = world->state.elsewhere;
    double half = 0.5 * world->state.clock.step;
    if (was_elsewhere == NULL)
        return;
    // what flows has the velocity of the middle by now
    for (int k = 0; k < world->scratch.general.count; k++)
        eng_body_take_back(world, world->scratch.general.active[k], &world->scratch.turnings[k]);
    join(world, COLUMNS_BEFORE);
    for (int body = 0; body < world->model.bodies.count; body++) {
        vec3 omega;
        if (was_elsewhere[body] == 0)
            continue;
        world->state.bodies.q_mid[body] = eng_body_middle(world, body, half, &omega);
        eng_body_free(world, body, world->state.bodies.v_free[body]);
    }
    for (int k = 0; k < world->scratch.general.count; k++) {
        int body = world->scratch.general.active[k];
        eng_turning *turning = &world->scratch.turnings[k];
        turning->known = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        if (turning->known)
            eng_body_begin(world, body, turning);
    }
}
