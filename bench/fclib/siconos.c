// SPDX-License-Identifier: Apache-2.0
// Runs the solvers of Siconos on problem files and writes the CSV that cairn bench --external
// takes.
#include "bench/fclib/siconos_problem.h"

#include "base/assert.h"
#include "base/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef enum problem_form {
    FORM_LOCAL,
    FORM_GLOBAL,
    FORM_ROLLING,
    FORM_GLOBAL_ROLLING
} problem_form;

typedef struct solver_entry {
    const char *name;
    problem_form form;
    int id;
    int local; // one-contact or inner solver; 0: the default
    void (*adjust)(SolverOptions *options);
} solver_entry;

// ---------------------------------------------------------------- settings

static void plain_newton(SolverOptions *o)
{
    o->internalSolvers[0]->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] =
        SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_NO;
}

static void shuffle(SolverOptions *o)
{
    o->iparam[SICONOS_FRICTION_3D_NSGS_SHUFFLE] = SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE;
    o->iparam[SICONOS_FRICTION_3D_NSGS_SHUFFLE_SEED] = 1;
}

static void shuffle_each(SolverOptions *o)
{
    o->iparam[SICONOS_FRICTION_3D_NSGS_SHUFFLE] = SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE_EACH_LOOP;
    o->iparam[SICONOS_FRICTION_3D_NSGS_SHUFFLE_SEED] = 1;
}

static void relax(SolverOptions *o)
{
    o->iparam[SICONOS_FRICTION_3D_NSGS_RELAXATION] = SICONOS_FRICTION_3D_NSGS_RELAXATION_TRUE;
    o->dparam[SICONOS_FRICTION_3D_NSGS_RELAXATION_VALUE] = 1.5;
}

static void no_search(SolverOptions *o)
{
    o->iparam[SICONOS_FRICTION_3D_NSN_LINESEARCH] = SICONOS_FRICTION_3D_NSN_LINESEARCH_NO;
}

static void jean_moreau(SolverOptions *o)
{
    no_search(o);
    o->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] =
        SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD;
}

static void balance(SolverOptions *o)
{
    o->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
        SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
    o->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] =
        SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF;
}

#define LOCAL(name) SICONOS_FRICTION_3D_##name
#define ONE(name) SICONOS_FRICTION_3D_ONECONTACT_##name
#define GLOBAL(name) SICONOS_GLOBAL_FRICTION_3D_##name
#define ROLLING(name) SICONOS_ROLLING_FRICTION_3D_##name

// those that are often the fastest come first: the others are cut off sooner
static const solver_entry solvers[] = {
    {"PROX", FORM_LOCAL, LOCAL(PROX), 0, NULL},
    {"PSOR-1.5", FORM_LOCAL, LOCAL(NSGS), 0, relax},
    {"NSGS-AC", FORM_LOCAL, LOCAL(NSGS), ONE(NSN), plain_newton},
    {"NSN_FB", FORM_LOCAL, LOCAL(NSN_FB), 0, NULL},
    {"NSN_AC", FORM_LOCAL, LOCAL(NSN_AC), 0, NULL},
    {"NSGS-QUARTIC", FORM_LOCAL, LOCAL(NSGS), ONE(QUARTIC), NULL},
    {"NSGS-QUARTIC-NU", FORM_LOCAL, LOCAL(NSGS), ONE(QUARTIC_NU), NULL},
    {"NSGS-AC-GP", FORM_LOCAL, LOCAL(NSGS), ONE(NSN_GP), plain_newton},
    {"NSN_AC-NLS", FORM_LOCAL, LOCAL(NSN_AC), 0, no_search},
    {"NSN_JM-NLS", FORM_LOCAL, LOCAL(NSN_AC), 0, jean_moreau},
    {"NSN_NM", FORM_LOCAL, LOCAL(NSN_NM), 0, NULL},
    {"NSN_AC_TEST", FORM_LOCAL, LOCAL(NSN_AC_TEST), 0, NULL},
    {"NSGS", FORM_LOCAL, LOCAL(NSGS), 0, NULL},
    {"ADMM", FORM_LOCAL, LOCAL(ADMM), 0, NULL},
    {"EG", FORM_LOCAL, LOCAL(EG), 0, NULL},
    {"VI_EG", FORM_LOCAL, LOCAL(VI_EG), 0, NULL},
    {"NSGS-PLI", FORM_LOCAL, LOCAL(NSGS), ONE(ProjectionOnConeWithLocalIteration), NULL},
    {"PROX-NSGS", FORM_LOCAL, LOCAL(PROX), LOCAL(NSGS), NULL},
    {"NSGS-P", FORM_LOCAL, LOCAL(NSGS), ONE(ProjectionOnCone), NULL},
    {"NSGS-PD", FORM_LOCAL, LOCAL(NSGS), ONE(ProjectionOnConeWithDiagonalization), NULL},
    {"NSGS-PR", FORM_LOCAL, LOCAL(NSGS), ONE(ProjectionOnConeWithRegularization), NULL},
    {"NSGS-SHUFFLED", FORM_LOCAL, LOCAL(NSGS), 0, shuffle},
    {"NSGS-SHUFFLED-EACH", FORM_LOCAL, LOCAL(NSGS), 0, shuffle_each},
    {"ADMM-RB", FORM_LOCAL, LOCAL(ADMM), 0, balance},
    {"TFP", FORM_LOCAL, LOCAL(TFP), 0, NULL},
    {"FPP", FORM_LOCAL, LOCAL(FPP), 0, NULL},
    {"VI_FPP", FORM_LOCAL, LOCAL(VI_FPP), 0, NULL},
    {"PFP", FORM_LOCAL, LOCAL(PFP), 0, NULL},
    {"ACLMFP", FORM_LOCAL, LOCAL(ACLMFP), 0, NULL},
    {"DSFP", FORM_LOCAL, LOCAL(DSFP), 0, NULL},
    {"HP", FORM_LOCAL, LOCAL(HP), 0, NULL},
    {"SOCLCP", FORM_LOCAL, LOCAL(SOCLCP), 0, NULL},
    {"G-NSN_AC", FORM_GLOBAL, GLOBAL(NSN_AC), 0, NULL},
    {"G-PROX_WR", FORM_GLOBAL, GLOBAL(PROX_WR), 0, NULL},
    {"G-ADMM", FORM_GLOBAL, GLOBAL(ADMM), 0, NULL},
    {"G-NSN_AC_WR", FORM_GLOBAL, GLOBAL(NSN_AC_WR), 0, NULL},
    {"G-NSGS_WR", FORM_GLOBAL, GLOBAL(NSGS_WR), 0, NULL},
    {"G-IPM", FORM_GLOBAL, GLOBAL(IPM), 0, NULL},
    {"G-NSGS", FORM_GLOBAL, GLOBAL(NSGS), 0, NULL},
    {"G-TFP_WR", FORM_GLOBAL, GLOBAL(TFP_WR), 0, NULL},
    {"G-ADMM_WR", FORM_GLOBAL, GLOBAL(ADMM_WR), 0, NULL},
    {"G-VI_EG", FORM_GLOBAL, GLOBAL(VI_EG), 0, NULL},
    {"G-VI_FPP", FORM_GLOBAL, GLOBAL(VI_FPP), 0, NULL},
    {"G-ACLMFP", FORM_GLOBAL, GLOBAL(ACLMFP), 0, NULL},
    {"G-DSFP_WR", FORM_GLOBAL, GLOBAL(DSFP_WR), 0, NULL},
    {"R-NSGS", FORM_ROLLING, ROLLING(NSGS), 0, NULL},
    {"R-NSGS-P", FORM_ROLLING, ROLLING(NSGS), ROLLING(ONECONTACT_ProjectionOnCone), NULL},
    {"R-NSGS-PLI", FORM_ROLLING, ROLLING(NSGS),
     ROLLING(ONECONTACT_ProjectionOnConeWithLocalIteration), NULL},
    {"R-ADMM", FORM_ROLLING, ROLLING(ADMM), 0, NULL},
    {"GR-NSGS_WR", FORM_GLOBAL_ROLLING, SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR, 0, NULL},
};

// Newton methods that do not converge would count on without end
static bool counts_factorisations(int id)
{
    static const int ids[] = {LOCAL(NSN_AC),  LOCAL(NSN_AC_TEST), LOCAL(NSN_FB), LOCAL(NSN_NM),
                              GLOBAL(NSN_AC), GLOBAL(NSN_AC_WR),  GLOBAL(IPM)};
    for (int k = 0; k < BASE_COUNT(ids); k++)
        if (ids[k] == id)
            return true;
    return false;
}

static SolverOptions *make_options(const solver_entry *solver, double tolerance)
{
    SolverOptions *options = solver_options_create(solver->id);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = counts_factorisations(solver->id) ? 5000 : 100000000;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (solver->local != 0)
        solver_options_update_internal(options, 0, solver->local);
    if (solver->adjust != NULL)
        solver->adjust(options);
    return options;
}

// ---------------------------------------------------------------- one solve, in a child

typedef struct run_plan {
    double tolerance, limit; // limit: s of CPU time
    double give_up;          // a solver is cut off at so many times the fastest time of the file
    double shortest;         // s, the least limit
    const char *wanted;      // ",NAME,NAME,"; NULL: all
    FILE *csv;
} run_plan;

typedef struct answer {
    double seconds, wall, error;
    int iterations, info;
} answer;

enum { REPEATS = 5 };
static const double short_solve = 0.02; // s

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct unknowns {
    double *r, *u, *v;
} unknowns;

static unknowns make_unknowns(const con_fclib_problem *content)
{
    size_t rows = (size_t)content->dimension * (size_t)content->contact_count,
           velocities = (size_t)content->velocity_count;
    return (unknowns){calloc(rows + 1, sizeof(double)), calloc(rows + 1, sizeof(double)),
                      calloc(velocities + 1, sizeof(double))};
}

static void *make_problem(const con_fclib_problem *content, problem_form form)
{
    switch (form) {
    case FORM_LOCAL:
        return siconos_local(content);
    case FORM_GLOBAL:
        return siconos_global(content);
    case FORM_ROLLING:
        return siconos_rolling(content);
    case FORM_GLOBAL_ROLLING:
        return siconos_global_rolling(content);
    }
    return NULL;
}

static int drive(problem_form form, void *problem, unknowns x, SolverOptions *options)
{
    switch (form) {
    case FORM_LOCAL:
        return fc3d_driver(problem, x.r, x.u, options);
    case FORM_GLOBAL:
        return gfc3d_driver(problem, x.r, x.u, x.v, options);
    case FORM_ROLLING:
        return rolling_fc3d_driver(problem, x.r, x.u, options);
    case FORM_GLOBAL_ROLLING:
        return g_rolling_fc3d_driver(problem, x.r, x.u, x.v, options);
    }
    return -1;
}

static double error_of(const con_fclib_problem *content, problem_form form, unknowns x)
{
    switch (form) {
    case FORM_LOCAL:
        return siconos_local_error(content, x.r, x.u);
    case FORM_GLOBAL:
        return siconos_global_error(content, x.r, x.u, x.v);
    case FORM_ROLLING:
    case FORM_GLOBAL_ROLLING:
        return siconos_rolling_error(content, x.r, x.u);
    }
    return NAN;
}

// the call alone is timed: matrices and options are there before it
static answer solve_once(const con_fclib_problem *content, const solver_entry *solver,
                         double tolerance, unknowns x)
{
    answer out = {.error = NAN};
    SolverOptions *options = make_options(solver, tolerance);
    void *problem = make_problem(content, solver->form);
    double begin = base_timer_seconds(), cpu = cpu_seconds();
    out.info = drive(solver->form, problem, x, options);
    out.seconds = cpu_seconds() - cpu;
    out.wall = base_timer_seconds() - begin;
    out.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    return out;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void limit_cpu(double seconds)
{
    struct itimerval timer = {
        .it_value = {(time_t)seconds, (suseconds_t)(1e6 * fmod(seconds, 1.0))}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void limit_resources(double limit)
{
    struct rlimit memory = {(rlim_t)6 << 30, (rlim_t)6 << 30}, core = {0, 0};
    limit_cpu(limit);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
}

// as cairn bench times: CPU time, or the median of five on the wall's clock
static answer solve_timed(const con_fclib_problem *content, const solver_entry *solver,
                          double tolerance)
{
    unknowns x = make_unknowns(content);
    answer out = solve_once(content, solver, tolerance, x);
    limit_cpu(10.0);
    if (out.wall < short_solve) {
        double seconds[REPEATS] = {out.wall};
        for (int k = 1; k < REPEATS; k++)
            seconds[k] = solve_once(content, solver, tolerance, make_unknowns(content)).wall;
        qsort(seconds, REPEATS, sizeof *seconds, compare_numbers);
        out.seconds = seconds[REPEATS / 2];
    }
    out.error = error_of(content, solver->form, x);
    return out;
}

static _Noreturn void be_child(const con_fclib_problem *content, const solver_entry *solver,
                               const run_plan *plan, double limit, int out)
{
    // the library prints
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    limit_resources(limit);
    answer said = solve_timed(content, solver, plan->tolerance);
    _exit(write(out, &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
}

/// @return true with an answer; otherwise the words of the failure
static bool run_child(const con_fclib_problem *content, const solver_entry *solver,
                      const run_plan *plan, double limit, answer *said, char failure[32])
{
    int ends[2], state = 0;
    snprintf(failure, 32, "none");
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        be_child(content, solver, plan, limit, ends[1]);
    close(ends[1]);
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    // a busy machine lets the child wait
    bool ready = pid > 0 && poll(&end, 1, (int)(1e3 * (8.0 * limit + 10.0))) > 0;
    bool answered = ready && read(ends[0], said, sizeof *said) == (ssize_t)sizeof *said;
    if (pid > 0 && !ready)
        kill(pid, SIGKILL);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(state) && (WTERMSIG(state) == SIGPROF || WTERMSIG(state) == SIGKILL))
        snprintf(failure, 32, "timeout");
    else if (WIFSIGNALED(state))
        snprintf(failure, 32, "signal%d", WTERMSIG(state));
    else
        snprintf(failure, 32, "exit%d", WEXITSTATUS(state));
    return answered;
}

// ---------------------------------------------------------------- files

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void run_solver(const con_fclib_problem *content, const solver_entry *solver,
                       const run_plan *plan, const char *name, double *fastest)
{
    double limit = fmin(plan->limit, fmax(plan->shortest, plan->give_up * *fastest));
    answer said;
    char failure[32];
    if (!run_child(content, solver, plan, limit, &said, failure)) {
        fprintf(plan->csv, "%s,%s,0,nan,0,nan,nan,-1,%s,%g\n", name, solver->name, failure, limit);
        return;
    }
    bool success = said.error <= plan->tolerance * (1.0 + 1e-6);
    if (success)
        *fastest = fmin(*fastest, said.seconds);
    fprintf(plan->csv, "%s,%s,%d,%.9g,%d,%.9g,%.9g,%d,%s,%g\n", name, solver->name, success,
            said.seconds, said.iterations, said.error, said.wall, said.info,
            success ? "solved" : "inaccurate", limit);
}

static bool is_wanted(const run_plan *plan, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, ",%s,", name);
    return plan->wanted == NULL || strstr(plan->wanted, word) != NULL;
}

static bool run_file(const char *path, const run_plan *plan)
{
    base_allocator allocator = base_allocator_default();
    con_fclib_problem *content;
    cairn_error error = {0};
    double fastest = INFINITY;
    if (con_fclib_read(path, &allocator, &content, &error) != CAIRN_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    bool rolling = content->dimension == 5;
    problem_form form = (content->form == CON_FCLIB_GLOBAL ? FORM_GLOBAL : FORM_LOCAL) +
                        (rolling ? FORM_ROLLING : FORM_LOCAL);
    bool taken = (content->dimension == 3 || rolling) && content->equality_count == 0;
    for (int s = 0; taken && s < BASE_COUNT(solvers); s++) {
        if (solvers[s].form != form || !is_wanted(plan, solvers[s].name))
            continue;
        run_solver(content, &solvers[s], plan, name_of(path), &fastest);
        fflush(plan->csv);
    }
    con_fclib_problem_destroy(content);
    return true;
}

int main(int count, char **words)
{
    char wanted[1024];
    if (count < 7) {
        fprintf(stderr, "usage: fclib_siconos SOLVER,...|all TOLERANCE LIMIT_S GIVE_UP OUT.csv "
                        "FILE...\n"
                        "  GIVE_UP: a solver is cut off at so many times the fastest so far\n");
        return 2;
    }
    snprintf(wanted, sizeof wanted, ",%s,", words[1]);
    run_plan plan = {.wanted = strcmp(words[1], "all") == 0 ? NULL : wanted,
                     .tolerance = atof(words[2]),
                     .limit = atof(words[3]),
                     .give_up = atof(words[4]),
                     .shortest = 0.1,
                     .csv = fopen(words[5], "w")};
    if (plan.csv == NULL) {
        fprintf(stderr, "%s: %s\n", words[5], strerror(errno));
        return 1;
    }
    numerics_set_verbose(0);
    fprintf(plan.csv, "file,solver,success,time_s,iterations,error,wall_s,info,status,limit_s\n");
    int result = 0;
    for (int k = 6; k < count; k++) {
        fprintf(stderr, "%d of %d  %s\n", k - 5, count - 6, name_of(words[k]));
        if (!run_file(words[k], &plan))
            result = 3;
    }
    return fclose(plan.csv) == 0 ? result : 1;
}
