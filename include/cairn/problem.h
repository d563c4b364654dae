// SPDX-License-Identifier: Apache-2.0
// cairn: contact problems read from FCLIB files, and their solution.
#ifndef CAIRN_PROBLEM_H
#define CAIRN_PROBLEM_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A frictional contact problem read from an FCLIB file, and the impulses last found for it. Calls
/// on problems must not overlap in time unless the HDF5 library was built thread-safe.
typedef struct cairn_problem cairn_problem;

/// Reads a file of any form and storage and brings it to the form that solvers want. Nothing in the
/// file is trusted, but the HDF5 library may crash on what it cannot make sense of: a program that
/// must not go down with a damaged file reads it in a process of its own first, as the command
/// does.
/// @return CAIRN_ERROR_FILE (no such file); CAIRN_ERROR_FORMAT with the reason;
/// CAIRN_ERROR_NUMERICAL
///         when equality constraints cannot be eliminated; CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_problem_read(const char *path, cairn_problem **problem,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_problem_destroy(cairn_problem *problem);

typedef enum cairn_problem_kind {
    CAIRN_PROBLEM_LOCAL, // W and q
    CAIRN_PROBLEM_GLOBAL // M, H, f, w; both may have equality constraints
} cairn_problem_kind;

/// "local" or "global".
CAIRN_API const char *cairn_problem_kind_name(cairn_problem_kind kind);

CAIRN_API cairn_problem_kind cairn_problem_get_kind(const cairn_problem *problem);
CAIRN_API int cairn_problem_get_contact_count(const cairn_problem *problem);
/// Rows of M in global form; rows of W in local form, which does not know the bodies.
CAIRN_API int cairn_problem_get_dof_count(const cairn_problem *problem);
/// Rows of a contact: 2, 3, 5 with rolling friction, or 6 with spinning friction too.
CAIRN_API int cairn_problem_get_dimension(const cairn_problem *problem);
/// Rows of the equality constraints; 0 without joints.
CAIRN_API int cairn_problem_get_equality_count(const cairn_problem *problem);

/// What a problem file holds.
typedef struct cairn_problem_view {
    cairn_problem_kind kind;
    const char *title, *description, *math_info; // "" where absent; borrowed from the problem
    int dimension;                               // rows a contact: 2, 3; 5, 6 with rolling
    int contacts;
    int dofs;       // as cairn_problem_get_dof_count
    int equalities; // rows of the equality constraints
    int bodies;     // blocks of M that move on their own; 0 where not known
    int W_entries, M_entries, H_entries;
    double density;        // of W or H: stored entries / (rows columns)
    double symmetry_error; // max |A - A^T| / max |A| of W or M
    double friction_minimum, friction_maximum;
    double q_norm;         // m/s, |q|; NaN where not known
    double hyperstaticity; // contact rows / dofs; NaN in local form
    int rank;              // of W or H, singular values above 1e-10 of the largest; -1: too large
    int rank_full;         // smaller side of W or H
    double conditioning;   // largest / smallest singular value within the rank; NaN: not known
    int guesses;
    bool has_solution;
    double solution_error; // residual of the stored solution; NaN without one
    int dropped_vectors;   // guesses and solutions left out because they are not finite
} cairn_problem_view;

/// The rank takes a dense factorisation: up to a few seconds at 1500 rows, and left out above.
CAIRN_API cairn_status cairn_problem_get_info(const cairn_problem *problem,
                                              cairn_problem_view *view,
                                              cairn_error *error) CAIRN_CHECK_RESULT;

/// One name=value for a solver's or one-contact solver's table.
typedef struct cairn_setting {
    const char *name;
    const char *text; // "0.5", "true", "shuffled"
} cairn_setting;

typedef struct cairn_solve_def {
    const char *solver;                   // NULL: the default
    const char *local;                    // one-contact solver; NULL: the default
    const cairn_setting *solver_settings; // [solver_setting_count]
    int solver_setting_count;
    const cairn_setting *local_settings; // [local_setting_count]
    int local_setting_count;
    double tolerance;    // residual to reach, theory.md (4.18); default 1e-8
    bool both_measures;  // demand it of (4.11), and with it (4.12), too; default false
    bool scaled_measure; // demand it of (4.13) too; default false
    bool guess;         // start from the file's first guess where it has one; default false: from 0
    int max_iterations; // 0: the solver's default
    double time_limit;  // s of wall clock; 0: none
    double cpu_limit;   // s of CPU time, of all threads of the process; 0: none
    int threads;        // default 1
    bool (*stop)(void *context); // asked at every iteration and inside factorisations, by the
                                 // thread that solves; true ends the solve; NULL: nobody
    void *stop_context;
    uint32_t cookie;
} cairn_solve_def;

CAIRN_API cairn_solve_def cairn_default_solve_def(void);

/// What a solve came to. A limit that was hit is no failure of the call.
typedef struct cairn_solve_report {
    const char *solver; // name of the one that ran
    const char *stop;   // "solved", "iteration_limit", "time_limit", "interrupted", "stagnated",
                        // "runaway", "infeasible", "failed"
    int iterations;
    double error;         // recomputed, theory.md (4.18): free of units
    double error_scaled;  // theory.md (4.13), in velocities
    double error_q;       // theory.md (4.11), with the problem's units of mass and time
    double error_siconos; // theory.md (4.12), the number that Siconos prints
    double error_joints; // of the equality constraints, theory.md (4.17); 0 where W alone is solved
    double growth;       // |R| / |q| in the units of (4.18): large where impulses run away
    double seconds;      // wall clock of the solve alone
    double cpu_seconds;  // CPU time of the same, all threads
} cairn_solve_report;

/// Solves, and keeps the best point found for cairn_problem_write_solution.
/// @return CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT for names and values;
///         CAIRN_ERROR_UNSUPPORTED when the solver cannot take this kind of problem
CAIRN_API cairn_status cairn_problem_solve(cairn_problem *problem, const cairn_solve_def *def,
                                           cairn_solve_report *report,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes the problem as it was read, with the impulses last found as its solution.
/// @return CAIRN_ERROR_ARGUMENT before the first solve
CAIRN_API cairn_status cairn_problem_write_solution(const cairn_problem *problem, const char *path,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- problems of a program

/// Compressed columns: column j has its entries at start[j] .. start[j + 1] - 1, rows ascending, no
/// row twice. All zero bytes: there is no such matrix.
typedef struct cairn_sparse {
    int rows, columns;
    const int *start;    // [columns + 1]
    const int *index;    // [start[columns]] rows
    const double *value; // [start[columns]]
} cairn_sparse;

/// A problem as arrays, `dimension` rows a contact, normal first; find r in the Coulomb cones with
///     local:   u = W r + V l + q,      S r + R l + s = 0       (S = V^T where there is none)
///     global:  M v = H r + G l + f,    u = H^T v + w,          G^T v + b = 0
/// where u + mu |u_T| e_N is in the dual cones and orthogonal to r. The parts with l are there with
/// equality constraints alone; what the other form has is NULL.
typedef struct cairn_problem_data {
    cairn_problem_kind kind;
    int dimension; // 2 or 3; 5 with rolling friction: N, T1, T2 of the force, T1, T2 of the moment;
                   // 6 with spinning friction too: N, T1, T2 of both
    int contacts;
    int velocities;                  // rows of M; 0 in local form
    int equalities;                  // rows of l
    const double *friction;          // [contacts] >= 0
    const double *rolling;           // [contacts] m, >= 0; NULL without rolling friction
    const double *spinning;          // [contacts] m, >= 0; NULL but with 6 rows
    cairn_sparse W, V, S, R;         // local form
    const double *q, *s;             // [dimension contacts] m/s, [equalities]
    cairn_sparse M, H, G;            // global form; H has velocities rows
    const double *f, *w, *b;         // [velocities], [dimension contacts], [equalities]
    const double *guess;             // [dimension contacts] N s; NULL for none
    const char *title, *description; // NULL for none
    uint32_t cookie;
} cairn_problem_data;

CAIRN_API cairn_problem_data cairn_default_problem_data(cairn_problem_kind kind);

/// A problem from arrays, which are copied.
/// @return CAIRN_ERROR_ARGUMENT for sizes, indices or numbers that fit no problem;
///         CAIRN_ERROR_NUMERICAL when equality constraints cannot be eliminated; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/test_problem_data.c
CAIRN_API cairn_status cairn_problem_create(const cairn_problem_data *data, cairn_problem **problem,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

/// The arrays of a problem, as they were read or given; valid as long as the problem.
CAIRN_API cairn_problem_data cairn_problem_get_data(const cairn_problem *problem);

/// The contact problem of the last step, in either form, with its guess and the impulses found.
/// @return CAIRN_ERROR_ARGUMENT when the step had no implicit contact; CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_world_get_problem(const cairn_world *world, cairn_problem_kind kind,
                                               cairn_problem **problem,
                                               cairn_error *error) CAIRN_CHECK_RESULT;

/// Certifies impulses that a program found: they become those of the problem, and the report has
/// the errors that the engine works out for them. `stop` is "solved" within the tolerance of `def`,
/// of which only tolerance, both_measures and scaled_measure count, else "stagnated".
/// @param impulses  [contacts][3] N s
/// @return CAIRN_ERROR_NONFINITE for impulses that are not finite; CAIRN_ERROR_UNSUPPORTED for a
///         problem with rolling friction
CAIRN_API cairn_status cairn_problem_judge(cairn_problem *problem, const double (*impulses)[3],
                                           const cairn_solve_def *def, cairn_solve_report *report,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// The impulses last found or judged, and the velocities that belong to them.
/// @param impulses    [contacts][3] N s, out; may be NULL
/// @param velocities  [contacts][3] m/s, out; may be NULL
/// @return CAIRN_ERROR_ARGUMENT before the first solve; CAIRN_ERROR_UNSUPPORTED with rolling
/// friction
CAIRN_API cairn_status cairn_problem_get_impulses(const cairn_problem *problem,
                                                  double (*impulses)[3], double (*velocities)[3],
                                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// A solver of a program's own: improves the impulses of one step.
/// @param problem     borrowed during the call; without equality constraints, for joints have been
///                    eliminated
/// @param tolerance   residual that the step must reach, theory.md (4.18)
/// @param impulses    [contacts][3] N s, in: guess, out: the best point found
/// @param iterations  out, for the report
/// @return another status than CAIRN_OK fails the step
typedef cairn_status cairn_solver_function(void *context, const cairn_problem_data *problem,
                                           double tolerance, double (*impulses)[3],
                                           int *iterations);

/// Between steps: lets the function solve the implicit contacts of the next steps, until a solver
/// is chosen by name. Its name is "program". The engine judges what it finds as it does for its own
/// solvers, and reports the residual that it works out itself. Restarts have the same bits where
/// the function has.
/// @param kind      form in which the function wants the problem; of problems whose joints were
///                  eliminated there is the local form alone
/// @param context   borrowed
CAIRN_API cairn_status cairn_world_set_solver_function(cairn_world *world, cairn_problem_kind kind,
                                                       cairn_solver_function *function,
                                                       void *context,
                                                       cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- existence

/// Writes the problem as it is, with the impulses last found, where there are any, as its solution.
CAIRN_API cairn_status cairn_problem_write(const cairn_problem *problem, const char *path,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

typedef enum cairn_existence_verdict {
    CAIRN_EXISTENCE_SHOWN,      // a solution exists
    CAIRN_EXISTENCE_BORDERLINE, // undecided: the margin is zero within what can be computed
    CAIRN_EXISTENCE_NOT_SHOWN,  // the criterion fails: there may be a solution all the same
    CAIRN_EXISTENCE_NONE        // there is no solution
} cairn_existence_verdict;

/// "exists", "borderline", "not_shown", "none".
CAIRN_API const char *cairn_existence_name(cairn_existence_verdict verdict);

/// Numbers behind a verdict, recomputed with the problem's own operators.
typedef struct cairn_existence {
    cairn_existence_verdict verdict;
    bool zero_solves;    // R = 0 is a solution
    double scale;        // m/s, largest |q_i|: unit of the margins
    double margin;       // largest min(U_N - mu |U_T|) over the contacts that was found; at most 1;
                         // above 0: a solution exists
    double margin_bound; // no velocity has more; the dual's value
    double certificate_product;  // q.d < 0 of a direction d in the cones with sum d_N = 1 that no
                                 // velocity feels; NaN without one
    double certificate_residual; // |W^T d| of it, relative
    int rank;                    // of W in local form up to 500 contacts; -1 otherwise
    int iterations;
} cairn_existence;

/// Tests existence of a solution by the criterion of the largest margin: max a with
/// H^T v + w - a e_N in K*, a <= 1. Where it fails without friction too, there is no solution.
/// @param direction  [contacts][3] out: the certificate d, or zeros; may be NULL
/// @return CAIRN_ERROR_UNSUPPORTED for a local form whose factors would take more than 2 GB
/// Source: Acary & Cadoux 2013. Tests: tests/unit/contact/test_existence.c
CAIRN_API cairn_status cairn_problem_check(const cairn_problem *problem, cairn_existence *existence,
                                           double (*direction)[3],
                                           cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
