// SPDX-License-Identifier: Apache-2.0
// Problem files in the text format of the Siconos library (".dat").
#ifndef CAIRN_CONTACT_FCLIB_TEXT_H
#define CAIRN_CONTACT_FCLIB_TEXT_H

#include "contact/fclib/fclib.h"

/// True where the file begins with a digit, perhaps behind white space: a problem in text. False
/// for everything else, files that cannot be opened included.
bool con_fclib_is_text(const char *path);

/// Reads a file in text, numbers separated by white space, in this order:
///     rows of a contact   2, 3, or 5 for rolling problems
///     contacts            nc
///     W [rows nc][rows nc], q, mu                     local form
///     M [n][n], H [n][rows nc], f [n], w, mu          global form
///     mu_r                                            rolling problems
///     a flag, 0 or 1      optional; it is passed over
/// A matrix is a storage (0, 1, 2) and its sizes, then
///     0  the sizes again and the entries row by row
///     1  blocks: their number, that of block rows and columns, the ends of each in rows, two
///        lengths, the starts of the block rows, the block columns, and each block, column major,
///        behind its number
///     2  an origin (1 triplets, 2 columns) and what CSparse prints of such a matrix
/// The file is global where the first matrix has not the size of W, or where a matrix of the size
/// of H follows it.
/// @param content  memory set; the rest is filled from its arena
/// @return CAIRN_ERROR_FILE; CAIRN_ERROR_FORMAT with path, line and reason; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/contact/fclib/test_fclib_text.c
cairn_status con_fclib_read_text(const char *path, con_fclib_problem *content,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

#endif
