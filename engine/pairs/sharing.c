// SPDX-License-Identifier: Apache-2.0
// Who holds which pairs and contacts, and what changes hands.
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/actions.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

/// Brings the whole problem of the step to all, before a solver asks for it.
static void complete(void *context)
{
    const cairn_world *world = context;
    eng_sharing *s = world->state.sharing;
    const con_problem *p = &world->scratch.solve.problem;
    const eng_contacts *c = &world->contacts.set;
    if (s->complete || !s->active)
        return;
    s->complete = true;
    const con_rows rows[] = {
        {(void *)p->H, sizeof *p->H},
        {(void *)p->w, sizeof *p->w},
        {(void *)p->q, sizeof *p->q},
        {(void *)p->friction, sizeof *p->friction},
        {(void *)p->W_diagonal, sizeof *p->W_diagonal},
        {(void *)world->scratch.solve.shift, sizeof *world->scratch.solve.shift},
        {(void *)p->body, sizeof *p->body},
        {c->body, sizeof *c->body}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        con_team_share_contacts(&s->team, rows[i]);
    con_team_share_bodies(&s->team, (con_rows){(void *)p->v_free, sizeof *p->v_free});
}

cairn_status eng_sharing_create(cairn_world *world, const cairn_ranks *ranks)
{
    eng_sharing *s = base_allocate(&world->model.allocator, 1, sizeof *s);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    *s = (eng_sharing){.world = world, .whole = true};
    world->state.sharing = s;
    cairn_status status = con_team_init(&s->team, ranks, &world->model.allocator);
    if (status == CAIRN_OK)
        status = eng_borders_init(&s->team, &s->borders);
    s->team.complete = complete;
    s->team.complete_context = world;
    return status;
}

void eng_sharing_destroy(cairn_world *world)
{
    eng_sharing *s = world->state.sharing;
    if (s == NULL)
        return;
    eng_borders_release(&s->team, &s->borders);
    con_team_release(&s->team);
    base_release(&world->model.allocator, s);
    world->state.sharing = NULL;
    world->state.elsewhere = NULL;
}

// ---------------------------------------------------------------- what is shared

/// Whether cones are all there is: no adhesion, no resistance to rolling.
static bool has_plain_cones(const cairn_world *world)
{
    for (int i = 0; i < world->model.materials.surface_count; i++) {
        con_cone_terms terms = {0};
        const eng_surface *surface = &world->model.materials.surfaces[i];
        if (surface->law->kind == CON_LAW_CONE)
            surface->law->cone(surface->parameters, &terms);
        if (terms.cohesion > 0.0 || terms.rolling > 0.0 || terms.spinning > 0.0)
            return false;
    }
    return true;
}

/// Why implicit contacts are not shared, as a clause; NULL where they are.
static const char *reason_against(const cairn_world *world)
{
    if (world->contacts.plan.cone_pairs == 0)
        return "nothing touches";
    if (world->model.joints.count > 0 || world->model.connectors.count > 0)
        return "there are joints or connectors";
    if (world->contacts.plan.cone_pairs != world->contacts.pairs.count ||
        eng_spheres_slot_count(world) > 0)
        return "there are contacts of explicit laws beside the implicit ones";
    if (world->state.bodies.frozen != NULL)
        return "bodies are frozen";
    if (world->state.cell.watched)
        return "a servo drives the periodic cell";
    if (world->model.def.impact != CAIRN_IMPACT_NEWTON)
        return "impact is not \"newton\"";
    if (world->model.def.time_limit > 0.0)
        return "solve_time_limit is set";
    if (world->model.def.audit_every != 0)
        return "audit_every is set";
    if ((world->model.solver.plugin->needs & CON_SHARES) == 0)
        return "the solver does not share its work";
    if (!has_plain_cones(world))
        return "contacts have cohesion, or resist rolling or spinning";
    return eng_actions_are_rare(world) ? NULL
                                       : "a load, a servo or a driven gravity acts in every step";
}

/// Implicit contacts of free bodies, and a solver that knows of other processes.
static bool can_share(const cairn_world *world)
{
    return reason_against(world) == NULL;
}

const char *cairn_world_get_unshared(const cairn_world *world)
{
    if (world == NULL || world->state.sharing == NULL)
        return NULL;
    bool implicit = world->contacts.plan.cone_pairs > 0;
    const char *reason = implicit ? reason_against(world) : eng_spheres_unshared(world);
    return implicit && reason == NULL && world->contacts.cut.levels == 0
               ? "there are too few contacts"
               : reason;
}

static int body_of(const cairn_world *world, int place, int side)
{
    const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
    return world->contacts.colliders
        .rows[side == 0 ? pair->colliders.first : pair->colliders.second]
        .body;
}

static int task_of(const cairn_world *world, int place)
{
    return eng_domains_task(&world->contacts.cut, body_of(world, place, 0),
                            body_of(world, place, 1));
}

/// Whether the step has more domains than one: then no process has all contacts.
static void count_step(const cairn_world *world)
{
    eng_sharing *s = world->state.sharing;
    bool parts = world->contacts.cut.levels > 0;
    s->steps = s->kept.steps + parts;
    s->whole = s->kept.whole && !parts;
}

cairn_status eng_sharing_begin(cairn_world *world)
{
    eng_sharing *s = world->state.sharing;
    if (s == NULL)
        return CAIRN_OK;
    bool active = can_share(world);
    cairn_status status = active ? CAIRN_OK : eng_sharing_gather(world, false);
    s->active = active;
    s->borders.current = s->borders.current && active;
    s->complete = false;
    s->moved_first = NULL;
    if (!active || status != CAIRN_OK)
        return status;
    s->task = s->task_before =
        base_arena_array(world->scratch.arena, int, "sharing", world->contacts.pairs.count);
    if (s->task == NULL)
        return CAIRN_ERROR_MEMORY;
    con_holders_find(world->contacts.cut.levels, s->team.ranks.count, &s->team.holders);
    s->before = s->team.holders;
    for (int place = 0; place < world->contacts.pairs.count; place++)
        s->task[place] = task_of(world, place);
    s->kept.whole = s->whole;
    s->kept.steps = s->steps;
    count_step(world);
    return s->team.status;
}

// ---------------------------------------------------------------- what was found goes along

/// Whether the first finder of a pair tells another process of it.
static bool tells(const eng_sharing *s, int place, int from, int to)
{
    int task = s->task_before[place];
    return from != to && s->before.of[task].first == from &&
           !con_holders_have(&s->before, task, to);
}

/// Copies between a message and memory, one way or the other.
typedef struct parcel {
    unsigned char *at;
    bool packs;
} parcel;

static void copy(parcel *p, void *data, size_t size)
{
    if (p->packs)
        memcpy(p->at, data, size);
    else
        memcpy(data, p->at, size);
    p->at += size;
}

/// Contacts of a pair: those that join, and those of the last step.
typedef struct pair_counts {
    int joined, before;
} pair_counts;

void eng_sharing_count(const cairn_world *world, int *joined)
{
    eng_sharing *s = world->state.sharing;
    if (!eng_sharing_is_active(world) || s->before.levels == 0)
        return;
    con_team *team = &s->team;
    int self = team->ranks.number;
    for (int rank = 0; rank < team->ranks.count; rank++) {
        team->sent_size[rank] = team->received_size[rank] = 0;
        for (int i = 0; i < world->contacts.pairs.count; i++) {
            team->sent_size[rank] += tells(s, i, self, rank) ? sizeof(pair_counts) : 0;
            team->received_size[rank] += tells(s, i, rank, self) ? sizeof(pair_counts) : 0;
        }
    }
    parcel out = {con_team_room(team), true};
    for (int rank = 0; rank < team->ranks.count && out.at != NULL; rank++)
        for (int i = 0; i < world->contacts.pairs.count; i++)
            if (tells(s, i, self, rank)) {
                pair_counts counts = {
                    joined[i], world->contacts.pairs.rows[world->contacts.plan.order[i]].count};
                copy(&out, &counts, sizeof counts);
            }
    parcel in = {out.at != NULL ? (unsigned char *)con_team_exchange(team) : NULL, false};
    for (int rank = 0; rank < team->ranks.count && in.at != NULL; rank++)
        for (int i = 0; i < world->contacts.pairs.count; i++)
            if (tells(s, i, rank, self)) {
                pair_counts counts;
                copy(&in, &counts, sizeof counts);
                joined[i] = counts.joined;
                world->contacts.pairs.rows[world->contacts.plan.order[i]].count = counts.before;
            }
}

/// Whether a pair goes from its first finder to a process that has it now.
static bool goes(const eng_sharing *s, int place, int from, int to)
{
    return tells(s, place, from, to) && con_holders_have(&s->team.holders, s->task[place], to);
}

/// Bytes of all columns of a contact.
static size_t row_bytes(eng_columns columns)
{
    size_t bytes = 0;
    for (int i = 0; i < columns.count; i++)
        bytes += eng_column_row_size(&columns.table[i]);
    return bytes;
}

/// Bytes of a pair, its raw contacts and those of the last step.
static size_t size_of_pair(const cairn_world *world, int place, const int *joined)
{
    const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
    eng_contacts before = world->contacts.before;
    size_t leading =
        world->contacts.pairs.leading != NULL ? sizeof *world->contacts.pairs.leading : 0;
    return sizeof *pair + leading + (size_t)joined[place] * sizeof(geo_contact) +
           (size_t)pair->count * row_bytes(eng_contacts_columns(&before));
}

/// Contacts of the last step.
static void copy_before(parcel *p, const cairn_world *world, const eng_pair *pair)
{
    eng_contacts before = world->contacts.before;
    eng_columns columns = eng_contacts_columns(&before);
    for (int i = pair->first; i < pair->first + pair->count; i++)
        for (int k = 0; k < columns.count; k++) {
            size_t size = eng_column_row_size(&columns.table[k]);
            copy(p, (unsigned char *)columns.data[k] + (size_t)i * size, size);
        }
}

static void copy_pair(parcel *p, const cairn_world *world, int place, geo_contact *raw, int count)
{
    int index = world->contacts.plan.order[place];
    eng_pair *pair = &world->contacts.pairs.rows[index];
    copy(p, pair, sizeof *pair);
    if (world->contacts.pairs.leading != NULL && index < world->contacts.pairs.leading_count)
        copy(p, &world->contacts.pairs.leading[index], sizeof *world->contacts.pairs.leading);
    else if (world->contacts.pairs.leading != NULL)
        p->at += sizeof *world->contacts.pairs.leading;
    copy(p, raw, (size_t)count * sizeof *raw);
    copy_before(p, world, pair);
}

/// Raw contacts of the places that this process has found.
static geo_contact **list_raw(const cairn_world *world)
{
    geo_contact **raw = base_arena_array(world->scratch.arena, geo_contact *, "sharing",
                                         world->contacts.pairs.count);
    geo_contact *next = NULL;
    for (int place = 0; place < world->contacts.pairs.count && raw != NULL; place++) {
        if (place % ENG_PAIR_CHUNK == 0)
            next = world->contacts.narrow.manifolds[place / ENG_PAIR_CHUNK].contacts;
        raw[place] = next;
        next += world->contacts.narrow.raw_count[place];
    }
    return raw;
}

static cairn_status reserve_moved(cairn_world *world, const int *joined)
{
    eng_sharing *s = world->state.sharing;
    int count = 0, self = s->team.ranks.number;
    s->moved_first =
        base_arena_array(world->scratch.arena, int, "sharing", world->contacts.pairs.count);
    if (s->moved_first == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int place = 0; place < world->contacts.pairs.count; place++) {
        bool comes = goes(s, place, s->before.of[s->task_before[place]].first, self);
        s->moved_first[place] = comes ? count : -1;
        count += comes ? joined[place] : 0;
    }
    s->moved = base_arena_array(world->scratch.arena, geo_contact, "sharing", count);
    return s->moved != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

/// Pairs that other processes have now than found them.
static cairn_status move_pairs(cairn_world *world, const int *joined)
{
    eng_sharing *s = world->state.sharing;
    con_team *team = &s->team;
    int self = team->ranks.number, count = team->ranks.count;
    geo_contact **raw = list_raw(world);
    BASE_TRY(raw != NULL ? reserve_moved(world, joined) : CAIRN_ERROR_MEMORY);
    for (int rank = 0; rank < count; rank++) {
        team->sent_size[rank] = team->received_size[rank] = 0;
        for (int i = 0; i < world->contacts.pairs.count; i++) {
            team->sent_size[rank] += goes(s, i, self, rank) ? size_of_pair(world, i, joined) : 0;
            team->received_size[rank] +=
                goes(s, i, rank, self) ? size_of_pair(world, i, joined) : 0;
        }
    }
    parcel out = {con_team_room(team), true};
    for (int rank = 0; rank < count && out.at != NULL; rank++)
        for (int i = 0; i < world->contacts.pairs.count; i++)
            if (goes(s, i, self, rank))
                copy_pair(&out, world, i, raw[i], joined[i]);
    parcel in = {out.at != NULL ? (unsigned char *)con_team_exchange(team) : NULL, false};
    for (int rank = 0; rank < count && in.at != NULL; rank++)
        for (int i = 0; i < world->contacts.pairs.count; i++)
            if (goes(s, i, rank, self))
                copy_pair(&in, world, i, s->moved + s->moved_first[i], joined[i]);
    return team->status;
}

cairn_status eng_sharing_recut(cairn_world *world, const int *joined)
{
    eng_sharing *s = world->state.sharing;
    if (!eng_sharing_is_active(world))
        return CAIRN_OK;
    s->task = base_arena_array(world->scratch.arena, int, "sharing", world->contacts.pairs.count);
    if (s->task == NULL)
        return CAIRN_ERROR_MEMORY;
    con_holders_find(world->contacts.cut.levels, s->team.ranks.count, &s->team.holders);
    count_step(world);
    bool same = s->before.levels == world->contacts.cut.levels;
    for (int place = 0; place < world->contacts.pairs.count; place++) {
        s->task[place] = task_of(world, place);
        same = same && s->task[place] == s->task_before[place];
    }
    return same || s->before.levels == 0 ? CAIRN_OK : move_pairs(world, joined);
}

void eng_sharing_undo(cairn_world *world)
{
    eng_sharing *s = world->state.sharing;
    if (!eng_sharing_is_active(world))
        return;
    s->team.holders = s->before;
    s->borders.current = false;
    s->whole = s->kept.whole;
    s->steps = s->kept.steps;
}

cairn_status eng_sharing_plan(cairn_world *world, const int (*body)[2], int row_count)
{
    eng_sharing *s = world->state.sharing;
    if (!eng_sharing_is_active(world))
        return CAIRN_OK;
    int *domain = base_arena_array(world->scratch.arena, int, "sharing", row_count);
    cairn_status status = domain != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    bool stays = s->borders.current && !world->contacts.cut_renewed;
    if (status == CAIRN_OK && world->contacts.cut.levels > 0 && !stays)
        status = eng_borders_make(world, s->task);
    if (status != CAIRN_OK)
        return status;
    for (int row = 0; row < row_count; row++)
        domain[row] = ENG_DOMAIN_ANY;
    for (int k = 0; k < world->scratch.general.active_count && world->contacts.cut.levels > 0;
         k++) {
        int i = world->scratch.general.active[k];
        domain[eng_solver_row(world, i)] = world->contacts.cut.of_body[i];
    }
    return con_team_plan(&s->team, &world->contacts.domains, body, domain, row_count,
                         world->scratch.arena);
}

// ---------------------------------------------------------------- gathering

/// What pairs remember, from those who have them.
static void gather_pairs(const cairn_world *world)
{
    eng_sharing *s = world->state.sharing;
    con_team *team = &s->team;
    const con_holders *holders = &team->holders;
    int self = team->ranks.number,
        leading = world->contacts.pairs.leading != NULL ? world->contacts.pairs.leading_count : 0;
    size_t size = sizeof *world->contacts.pairs.rows +
                  (leading > 0 ? sizeof *world->contacts.pairs.leading : 0);
    for (int turn = 0; turn < 3; turn++) {
        unsigned char *at = turn == 1 ? con_team_room(team) : NULL;
        parcel p = {at, true};
        if (turn == 2)
            p = (parcel){(unsigned char *)con_team_exchange(team), false};
        if (turn > 0 && p.at == NULL)
            return;
        for (int rank = 0; rank < team->ranks.count; rank++) {
            size_t sent = 0, received = 0;
            for (int i = 0; i < world->contacts.pairs.count; i++) {
                int task = task_of(world, i), first = holders->of[task].first;
                bool out = first == self && !con_holders_have(holders, task, rank);
                bool in = first == rank && !con_holders_have(holders, task, self);
                sent += out ? size : 0;
                received += in ? size : 0;
                if (!(turn == 1 ? out : turn == 2 && in))
                    continue;
                int index = world->contacts.plan.order[i];
                copy(&p, &world->contacts.pairs.rows[index], sizeof *world->contacts.pairs.rows);
                if (index < leading)
                    copy(&p, &world->contacts.pairs.leading[index],
                         sizeof *world->contacts.pairs.leading);
                else
                    p.at += leading > 0 ? sizeof *world->contacts.pairs.leading : 0;
            }
            if (turn == 0) {
                team->sent_size[rank] = sent;
                team->received_size[rank] = received;
            }
        }
    }
}

cairn_status eng_sharing_gather(const cairn_world *world, bool problem)
{
    eng_sharing *s = world->state.sharing;
    if (s == NULL || s->team.status != CAIRN_OK)
        return s != NULL ? s->team.status : CAIRN_OK;
    eng_borders_join(world);
    int64_t before = s->team.sent_bytes;
    if (!s->whole) {
        eng_contacts contacts = world->contacts.set;
        eng_columns columns = eng_contacts_columns(&contacts);
        for (int i = 0; i < columns.count; i++)
            con_team_share_contacts(
                &s->team, (con_rows){columns.data[i], eng_column_row_size(&columns.table[i])});
        gather_pairs(world);
        s->whole = true;
    }
    if (problem && s->active && world->scratch.solve.problem.contact_count > 0 &&
        world->scratch.solve.solution_U != NULL) {
        complete((void *)world);
        con_rows rows[] = {
            {world->scratch.solve.guess, sizeof *world->scratch.solve.guess},
            {world->scratch.solve.solution_U, sizeof *world->scratch.solve.solution_U}};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            con_team_share_contacts(&s->team, rows[i]);
    }
    s->gathered_bytes += s->team.sent_bytes - before;
    return s->team.status;
}

cairn_status eng_sharing_gather_all(cairn_world *world, int reader, cairn_error *error)
{
    cairn_status status = eng_sharing_gather(world, true);
    eng_sharing *s = world->state.sharing;
    if (s != NULL && s->last_whole != world->state.clock.step_count) {
        s->last_whole = world->state.clock.step_count;
        s->whole_steps++;
    }
    if (status != CAIRN_OK)
        return base_fail(error, status, "a message between processes failed: %s",
                         cairn_status_text(status));
    if (world->state.spheres == NULL)
        return CAIRN_OK;
    status = eng_spheres_share_gather(world->state.spheres, reader, true, error);
    const struct eng_spheres_share *share = world->state.spheres->share;
    bool all = share == NULL || share->whole || share->read;
    return status == CAIRN_OK && all ? eng_spheres_share_sides(world->state.spheres) : status;
}
