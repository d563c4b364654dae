// SPDX-License-Identifier: Apache-2.0
// FCLIB problem files (HDF5): written from a live step, read back for solving.
#ifndef CAIRN_CONTACT_FCLIB_H
#define CAIRN_CONTACT_FCLIB_H

#include "contact/problem.h"

typedef enum con_fclib_form { CON_FCLIB_LOCAL, CON_FCLIB_GLOBAL } con_fclib_form;

/// Texts of the info group.
typedef struct con_fclib_info {
    const char *title;
    const char *description;
    const char *math_info;
} con_fclib_info;

/// Writes one problem in body form: local (W, q, mu) or global (M, H, f, w, mu), matrices in
/// compressed columns as the reference library reads them; f = M v_free. Rows of immobile bodies
/// are left out (they stay in w); bodies touched by no contact are left out too. The file appears
/// whole or not at all (temporary name, renamed).
/// @param guess     [n][3] R before the solve; NULL for none
/// @param R, U      [n][3] solution; NULL for none. Global form also stores v.
/// @return CAIRN_ERROR_FILE with path and reason; CAIRN_ERROR_ARGUMENT for a problem without
///         contacts
cairn_status con_fclib_write(const char *path, con_fclib_form form, const con_problem *problem,
                             const double (*guess)[3], const double (*R)[3], const double (*U)[3],
                             const con_fclib_info *info, base_arena *arena,
                             cairn_error *error) CAIRN_CHECK_RESULT;

#endif
