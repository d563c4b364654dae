// SPDX-License-Identifier: Apache-2.0
// A problem from a file with what solvers want of it: shared by problems*.c.
#ifndef CAIRN_ENGINE_FILES_PROBLEMS_H
#define CAIRN_ENGINE_FILES_PROBLEMS_H

#include "base/memory.h"
#include "contact/fclib/fclib.h"
#include <cairn/cairn.h>

struct cairn_problem {
    base_allocator allocator;
    con_fclib_problem *content;       // the file, as it is
    con_fclib_conversion *conversion; // in 3-D, by blocks
    base_arena *arena;                // scratch of a call
    double (*R)[3];                   // [contacts] N s, last point found; NULL before
    double (*U)[3];                   // [contacts] m/s
    bool solved;                      // R and U are set
};

/// The arrays of a content for a program; borrowed from it.
cairn_problem_data eng_problem_data(const con_fclib_problem *content);

#endif
