// SPDX-License-Identifier: Apache-2.0
// The frictional contact problem of one step or one file: what solvers read.
#ifndef CAIRN_CONTACT_PROBLEM_PROBLEM_H
#define CAIRN_CONTACT_PROBLEM_PROBLEM_H

#include "base/memory.h"
#include "base/vec.h"
#include "contact/problem/domains.h"

#include <stdbool.h>

/// Sparse matrix of 3x3 blocks, block rows in order, block columns ascending within a row.
/// Every diagonal block is present.
typedef struct con_block_matrix {
    int size;          // block rows and columns
    const int *start;  // [size + 1] into column and block
    const int *column; // [start[size]]
    const mat3 *block; // [start[size]] row-major blocks
} con_block_matrix;

/// Bilateral constraints between bodies, theory.md (4.14)-(4.17):
///     G v = b,    v = v_free + M^-1 (H^T R + G^T l)
/// Rows may depend on one another (loops): l is then the least of the solutions, in rows of one
/// size; v and U are unique. All arrays are borrowed and read only.
typedef struct con_joints {
    int count;               // joints
    const int *start;        // [count + 1] into rows; 1 to 6 rows a joint
    const int (*body)[2];    // [count] rows of A and B in v; -1 where immobile; not the same twice
    const double (*G)[2][6]; // [rows] blocks of A and B, signs included; read where body >= 0
    const double *b;         // [rows] m/s or rad/s: what G v must be
} con_joints;

/// W of a problem that has no body form as a product over bodies all the same, W = J K^T: bodies
/// whose mass matrix is not symmetric, as gyroscopic terms make it, have J = H M^-1 L and
/// K = H L^-T with L L^T the symmetric part of M. All arrays are borrowed and read only.
typedef struct con_body_factors {
    int body_count;             // m
    const int (*body)[2];       // [n] bodies of a contact, -1 where immobile
    const double (*J)[2][3][6]; // [n] zero where immobile
    const double (*K)[2][3][6]; // [n]
} con_body_factors;

/// Velocities z that any number of contacts know beside those of their two bodies, as the rates at
/// which a periodic cell strains, theory.md (4.22):
///     U = H v + w + S (z - z_free),   z = z_free + D S^T R,   D diagonal,
/// so that W has S D S^T more, which couples all contacts that know them. All arrays are borrowed
/// and read only.
typedef struct con_rates {
    int count;               // 1 to 3
    const double (*S)[3][3]; // [n] rows (N, T1, T2) by rate; zero where a contact knows none
    double inverse[3];       // diagonal of D >= 0; 0: the rate is what it would be freely
} con_rates;

/// Find R in K (product of Coulomb cones, normal first) with U = W R + q, theory.md (4.1)-(4.6):
///     K* contains U + mu |U_T| e_N,  orthogonal to R.
/// In body form W = H M^-1 H^T and q = H v_free + w, with M diagonal in the chosen velocity
/// coordinates (linear velocity in world axes, angular velocity in principal body axes).
/// With joints the law holds for U = H v + w of the jointed bodies, that is for
///     W = H (M^-1 - M^-1 G^T S^+ G M^-1) H^T,  S = G M^-1 G^T,  and q at v_free brought to G v =
///     b,
/// see contact/problem/reduced.h; q and W_diagonal below remain those of the free bodies.
/// A contact may yield by itself, U = H v + w + E R with a diagonal E: then E is part of W.
/// A problem from a file may have W alone: then body_count = 0 and H etc. are NULL.
/// All arrays are borrowed and read only.
typedef struct con_problem {
    int contact_count;         // n
    const double (*q)[3];      // [n] m/s, contact frame (N, T1, T2)
    const double *friction;    // [n] mu >= 0
    const double *spinning;    // [n] NULL: no contact resists rolling. At least 0: i is no contact
                               // but the moment (m_N, m_T) of contact i - 1, friction[i] is its
                               // mu_r and this its mu_s, both in m; see con_is_moment
    const mat3 *W_diagonal;    // [n] kg^-1, diagonal blocks of W
    const con_block_matrix *W; // whole W; NULL until con_problem_assemble_delassus

    const con_body_factors *factors; // of W, in W form; NULL where they are not known

    // body form
    int body_count;                  // m, bodies that can move
    const int (*body)[2];            // [n] rows of A and B in v; -1 where immobile
    const double (*H)[2][3][6];      // [n] blocks of A (sign included) and B
    const double (*mass_inverse)[6]; // [m] diagonal of M^-1
    const double (*v_free)[6];       // [m]
    const double (*w)[3];            // [n] m/s: q = H v_free + w
    const double (*compliance)[3];   // [n] kg^-1 >= 0, E of (4.14a); NULL for none. Not zero only
                                     // for contacts between bodies with joints
    const con_rates *rates;          // NULL for none, and with joints; what z_free gives is in w
    const con_joints *joints;        // NULL for none
    struct con_reduction *reduction; // of con_reduce_joints alone: solvers' access to the joints
    const con_domains *domains;      // NULL for none, and with rates: one thread
} con_problem;

/// A contact that resists rolling is a group of two blocks of three rows, its force and, right
/// behind it, its moment, each counted as a contact here:
///     |r_T| <= mu r_N,  |m_T| <= mu_r r_N,  |m_N| <= mu_s r_N,  theory.md (4.19).
/// True for the second block.
static inline bool con_is_moment(const con_problem *problem, int i)
{
    return problem->spinning != NULL && problem->spinning[i] >= 0.0;
}

/// Block i is a force, and block i + 1 its moment.
static inline bool con_has_moment(const con_problem *problem, int i)
{
    return problem->spinning != NULL && i + 1 < problem->contact_count &&
           problem->spinning[i + 1] >= 0.0;
}

/// The block can move its bodies: a moment where its force can, and bodies can turn.
static inline bool con_can_bear(const con_problem *problem, int i)
{
    bool moment = con_is_moment(problem, i);
    return problem->W_diagonal[moment ? i - 1 : i].m[0][0] > 0.0 &&
           (!moment || mat3_trace(&problem->W_diagonal[i]) > 0.0);
}

/// Diagonal blocks W_ii = sum over the two bodies of H M^-1 H^T, theory.md (4.4), plus E_i.
/// @param W_diagonal  [n] out
void con_assemble_diagonal(const con_problem *problem, mat3 *W_diagonal);

/// The same for contacts begin .. end-1.
void con_assemble_diagonal_range(const con_problem *problem, int begin, int end, mat3 *W_diagonal);

/// q = H v + w for given body velocities (v_free gives the q of the problem).
/// @param v    [m][6]
/// @param out  [n][3]
void con_apply_H(const con_problem *problem, const double (*v)[6], const double (*w)[3],
                 double (*out)[3]);

/// z - z_free = D S^T R, contacts added in order.
/// @param z  [rates] out
void con_apply_to_rates(const con_problem *problem, const double (*R)[3], double z[3]);

/// U += S (z - z_free): what impulses give the rates.
void con_apply_rates(const con_problem *problem, const double (*R)[3], double (*U)[3]);

/// Whether contact i knows the rates.
static inline bool con_knows_rates(const con_problem *problem, int i)
{
    const con_rates *rates = problem->rates;
    bool any = false;
    for (int k = 0; rates != NULL && k < rates->count; k++)
        any =
            any || rates->S[i][0][k] != 0.0 || rates->S[i][1][k] != 0.0 || rates->S[i][2][k] != 0.0;
    return any;
}

/// The problem in W form, without bodies and rates.
/// @param out  borrows from problem and arena
cairn_status con_problem_to_delassus(const con_problem *problem, base_arena *arena,
                                     con_problem *out) CAIRN_CHECK_RESULT;

/// v = v_free + M^-1 H^T R, contacts added in order; joints are not asked.
/// @param v  [m][6] out
void con_apply_impulses(const con_problem *problem, const double (*R)[3], double (*v)[6]);

/// U += E R: what contacts yield by themselves.
void con_apply_compliance(const con_problem *problem, const double (*R)[3], double (*U)[3]);

/// Builds the whole sparse W of a problem in body form, in arena memory, and sets problem->W; with
/// joints the reduced one, in which all contacts of bodies that joints connect act on each other.
/// Blocks are exact to round-off and W is symmetric bit by bit.
cairn_status con_problem_assemble_delassus(con_problem *problem,
                                           base_arena *arena) CAIRN_CHECK_RESULT;

/// U = W R + q, through the bodies where there is a body form, through W otherwise; with joints of
/// the reduced W and q (a factorisation of the joints a call).
/// @param U      [n][3] out, must not alias R
/// @param arena  scratch; rewound before return
cairn_status con_problem_velocity(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  base_arena *arena) CAIRN_CHECK_RESULT;

#endif
