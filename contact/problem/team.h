// SPDX-License-Identifier: Apache-2.0
// Several processes that solve one problem together.
//
// Ranges of domains belong to processes. A process holds the tasks of its domains, and those that
// lie between one of them and others: all that hold a task do it, with the same bits, so that none
// waits for another to have done it. Before a level of tasks is done the owners of bodies send
// their rows to the other processes that hold tasks of these bodies. Sums over contacts are added
// chunk by chunk from all processes, so that all come to the same decisions.
#ifndef CAIRN_CONTACT_PROBLEM_TEAM_H
#define CAIRN_CONTACT_PROBLEM_TEAM_H

#include "contact/linear/block_share.h"
#include "contact/problem/problem.h"

#include <cairn/ranks.h>

/// Processes first to last.
typedef struct con_ranks {
    int first, last;
} con_ranks;

/// Which processes hold each task; the first of them is the one that speaks for it.
typedef struct con_holders {
    int levels;
    con_ranks of[CON_DOMAIN_TASKS_MAX];
} con_holders;

/// Some rows, sent or received: into con_team.rows.
typedef struct con_row_list {
    int first, count;
} con_row_list;

typedef struct con_team {
    cairn_ranks ranks;
    base_allocator allocator;
    const con_domains *domains; // of the problem at hand
    con_holders holders;        // of its tasks
    /// [levels of tasks above the domains][ranks.count], and [ranks.count] of the rows that each
    /// process owns
    con_row_list *sent, *received, *owned;
    int *rows;
    int row_count, row_capacity;
    con_row_list *sent_now, *received_now; // [ranks.count] of a message
    size_t *sent_size, *received_size;     // [ranks.count] bytes of a message
    cairn_message *messages;               // [ranks.count]
    unsigned char *bytes;                  // of messages
    int byte_capacity;
    void (*complete)(void *context); // brings the whole problem to all
    void *complete_context;
    con_gathering gathering; // these processes, for factorisations that they share
    cairn_status status;     // the first failure of a message; nothing is sent after it
    int64_t sent_bytes;
    int64_t level_bytes; // of these, rows that tasks of a level needed
} con_team;

/// @return CAIRN_ERROR_MEMORY, or CAIRN_OK; release it in either case
cairn_status con_team_init(con_team *team, const cairn_ranks *ranks,
                           const base_allocator *allocator) CAIRN_CHECK_RESULT;
void con_team_release(con_team *team);

/// The process that owns a domain.
int con_team_owner(int domain, int levels, int rank_count);

/// The processes of so many levels.
void con_holders_find(int levels, int rank_count, con_holders *holders);

static inline bool con_holders_have(const con_holders *holders, int task, int rank)
{
    return rank >= holders->of[task].first && rank <= holders->of[task].last;
}

/// Whether this process does a task.
static inline bool con_team_holds(const con_domains *domains, int task)
{
    const con_team *team = domains->team;
    return team == NULL || con_holders_have(&team->holders, task, team->ranks.number);
}

/// For a new problem: which rows go where. All processes know the bodies of all contacts.
/// @param domains  borrowed until the next plan
/// @param body     [domains->start[tasks]] rows of bodies of each contact, -1 for none
/// @param domain   [row_count] of each row, negative for rows that nothing changes
cairn_status con_team_plan(con_team *team, const con_domains *domains, const int (*body)[2],
                           const int *domain, int row_count, base_arena *arena) CAIRN_CHECK_RESULT;

/// Rows of bodies that tasks of a level (1: between two domains) need of others.
void con_team_share_level(con_team *team, int level, con_rows rows);

/// Rows of all bodies go to all.
void con_team_share_bodies(con_team *team, con_rows rows);

/// Rows of contacts go to all.
void con_team_share_contacts(con_team *team, con_rows rows);

/// @param task   [count] of each part
/// @param parts  [count]
void con_team_share_parts(con_team *team, const int *task, int count, con_rows parts);

/// Whether it is true in any process; `domains` may be NULL.
bool con_team_any(const con_domains *domains, bool value);

/// Any other message: the caller writes sent_size and received_size, takes room, fills it for one
/// process after the other, and sends it.
/// @return NULL once a message has failed, or when out of memory
unsigned char *con_team_room(con_team *team);

/// @return what came, from one process after the other; NULL for a failure
const unsigned char *con_team_exchange(con_team *team);

/// The processes that share a factorisation of a problem that all have; NULL for one process.
const con_gathering *con_team_gathering(const con_domains *domains);

/// Before a solver asks for contacts of other processes; all call it. `domains` may be NULL.
void con_team_complete(const con_domains *domains);

#endif
