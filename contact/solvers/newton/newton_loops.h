// SPDX-License-Identifier: Apache-2.0
// Loops over the contacts and bodies of an island that threads share.
//
// Chunks depend on the numbers of contacts and bodies alone, and sums are added chunk by chunk: the
// bits are the same for any number of threads. Islands of up to CON_NEWTON_ALONE contacts are one
// chunk, which the calling thread does.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_LOOPS_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_LOOPS_H

#include "contact/solvers/newton/newton.h"

/// Calls `function` for ranges of contacts; a force and its moment are of one range.
void con_newton_each(const con_newton *newton, base_chunk_function *function, void *context);

/// How many ranges these are, CON_CHUNKS_MAX at most.
int con_newton_chunks(const con_newton *newton);

/// Calls `function` for ranges of bodies.
void con_newton_each_body(const con_newton *newton, base_chunk_function *function, void *context);
int con_newton_body_chunks(const con_newton *newton); // CON_CHUNKS_MAX at most

/// A part of a sum, or the least of some numbers, over the contacts [begin, end).
typedef double con_newton_term(void *context, int begin, int end);

double con_newton_sum(const con_newton *newton, con_newton_term *term, void *context);

/// INFINITY where there is nothing; numbers that are not one are passed over.
double con_newton_least(const con_newton *newton, con_newton_term *term, void *context);

/// out = a x of every contact, row-major blocks; out may be x.
void con_newton_apply(const con_newton *newton, const double (*a)[3][3], const double (*x)[3],
                      double (*out)[3]);

#endif
