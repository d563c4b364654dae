// SPDX-License-Identifier: Apache-2.0
// Columns of the rows of bodies: their table, and the loops over them.
#ifndef CAIRN_ENGINE_STATE_BODY_COLUMNS_H
#define CAIRN_ENGINE_STATE_BODY_COLUMNS_H

#include "base/memory.h"
#include "base/vec.h"
#include "engine/state/columns.h"
#include <cairn/cairn.h>

/// Applied by the user.
typedef struct eng_load {
    vec3 force;  // N
    vec3 torque; // N m, world axes
} eng_load;

/// State of a body at t_n.
typedef struct eng_state {
    pose q;
    double v[6];
} eng_state;

/// Which rows of a column there are.
typedef enum eng_body_group {
    ENG_BODY_STATE, // [reach] what steps carry over, of bodies without a particle slot; of those
                    // with one what a step needs of them. Read it through eng_state_of
    ENG_BODY_GIVEN, // [body_count] of the program; none of a column before its first value
    ENG_BODY_STEP   // [step_rows] of the general passes of a step; none where they have no work
} eng_body_group;

/// X(name, type of a row, scalar, width, unit, group, flags, help). From this table come the
/// members of the state, growth and release, rows without a body, checkpoint, state hash and the
/// search for values that are not finite: a new column is one line here and its use.
#define ENG_BODY_COLUMNS(X)                                                                        \
    X(q, pose, ENG_REAL, 7, "m, 1", ENG_BODY_STATE, ENG_SAVED | ENG_HASHED | ENG_PLACED,           \
      "centre and principal axes at t_n")                                                          \
    X(v, eng_reals6, ENG_REAL, 6, "m/s, rad/s", ENG_BODY_STATE, ENG_SAVED | ENG_HASHED,            \
      "linear, world; angular, principal body axes; at t_n")                                       \
    X(held, eng_reals3, ENG_REAL, 3, "m/s2", ENG_BODY_STATE, ENG_SAVED | ENG_HASHED,               \
      "what contacts and joints gave the centre in the last step")                                 \
    X(loads, eng_load, ENG_REAL, 6, "N, N m", ENG_BODY_GIVEN, ENG_SAVED | ENG_EXPORTED,            \
      "force and torque applied by the program, world axes")                                       \
    X(users, uint64_t, ENG_WORD, 1, "", ENG_BODY_GIVEN, ENG_SAVED | ENG_EXPORTED,                  \
      "the program's own word")                                                                    \
    X(collisions, cairn_collision, ENG_INTEGER, 2, "", ENG_BODY_GIVEN, ENG_SAVED,                  \
      "groups, and mask of those it touches")                                                      \
    X(frozen, eng_reals4, ENG_REAL, 4, "kg, kg m2", ENG_BODY_GIVEN, ENG_SAVED,                     \
      "mass and principal moments that a frozen body gets back; zeros: it is not frozen")          \
    X(mass_inverse, eng_reals6, ENG_REAL, 6, "1/kg, 1/(kg m2)", ENG_BODY_STEP, ENG_DERIVED,        \
      "principal; zeros where not dynamic")                                                        \
    X(q_mid, pose, ENG_REAL, 7, "m, 1", ENG_BODY_STEP, ENG_SAVED | ENG_PLACED,                     \
      "midpoint configuration")                                                                    \
    X(v_free, eng_reals6, ENG_REAL, 6, "m/s, rad/s", ENG_BODY_STEP, ENG_DERIVED,                   \
      "without what is solved for")                                                                \
    X(v_end, eng_reals6, ENG_REAL, 6, "m/s, rad/s", ENG_BODY_STEP, ENG_DERIVED,                    \
      "that the contacts were solved for")                                                         \
    X(correction, eng_reals6, ENG_REAL, 6, "m, rad", ENG_BODY_STEP, ENG_DERIVED,                   \
      "by which the last step corrected the place, body axes; zeros unless it did")

enum {
#define ENG_BODY_COLUMN_COUNTED(name, ...) ENG_BODY_##name,
    ENG_BODY_COLUMNS(ENG_BODY_COLUMN_COUNTED)
#undef ENG_BODY_COLUMN_COUNTED
        ENG_BODY_COLUMN_COUNT
};

enum { ENG_BODY_WIDTH_MAX = 8 }; // of a column's rows

/// The columns by name, and the same as the table numbers them, as an unnamed member of a struct.
#define ENG_BODY_COLUMN_FIELD(name, type, ...) type *name;
#define ENG_BODY_COLUMN_MEMBERS                                                                    \
    union {                                                                                        \
        struct {                                                                                   \
            ENG_BODY_COLUMNS(ENG_BODY_COLUMN_FIELD)                                                \
        };                                                                                         \
        void *data[ENG_BODY_COLUMN_COUNT];                                                         \
    }

/// What the table says of a column, and of its group.
const eng_column *eng_body_column(int column);
eng_body_group eng_body_column_group(int column);

/// Columns of the rows of bodies.
typedef struct eng_body_columns {
    ENG_BODY_COLUMN_MEMBERS;
    int rooms[ENG_BODY_COLUMN_COUNT]; // rows that each of them has room for
    // rows of the columns of a step; there are none before the first one and where no pass has work
    int step_rows;
} eng_body_columns;

static inline cairn_collision eng_collision_default(void)
{
    return (cairn_collision){1, UINT32_MAX};
}

/// Room for so many rows in the columns of a group that there are; contents stay.
cairn_status eng_body_columns_reserve(const base_allocator *allocator, eng_body_columns *bodies,
                                      eng_body_group group, int rows) CAIRN_CHECK_RESULT;

/// Gives back what lies behind the first rows, as far as memory allows.
void eng_body_columns_shrink(const base_allocator *allocator, eng_body_columns *bodies,
                             eng_body_group group, int rows);

/// Gives the columns of a group back.
void eng_body_columns_release(const base_allocator *allocator, eng_body_columns *bodies,
                              eng_body_group group);

/// What a row has that nothing was given to: the identity for poses, zeros for most others.
void eng_body_rest(int column, void *value);

/// A given column is there from now on, at rest. @param rows  of bodies
cairn_status eng_body_column_make(const base_allocator *allocator, eng_body_columns *bodies,
                                  int column, int rows) CAIRN_CHECK_RESULT;

/// A row without a body, in the columns that have it.
void eng_body_row_clear(eng_body_columns *bodies, eng_body_group group, int row);

#endif
