// SPDX-License-Identifier: Apache-2.0
// A Lua state that can neither reach the machine nor run away: chosen library functions, a memory
// limit, an instruction limit, a wall clock, and the same random numbers and table order each time.
#ifndef CAIRN_SCENES_LOAD_SANDBOX_H
#define CAIRN_SCENES_LOAD_SANDBOX_H

#include "base/memory.h"

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/// Bytes of one text of the program: an instruction may go through all of it.
enum { SCN_LONG_TEXT_MOST = 16 << 20 };

typedef struct scn_sandbox {
    // set at creation
    base_allocator allocator;
    size_t memory_limit;
    int64_t instruction_limit;
    double time_limit;  // s
    bool (*stop)(void); // asked now and then: true ends the program; NULL: nobody asks
    void *owner;        // of the functions that the owner adds
    // kept while the program runs
    size_t memory_used;
    bool memory_refused, text_refused;
    bool stopped; // by `stop`
    int64_t instructions;
    double started;   // s, of base_timer_seconds
    int last_line;    // where the program was when last looked at; 0: not yet
    const char *part; // file that calls are made for, which messages name; NULL: the program's own
    int part_line;
} scn_sandbox;

/// @param sandbox  stays in place until scn_sandbox_close
/// @return NULL when out of memory
lua_State *scn_sandbox_open(scn_sandbox *sandbox);
void scn_sandbox_close(lua_State *L);

/// The sandbox of a state, for the functions the owner adds.
scn_sandbox *scn_sandbox_of(lua_State *L);

/// Pushes a value as `tostring` shows it. Tables, functions and the like are numbered in the order
/// in which they are shown first: their addresses would be others in each process.
const char *scn_push_shown(lua_State *L, int index);

/// Fills the globals; call under lua_pcall (it raises errors of memory).
void scn_sandbox_fill(lua_State *L);

/// Restarts math.random from a seed.
void scn_sandbox_seed(lua_State *L, int64_t seed);

/// Raises "file:line: message" with the line of the scene that runs now.
_Noreturn void scn_raise(lua_State *L, const char *format, ...) CAIRN_PRINTF(2, 3);

#endif
