// SPDX-License-Identifier: Apache-2.0
// Checked reading of the table that a scene passes to a call. Every mistake raises
// "file:line: ..." and does not return.
#ifndef CAIRN_SCENES_LOAD_FIELDS_H
#define CAIRN_SCENES_LOAD_FIELDS_H

#include <cairn/cairn.h>

#include <lua.h>

enum { SCN_TEXT_MOST = 4000 };

/// The table of one call. `call` names it in messages.
typedef struct scn_fields {
    lua_State *L;
    int table; // stack index
    const char *call;
} scn_fields;

/// Allowed numbers: minimum <= x <= maximum, or minimum < x where `open`. `unit` may be "".
typedef struct scn_range {
    double minimum, maximum;
    bool open;
    const char *unit;
} scn_range;

scn_range scn_range_any(const char *unit);
scn_range scn_range_positive(const char *unit);
scn_range scn_range_not_negative(const char *unit);

/// Takes argument 1 of a call, which must be a table and the only argument.
scn_fields scn_fields_begin(lua_State *L, const char *call);

/// The table at a stack index, part of a call.
scn_fields scn_fields_at(lua_State *L, int table, const char *call);

/// Refuses keys other than `names` (NULL-terminated) and the places 1 .. positions.
void scn_fields_check(const scn_fields *fields, const char *const *names, int positions);

bool scn_fields_has(const scn_fields *fields, const char *key);
void scn_fields_require(const scn_fields *fields, const char *key);

/// Value of a key, or the fallback where the key is missing.
double scn_fields_number(const scn_fields *fields, const char *key, double fallback,
                         scn_range range);
int64_t scn_fields_integer(const scn_fields *fields, const char *key, int64_t fallback,
                           int64_t minimum, int64_t maximum);
bool scn_fields_boolean(const scn_fields *fields, const char *key, bool fallback);
/// At most SCN_TEXT_MOST letters; the text lives as long as the table.
const char *scn_fields_text(const scn_fields *fields, const char *key, const char *fallback);
/// Index in `words` (NULL-terminated); fallback where the key is missing.
int scn_fields_choice(const scn_fields *fields, const char *key, int fallback,
                      const char *const *words);
/// Leaves `out` alone and returns false where the key is missing.
bool scn_fields_vector(const scn_fields *fields, const char *key, double *out, int count,
                       scn_range range);
/// Unit quaternion from orientation = {w, x, y, z} or rotation = {axis = , angle = degrees};
/// the identity where both are missing.
void scn_fields_orientation(const scn_fields *fields, double out[4]);

/// Checks and returns the number on top of the stack; pops it.
double scn_fields_pop_number(const scn_fields *fields, const char *key, scn_range range);

/// A number, boolean or text on top of the stack as a value (text borrowed from the table);
/// pops it.
cairn_value scn_fields_pop_value(const scn_fields *fields, const char *key);

/// Raises the message of a failed engine call.
void scn_fields_pass(const scn_fields *fields, cairn_status status, const cairn_error *error);

/// Raises `unknown <what> "word" (did you mean "near"?)`.
_Noreturn void scn_raise_unknown(lua_State *L, const char *what, const char *word,
                                 const char *const *names, int count);

/// The same with the keys of the table on top of the stack, in the order of the alphabet: that of
/// the table is another in every run.
_Noreturn void scn_raise_unknown_key(lua_State *L, const char *what, const char *word);

#endif
