// SPDX-License-Identifier: Apache-2.0
// One problem of a collection: checked, solved, described and written, in a process of its own.
#include "cli/collect/collect.h"

#include "cli/process/child.h"
#include "cli/process/interrupt.h"
#include "cli/text/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t memory_limit = (uint64_t)4 << 30; // bytes of a child
static const double check_limit = 20.0;                 // s of CPU time beside that of the solve

const char *collect_difficulty(bool solved, int iterations)
{
    return !solved ? "open" : iterations <= 100 ? "easy" : iterations <= 200 ? "medium" : "hard";
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// quantiles of values, relative to the largest in size of all that is to be compared
static void put_quantiles(double *values, int count, double largest, double out[COLLECT_POINTS])
{
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    for (int k = 0; k < COLLECT_POINTS; k++) {
        double at = (double)k / (COLLECT_POINTS - 1) * (count - 1);
        int low = (int)at, high = low + 1 < count ? low + 1 : low;
        double value = values[low] + (at - low) * (values[high] - values[low]);
        out[k] = largest > 0.0 ? value / largest : 0.0;
    }
}

/// Quantiles of the normal and tangential velocities without impulses: the same for a problem and
/// its copies in other units, other for another one. Of problems that cannot be judged, of the
/// right sides that they have.
static cairn_status take_signature(cairn_problem *problem, double signature[COLLECT_SIGNATURE],
                                   cairn_error *error)
{
    cairn_problem_data data = cairn_problem_get_data(problem);
    size_t n = (size_t)data.contacts;
    double(*zero)[3] = calloc(n + 1, sizeof *zero), (*q)[3] = calloc(n + 1, sizeof *q);
    double *values = calloc(2 * n + 2, sizeof *values), largest = 0.0;
    cairn_solve_def def = cairn_default_solve_def();
    cairn_solve_report report;
    cairn_status status =
        zero != NULL && q != NULL && values != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && data.dimension < 5)
        status = cairn_problem_judge(problem, (const double(*)[3])zero, &def, &report, error);
    if (status == CAIRN_OK && data.dimension < 5)
        status = cairn_problem_get_impulses(problem, zero, q, error);
    const double *right = data.kind == CAIRN_PROBLEM_LOCAL ? data.q : data.w;
    for (size_t i = 0; status == CAIRN_OK && i < n; i++) {
        size_t d = (size_t)data.dimension;
        for (size_t k = 0; d > 3 && k < 3; k++)
            q[i][k] = right[d * i + k];
        values[i] = q[i][0];
        values[n + i] = hypot(q[i][1], q[i][2]);
        largest = fmax(largest, fmax(fabs(values[i]), values[n + i]));
    }
    if (status == CAIRN_OK) {
        put_quantiles(values, data.contacts, largest, signature);
        put_quantiles(values + n, data.contacts, largest, signature + COLLECT_POINTS);
    }
    free(zero);
    free(q);
    free(values);
    return status;
}

// what the arrays say
static void take_sizes(const cairn_problem *problem, collect_problem *out)
{
    cairn_problem_data data = cairn_problem_get_data(problem);
    out->dimension = data.dimension;
    out->contacts = data.contacts;
    out->dofs = cairn_problem_get_dof_count(problem);
    out->equalities = data.equalities;
    out->hyperstaticity = data.kind == CAIRN_PROBLEM_GLOBAL && data.velocities > 0
                              ? (double)data.dimension * data.contacts / data.velocities
                              : NAN;
    out->friction_minimum = INFINITY;
    out->friction_maximum = 0.0;
    for (int i = 0; i < data.contacts; i++) {
        out->friction_minimum = fmin(out->friction_minimum, data.friction[i]);
        out->friction_maximum = fmax(out->friction_maximum, data.friction[i]);
    }
}

static cairn_status solve(const collect_settings *settings, cairn_problem *problem,
                          collect_problem *out, cairn_error *error)
{
    cairn_solve_def def = cairn_default_solve_def();
    cairn_solve_report report;
    def.tolerance = settings->tolerance;
    def.cpu_limit = settings->cpu_limit;
    BASE_TRY(cairn_problem_solve(problem, &def, &report, error));
    snprintf(out->solve, sizeof out->solve, "%s", report.stop);
    out->iterations = report.iterations;
    out->error = report.error;
    out->microseconds = 1e6 * report.cpu_seconds / out->contacts;
    snprintf(out->difficulty, sizeof out->difficulty, "%s",
             collect_difficulty(strcmp(report.stop, "solved") == 0, report.iterations));
    return CAIRN_OK;
}

// the problem once more, with texts that say where it comes from and how hard it is
static cairn_status write_described(const cairn_problem *problem, const collect_problem *what,
                                    const char *to, cairn_error *error)
{
    char title[COLLECT_NAME_SIZE + 64], text[2 * COLLECT_TEXT_SIZE];
    cairn_problem *described = NULL;
    cairn_problem_data data = cairn_problem_get_data(problem);
    snprintf(title, sizeof title, "%.*s, step %d", COLLECT_NAME_SIZE, what->scene, what->step);
    snprintf(text, sizeof text,
             "%.300s; parameters: %.*s; existence: %s; auto: %s, %d iterations, error %.1e, %s",
             data.description != NULL ? data.description : "", COLLECT_TEXT_SIZE,
             what->parameters[0] != '\0' ? what->parameters : "those of the scene", what->existence,
             what->solve, what->iterations, what->error, what->difficulty);
    data.title = title;
    data.description = text;
    cairn_status status = cairn_problem_create(&data, &described, error);
    if (status == CAIRN_OK)
        status = cairn_problem_write(described, to, error);
    cairn_problem_destroy(described);
    return status;
}

/// What the child is to do, and what it says.
typedef struct task {
    const collect_settings *settings;
    const char *from, *to;
    const collect_problem *known;
} task;

typedef struct answer {
    cairn_status status;
    char message[COLLECT_MESSAGE_SIZE];
    collect_problem problem;
} answer;

static void work(void *context, int line)
{
    const task *t = context;
    answer said = {.problem = *t->known};
    cairn_error error = {0};
    cairn_problem *problem = NULL;
    cairn_existence found;
    cli_child_limit_memory(memory_limit);
    said.status = cairn_problem_read(t->from, &problem, &error);
    if (said.status == CAIRN_OK) {
        take_sizes(problem, &said.problem);
        said.status = take_signature(problem, said.problem.signature, &error);
    }
    if (said.status == CAIRN_OK)
        said.status = solve(t->settings, problem, &said.problem, &error);
    // first without the check, which may take longer than it is given
    snprintf(said.problem.existence, sizeof said.problem.existence, "untested");
    if (said.status == CAIRN_OK)
        said.status = write_described(problem, &said.problem, t->to, &error);
    snprintf(said.message, sizeof said.message, "%.255s", error.message);
    if (!cli_child_send(line, &said, sizeof said))
        _exit(1);
    if (said.status != CAIRN_OK)
        return;
    cli_child_limit_cpu(check_limit);
    if (cairn_problem_check(problem, &found, NULL, &error) != CAIRN_OK)
        return;
    snprintf(said.problem.existence, sizeof said.problem.existence, "%s",
             cairn_existence_name(found.verdict));
    said.status = write_described(problem, &said.problem, t->to, &error);
    if (!cli_child_send(line, &said, sizeof said))
        _exit(1);
}

cairn_status collect_problem_take(const collect_settings *settings, const char *from,
                                  const char *to, collect_problem *problem, cairn_error *error)
{
    task t = {settings, from, to, problem};
    answer first, second;
    cli_child child;
    BASE_TRY(cli_child_start(&child, work, &t, error));
    bool answered = cli_child_receive(child.line, &first, sizeof first);
    bool checked = answered && first.status == CAIRN_OK &&
                   cli_child_receive(child.line, &second, sizeof second) &&
                   second.status == CAIRN_OK;
    int state = cli_child_end(&child);
    if (cli_interrupt_asked())
        return CAIRN_INTERRUPTED;
    if (!answered)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: %s", from,
                         cli_child_broke(state) ? "reading or solving it met a limit or crashed"
                                                : "the process that read it was ended");
    if (first.status != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: %s", from, first.message);
    *problem = checked ? second.problem : first.problem;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- lines

void collect_problem_put_names(bool signature, FILE *out)
{
    fputs("row,status,file,scene,parameters,step,dimension,contacts,dofs,equalities,"
          "friction_minimum,friction_maximum,hyperstaticity,existence,solve,iterations,error,"
          "microseconds,difficulty",
          out);
    for (int k = 0; signature && k < COLLECT_SIGNATURE; k++)
        fprintf(out, ",signature%d", k);
}

static void put_number(double value, FILE *out)
{
    char text[SWEEP_NUMBER_SIZE] = "";
    if (isfinite(value))
        sweep_print_number(text, value);
    fprintf(out, ",%s", text);
}

void collect_problem_put(const collect_problem *problem, bool signature, FILE *out)
{
    const char *const texts[] = {problem->name, problem->scene, problem->parameters};
    for (int k = 0; k < 3; k++) {
        fputc(',', out);
        cli_csv_put(texts[k], out);
    }
    fprintf(out, ",%d,%d,%d,%d,%d", problem->step, problem->dimension, problem->contacts,
            problem->dofs, problem->equalities);
    put_number(problem->friction_minimum, out);
    put_number(problem->friction_maximum, out);
    put_number(problem->hyperstaticity, out);
    fprintf(out, ",%s,%s,%d,%.3g,%.4g,%s", problem->existence, problem->solve, problem->iterations,
            problem->error, problem->microseconds, problem->difficulty);
    for (int k = 0; signature && k < COLLECT_SIGNATURE; k++)
        fprintf(out, ",%.6g", problem->signature[k]);
}
