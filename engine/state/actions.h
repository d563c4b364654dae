// SPDX-License-Identifier: Apache-2.0
// Actions: what changes a world between its steps by a rule that was given before, such as loads
// that are functions of time, emitters and outlets.
//
// The world keeps them, begins them before every step in the order in which they were added, saves
// their numbers in checkpoints, and releases them. What they do, each kind knows by itself.
#ifndef CAIRN_ENGINE_STATE_ACTIONS_H
#define CAIRN_ENGINE_STATE_ACTIONS_H

#include "base/memory.h"
#include <cairn/cairn.h>

typedef struct eng_action eng_action;

/// A body that an action will make.
typedef struct eng_coming {
    int shape;     // of the world; -1: a ball of the diameter 1 m
    double factor; // by which it is scaled
    double mass;   // kg
    int material;
    bool several; // more than one of its kind may come
} eng_coming;

/// What a change of a parameter of a pair keeps among the numbers of its action.
typedef enum eng_pair_kept {
    ENG_PAIR_CHANGED, // whether the parameter was changed, by whatever action
    ENG_PAIR_BEFORE,  // its value before the first change
    ENG_PAIR_NOW,     // its value since
    ENG_PAIR_KEPT
} eng_pair_kept;

/// A parameter of a pair of materials that an action changes.
typedef struct eng_pair_change {
    int surface;
    const char *parameter;
    double value; // that it gets
    bool coming;  // not yet
    int first;    // number of the action at which what it keeps begins
} eng_pair_change;

typedef struct eng_action_kind {
    /// Whether the coming step's `begin` reads or changes bodies; NULL: always.
    bool (*due)(const cairn_world *world, const eng_action *action);
    /// Whether `end` reads bodies after the step that was just made; NULL: always.
    bool (*looks)(const cairn_world *world, const eng_action *action);
    /// Before a step; world->state.clock.time is still that of the step's start. NULL: nothing to
    /// do.
    cairn_status (*begin)(cairn_world *world, eng_action *action, cairn_error *error);
    /// After a step that is done; NULL: nothing to do.
    cairn_status (*end)(cairn_world *world, eng_action *action, cairn_error *error);
    /// Frees what `data` owns and `data` itself; NULL: base_release alone.
    void (*release)(const base_allocator *allocator, void *data);
    /// Its numbers are those of a checkpoint now; NULL: nothing to do.
    void (*restored)(cairn_world *world, eng_action *action);
    /// The smallest (even indices) and largest bodies of each sort that it may still make; false
    /// behind the last. NULL: none.
    bool (*coming)(const cairn_world *world, const eng_action *action, int index, eng_coming *body);
    /// The parameters of pairs that it changes; false behind the last. NULL: none.
    bool (*changes)(const eng_action *action, int index, eng_pair_change *change);
    int readings;          // the numbers behind these are readings, which may be NaN; 0: none are
    bool makes_or_removes; // bodies
    // its first three numbers are the gravity in force, which is then no part of what a checkpoint
    // must find unchanged
    bool drives_gravity;
} eng_action_kind;

struct eng_action {
    const eng_action_kind *kind;
    void *data;           // of the kind; owned
    double *numbers;      // [number_count] all that it carries from step to step; owned
    int number_count;     // may be 0
    uint64_t fingerprint; // of its definition, for restarts
};

/// Takes an action over, data included; numbers are zeros. @return NULL when out of memory, and the
/// data is released then
eng_action *eng_action_add(cairn_world *world, const eng_action_kind *kind, void *data,
                           int number_count, uint64_t fingerprint);

/// First action of a kind from `index` on, moving the index behind it; NULL: none.
eng_action *eng_action_next(const cairn_world *world, const eng_action_kind *kind, int *index);

/// Bodies that actions will make, from `*action` and `*index` (0 at first) on; false behind the
/// last.
bool eng_actions_coming(const cairn_world *world, int *action, int *index, eng_coming *body);

/// Parameters of pairs that actions change, from `*action` and `*index` (0 at first) on; false
/// behind the last. world->state.actions.rows[*action] is the one whose change it is.
bool eng_actions_changes(const cairn_world *world, int *action, int *index,
                         eng_pair_change *change);

/// Whether one of them reads or changes bodies before the coming step.
bool eng_actions_are_due(const cairn_world *world);

/// Whether one of them reads bodies after the step that was just made.
bool eng_actions_look(const cairn_world *world);

/// Whether none of them looks at bodies in every step.
bool eng_actions_are_rare(const cairn_world *world);

/// All of them, before a step.
cairn_status eng_actions_begin(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// All of them, after a step.
cairn_status eng_actions_end(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Numbers of all actions together; copies them out of and into the actions.
int64_t eng_actions_number_count(const cairn_world *world);
void eng_actions_take(const cairn_world *world, double *numbers);
void eng_actions_restore(cairn_world *world, const double *numbers);

/// Whether all that are no readings are finite.
bool eng_actions_are_finite(const cairn_world *world, const double *numbers);

/// The program has set another gravity: those that drive it know.
void eng_actions_note_gravity(cairn_world *world);

/// Of their definitions, and of their numbers.
uint64_t eng_actions_fingerprint(const cairn_world *world);
uint64_t eng_actions_hash(const cairn_world *world, uint64_t hash);
bool eng_actions_drive_gravity(const cairn_world *world);

void eng_actions_release(cairn_world *world);

#endif
