// SPDX-License-Identifier: Apache-2.0
// Runs solvers on problems in child processes: a crash or a hang is the failure of that one alone.
#include "cli/bench/bench.h"

#include "base/timer.h"
#include "cli/process/child.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"
#include "cli/text/progress.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 64, REPEATS = 5 };
static const double short_solve = 0.02; // s
static const double grace = 5.0;        // s beyond the time limit, for timing again and for leaving

/// What a child says.
typedef struct answer {
    bool read; // the file could be read
    bool ran;  // the solver came to an end
    char stop[BENCH_STATUS_SIZE];
    cairn_solve_report report; // without its texts
    double time;               // s, what counts
    char message[256];
} answer;

typedef struct child {
    cli_child process; // pid 0: free
    int path, solver;  // of the plan
    double started;
    bool stopped; // by its time
} child;

typedef struct bench_state {
    const bench_plan *plan;
    bench_table *table;
    FILE *csv;
    child children[JOBS_MAX];
    int running, next, done, total;
    bool *complained; // [path_count]
    cli_progress progress;
} bench_state;

// ---------------------------------------------------------------- in the child

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Time of a solve that is too short for clocks of CPU time: the middle of some on the wall's
/// clock, each from the same start.
static double time_again(cairn_problem *problem, const cairn_solve_def *def, double first)
{
    double seconds[REPEATS] = {first};
    int count = 1;
    for (; count < REPEATS; count++) {
        cairn_solve_report again;
        cairn_error error;
        if (cairn_problem_solve(problem, def, &again, &error) != CAIRN_OK)
            break;
        seconds[count] = again.seconds;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare_numbers);
    return seconds[count / 2];
}

static void solve_in_child(const bench_plan *plan, int path, int solver, answer *out)
{
    char name[256];
    cairn_error error = {0};
    cairn_problem *problem = NULL;
    cairn_solve_def def = cairn_default_solve_def();
    snprintf(name, sizeof name, "%s", plan->solvers[solver]);
    char *slash = strchr(name, '/');
    if (slash != NULL)
        *slash = '\0';
    def.solver = name;
    def.local = slash != NULL ? slash + 1 : NULL;
    def.tolerance = plan->tolerance;
    def.both_measures = plan->both_measures;
    cairn_status status = cairn_problem_read(plan->paths[path], &problem, &error);
    out->read = status == CAIRN_OK;
    // a busy machine takes nothing from the solver: its limit is of CPU time, and it knows none
    cli_child_limit_cpu(plan->time_limit);
    if (status == CAIRN_OK)
        status = cairn_problem_solve(problem, &def, &out->report, &error);
    cli_child_limit_cpu(plan->time_limit + grace);
    out->ran = status == CAIRN_OK;
    out->time = out->report.cpu_seconds;
    if (out->ran && out->report.seconds < short_solve)
        out->time = time_again(problem, &def, out->report.seconds);
    if (out->ran)
        snprintf(out->stop, sizeof out->stop, "%s", out->report.stop);
    out->report.stop = out->report.solver = NULL;
    snprintf(out->message, sizeof out->message, "%.255s", error.message);
}

/// What a child is to do.
typedef struct task {
    const bench_plan *plan;
    int path, solver;
} task;

static void do_task(void *context, int line)
{
    const task *t = context;
    answer said = {0};
    cli_child_limit_memory((uint64_t)t->plan->memory_limit << 20);
    solve_in_child(t->plan, t->path, t->solver, &said);
    if (!cli_child_send(line, &said, sizeof said))
        _exit(1);
}

// ---------------------------------------------------------------- results

static void judge_death(const child *c, int state, bench_result *result)
{
    if (c->stopped || (WIFSIGNALED(state) && WTERMSIG(state) == SIGPROF)) {
        snprintf(result->status, sizeof result->status, "timeout");
        result->info = -1;
    } else if (WIFSIGNALED(state)) {
        snprintf(result->status, sizeof result->status, "signal%d", WTERMSIG(state));
        result->info = -WTERMSIG(state);
    } else {
        result->info = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
        snprintf(result->status, sizeof result->status, "exit%d", result->info);
    }
}

static void judge_answer(bench_state *s, const child *c, const answer *said, bench_result *result)
{
    if (said->ran) {
        result->success = strcmp(said->stop, "solved") == 0;
        result->seconds = said->time;
        result->wall = said->report.seconds;
        result->iterations = said->report.iterations;
        result->error = said->report.error;
        result->error_scaled = said->report.error_scaled;
        result->error_q = said->report.error_q;
        result->error_siconos = said->report.error_siconos;
        memcpy(result->status, said->stop, sizeof result->status);
        return;
    }
    snprintf(result->status, sizeof result->status, said->read ? "unsupported" : "unreadable");
    if (!said->read && !s->complained[c->path]) {
        s->complained[c->path] = true;
        cli_progress_clear(&s->progress);
        cli_complain("%s", said->message);
    }
}

static cairn_status put_result(bench_state *s, const child *c, const answer *said, int state,
                               cairn_error *error)
{
    const bench_plan *plan = s->plan;
    bench_result result = {.file = bench_table_file(s->table, plan->paths[c->path]),
                           .solver = bench_table_solver(s->table, plan->solvers[c->solver], false),
                           .seconds = NAN,
                           .error = NAN,
                           .error_scaled = NAN,
                           .error_q = NAN,
                           .error_siconos = NAN,
                           .wall = NAN,
                           .limit = plan->time_limit};
    if (said != NULL)
        judge_answer(s, c, said, &result);
    else
        judge_death(c, state, &result);
    if (result.file < 0 || result.solver < 0 || bench_table_add(s->table, &result) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    if (s->csv == NULL)
        return CAIRN_OK;
    bench_csv_row(s->table, &result, s->csv);
    if (fflush(s->csv) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "the CSV file could not be written: %s",
                         strerror(errno));
    return CAIRN_OK;
}

// ---------------------------------------------------------------- children

static cairn_status start_child(bench_state *s, child *c, cairn_error *error)
{
    task t = {s->plan, s->next / s->plan->solver_count, s->next % s->plan->solver_count};
    *c = (child){.path = t.path, .solver = t.solver, .started = base_timer_seconds()};
    BASE_TRY(cli_child_start(&c->process, do_task, &t, error));
    s->running++;
    s->next++;
    return CAIRN_OK;
}

static cairn_status wait_some(bench_state *s, cairn_error *error)
{
    struct pollfd ends[JOBS_MAX];
    for (int i = 0; i < s->plan->jobs; i++)
        ends[i] = (struct pollfd){
            .fd = s->children[i].process.pid != 0 ? s->children[i].process.line : -1,
            .events = POLLIN};
    int ready = poll(ends, (nfds_t)s->plan->jobs, 200);
    cairn_status status = CAIRN_OK;
    for (int i = 0; ready > 0 && i < s->plan->jobs && status == CAIRN_OK; i++)
        if (ends[i].fd >= 0 && ends[i].revents != 0) {
            // the child's line has an answer, which is all there is to wait for, or is
            // closed
            answer said;
            bool answered = cli_child_receive(s->children[i].process.line, &said, sizeof said);
            int state = cli_child_end(&s->children[i].process);
            s->running--;
            s->done++;
            status = put_result(s, &s->children[i], answered ? &said : NULL, state, error);
        }

    // stop late children
    // the clock on the wall runs on while a busy machine lets the child wait
    double limit = 20.0 * s->plan->time_limit + 2.0 * grace;
    for (int i = 0; i < s->plan->jobs; i++) {
        child *c = &s->children[i];
        if (c->process.pid != 0 && !c->stopped && base_timer_seconds() - c->started > limit) {
            kill(c->process.pid, SIGKILL);
            c->stopped = true;
        }
    }

    return status;
}

static cairn_status run_all(bench_state *s, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK && (s->next < s->total || s->running > 0)) {
        if (cli_interrupt_asked())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted after %d of %d solves", s->done,
                             s->total);

        // fill free
        status = CAIRN_OK;
        for (int i = 0; i < s->plan->jobs && s->next < s->total && status == CAIRN_OK; i++)
            if (s->children[i].process.pid == 0)
                status = start_child(s, &s->children[i], error);
        if (status == CAIRN_OK)
            status = wait_some(s, error);

        // show progress
        char text[128] = "";
        for (int i = 0; i < s->plan->jobs; i++) {
            const child *c = &s->children[i];
            if (c->process.pid == 0)
                continue;
            const char *slash = strrchr(s->plan->paths[c->path], '/');
            snprintf(text, sizeof text, "%d of %d  %.40s  %.60s", s->done, s->total,
                     s->plan->solvers[c->solver],
                     slash != NULL ? slash + 1 : s->plan->paths[c->path]);
            break;
        }
        cli_progress_tell(&s->progress, (double)s->done / s->total, text);
    }
    return status;
}

cairn_status bench_run(const bench_plan *plan, bench_table *table, FILE *csv, cairn_error *error)
{
    bench_state s = {.plan = plan,
                     .table = table,
                     .csv = csv,
                     .total = plan->path_count * plan->solver_count,
                     .progress = cli_progress_begin(plan->quiet)};
    if (plan->jobs < 1 || plan->jobs > JOBS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "jobs %d is out of range: 1 to %d",
                         plan->jobs, JOBS_MAX);
    s.complained = base_allocate(&table->allocator, (size_t)plan->path_count + 1, sizeof(bool));
    if (s.complained == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    cli_interrupt_watch();
    cairn_status status = run_all(&s, error);
    for (int i = 0; i < JOBS_MAX; i++)
        cli_child_end(&s.children[i].process);
    cli_progress_clear(&s.progress);
    base_release(&table->allocator, s.complained);
    return status;
}
