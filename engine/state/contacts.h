// SPDX-License-Identifier: Apache-2.0
// Contacts of one step: the table of their columns, and the structure of arrays made from it.
#ifndef CAIRN_ENGINE_STATE_CONTACTS_H
#define CAIRN_ENGINE_STATE_CONTACTS_H

#include "base/vec.h"
#include "contact/laws/law.h"
#include "engine/state/columns.h"

typedef double eng_history[CON_HISTORY_MAX];

/// X(name, type of a row, scalar, width, unit, flags, help). From this table come the struct,
/// growth and release, matching, checkpoint, state hash and validation: a new column is one line
/// here and its use.
#define ENG_CONTACT_COLUMNS(X)                                                                     \
    X(pair, int, ENG_INTEGER, 1, "", ENG_SAVED, "into the list of pairs; -1: no longer in it")     \
    X(body, eng_integers2, ENG_INTEGER, 2, "", ENG_SAVED | ENG_HASHED, "A and B")                  \
    X(surface, int, ENG_INTEGER, 1, "", ENG_SAVED, "into surfaces: law and parameters")            \
    X(key, uint64_t, ENG_WORD, 1, "", ENG_SAVED | ENG_HASHED, "features that touch")               \
    X(gap, double, ENG_REAL, 1, "m", ENG_SAVED, "at the midpoint; negative: overlap")              \
    X(frame, mat3, ENG_REAL, 9, "", ENG_SAVED, "rows n, t1, t2, world axes")                       \
    X(point, vec3, ENG_REAL, 3, "m", ENG_SAVED, "at the midpoint, world")                          \
    X(meets, double, ENG_REAL, 1, "s", ENG_SAVED,                                                  \
      "from the midpoint on, when bodies that are apart come to it; 0: they touch, or may")        \
    X(ahead, vec3, ENG_REAL, 3, "m", ENG_SAVED,                                                    \
      "half of the way that B goes against A until then: the point lies so much on in A, and "     \
      "behind in B")                                                                               \
    X(fresh, unsigned char, ENG_BYTE, 1, "", ENG_SAVED, "1 in the first step of a contact")        \
    X(V, eng_reals3, ENG_REAL, 3, "m/s", ENG_SAVED, "H v_n, contact frame")                        \
    X(U, eng_reals3, ENG_REAL, 3, "m/s", ENG_SAVED | ENG_CARRIED,                                  \
      "H v_{n+1} without the shift; that of the last step until the solve")                        \
    X(R, eng_reals3, ENG_REAL, 3, "N s", ENG_SAVED | ENG_HASHED | ENG_CARRIED,                     \
      "on B, contact frame; turned with the frame when it is carried over")                        \
    X(history, eng_history, ENG_REAL, CON_HISTORY_MAX, "", ENG_SAVED | ENG_HASHED | ENG_CARRIED,   \
      "of the law, as the law names it")                                                           \
    X(releasable, double, ENG_REAL, 1, "J", ENG_SAVED | ENG_CLEARED,                               \
      "lost if an explicit contact opens, by the audit")                                           \
    X(elastic, double, ENG_REAL, 1, "J", ENG_SAVED | ENG_CLEARED,                                  \
      "stored at the end of the step, by the audit")                                               \
    X(couple, eng_reals6, ENG_REAL, 6, "N m s", ENG_SAVED | ENG_CLEARED,                           \
      "on A and B beside the moment of R, world; of explicit laws")

enum {
#define ENG_CONTACT_COLUMN_COUNTED(name, ...) ENG_CONTACT_##name,
    ENG_CONTACT_COLUMNS(ENG_CONTACT_COLUMN_COUNTED)
#undef ENG_CONTACT_COLUMN_COUNTED
        ENG_CONTACT_COLUMN_COUNT
};

/// Contacts of one step; those of cone laws come first. Every array is [count].
typedef struct eng_contacts {
    int count;      // all
    int cone_count; // the first ones, which form the implicit problem
    int capacity;
    union {
        struct {
#define ENG_CONTACT_COLUMN_FIELD(name, type, ...) type *name;
            ENG_CONTACT_COLUMNS(ENG_CONTACT_COLUMN_FIELD)
#undef ENG_CONTACT_COLUMN_FIELD
        };
        void *data[ENG_CONTACT_COLUMN_COUNT]; // the same, as the table numbers them
    };
} eng_contacts;

/// The columns of a set, for the loops over them.
eng_columns eng_contacts_columns(eng_contacts *contacts);

cairn_status eng_contacts_reserve(const base_allocator *allocator, eng_contacts *contacts,
                                  int needed) CAIRN_CHECK_RESULT;
void eng_contacts_release(const base_allocator *allocator, eng_contacts *contacts);

/// Begins contact `made` with what it takes over from contact `old` of the step before; old < 0:
/// there was none. U and R are as they were in the old frame.
void eng_contact_carry(eng_contacts *now, int made, const eng_contacts *before, int old);

/// Turns U and R of contact `made` from the frame of contact `old` to its own.
void eng_contact_turn(eng_contacts *now, int made, const eng_contacts *before, int old);

#endif
