// SPDX-License-Identifier: Apache-2.0
// The answer of a law or one-contact solver: readable, as JSON, as columns.
#include "cli/law/law.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <math.h>
#include <string.h>

static int history_count(const law_request *request)
{
    return request->plugin == CAIRN_LAW ? cairn_law_get_history_count(request->info.name) : 0;
}

static const char *contact_status(const law_answer *answer)
{
    const double *R = answer->law.impulse, *U = answer->law.velocity_end;
    const double *V = answer->law.velocity;
    if (R[0] == 0.0 && R[1] == 0.0 && R[2] == 0.0)
        return "open";
    // cohesion pulls still, and holds no more
    double scale = hypot(hypot(V[0], V[1]), V[2]) + answer->law.W[0][0] * fabs(R[0]);
    if (R[0] < 0.0 && U[0] > 1e-9 * scale)
        return "parting";
    return hypot(U[1], U[2]) <= 1e-9 * hypot(V[1], V[2]) ? "sticking" : "sliding";
}

// ---------------------------------------------------------------- columns

static law_column *add(law_column *at, const char *name, const char *unit, double value)
{
    // adding zero takes the sign from zeros
    *at = (law_column){.unit = unit, .value = value + 0.0};
    snprintf(at->name, sizeof at->name, "%s", name);
    return at + 1;
}

static law_column *add_three(law_column *at, const char *const names[3], const char *unit,
                             const double *values)
{
    for (int i = 0; i < 3; i++)
        at = add(at, names[i], unit, values[i]);
    return at;
}

static const char *const U_names[] = {"U_n", "U_t1", "U_t2"};

static law_column *law_columns(const law_request *request, const law_answer *answer, law_column *at)
{
    static const char *const force_names[] = {"F_n", "F_t1", "F_t2"};
    static const char *const torque_names[] = {"T_x", "T_y", "T_z"};
    const cairn_law_response *law = &answer->law;
    double force[3];
    for (int i = 0; i < 3; i++)
        force[i] = law->impulse[i] / request->law.step;
    at = add(at, "gap", "m", law->gap);
    at = add_three(at, force_names, "N", force);
    at = add_three(at, torque_names, "N m", law->torque[1]);
    if (law_request_is_cone(request)) {
        at = add_three(at, U_names, "m/s", law->velocity_end);
        at = add(at, "iterations", "", law->iterations);
        return add(at, "error", "", law->error);
    }
    at = add(at, "elastic", "J", law->elastic);
    at = add(at, "friction dissipation", "J", law->friction);
    at = add(at, "plastic dissipation", "J", law->plastic);
    for (int i = 0; i < history_count(request); i++) {
        char name[48];
        snprintf(name, sizeof name, "history %s",
                 cairn_law_get_history_name(request->info.name, i));
        at = add(at, name, "", law->history[i]);
    }
    return at;
}

int law_answer_columns(const law_request *request, const law_answer *answer, law_column *columns)
{
    static const char *const R_names[] = {"R_n", "R_t1", "R_t2"};
    if (request->plugin == CAIRN_LAW)
        return (int)(law_columns(request, answer, columns) - columns);
    const cairn_local_response *local = &answer->local;
    law_column *at = add_three(columns, R_names, "N s", local->R);
    at = add_three(at, U_names, "m/s", local->U);
    at = add(at, "iterations", "", local->iterations);
    at = add(at, "error", "", local->error);
    return (int)(at - columns);
}

// ---------------------------------------------------------------- JSON

static void put_list(cli_json *json, const char *key, const double *values, int count)
{
    cli_json_list(json, key);
    for (int i = 0; i < count; i++)
        cli_json_number(json, NULL, values[i] + 0.0);
    cli_json_list_end(json);
}

static void put_rows(cli_json *json, const char *key, const double (*rows)[3], int count)
{
    cli_json_list(json, key);
    for (int i = 0; i < count; i++)
        put_list(json, NULL, rows[i], 3);
    cli_json_list_end(json);
}

static void put_solve(cli_json *json, const char *status, int iterations, bool converged,
                      double error)
{
    cli_json_text(json, "status", status);
    cli_json_integer(json, "iterations", iterations);
    cli_json_boolean(json, "converged", converged);
    cli_json_number(json, "error", error);
}

static void put_law(cli_json *json, const law_request *request, const law_answer *answer)
{
    const cairn_law_response *law = &answer->law;
    cli_json_text(json, "law", request->info.name);
    cli_json_text(json, "kind", request->info.kind);
    cli_json_number(json, "h", request->law.step);
    cli_json_number(json, "gap", law->gap);
    put_rows(json, "frame", law->frame, 3);
    put_list(json, "point", law->point, 3);
    put_list(json, "velocity", law->velocity, 3);
    put_list(json, "impulse", law->impulse, 3);
    put_rows(json, "forces", law->force, 2);
    put_rows(json, "torques", law->torque, 2);
    if (law_request_is_cone(request)) {
        put_list(json, "velocity_end", law->velocity_end, 3);
        put_rows(json, "W", law->W, 3);
        put_solve(json, contact_status(answer), law->iterations, law->converged, law->error);
        return;
    }
    cli_json_object(json, "history");
    for (int i = 0; i < history_count(request); i++)
        cli_json_number(json, cairn_law_get_history_name(request->info.name, i), law->history[i]);
    cli_json_object_end(json);
    cli_json_number(json, "elastic", law->elastic);
    cli_json_number(json, "friction_dissipation", law->friction);
    cli_json_number(json, "plastic_dissipation", law->plastic);
}

void law_answer_json(const law_request *request, const law_answer *answer, FILE *out)
{
    cli_json json = cli_json_begin(out);
    cli_json_object(&json, NULL);
    if (request->plugin == CAIRN_LAW) {
        put_law(&json, request, answer);
    } else {
        const cairn_local_response *local = &answer->local;
        cli_json_text(&json, "local", request->info.name);
        put_list(&json, "R", local->R, 3);
        put_list(&json, "U", local->U, 3);
        put_solve(&json, local->status, local->iterations, local->converged, local->error);
    }
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

// ---------------------------------------------------------------- table

static void print_three(FILE *out, const char *label, const double *values, const char *unit)
{
    fprintf(out, "  %-20s", label);
    for (int i = 0; i < 3; i++)
        fprintf(out, " %13.7g", values[i] + 0.0);
    fprintf(out, "  %s\n", unit);
}

static void print_one(FILE *out, const char *label, double value, const char *unit)
{
    fprintf(out, "  %-20s %13.7g  %s\n", label, value, unit);
}

static void print_solve(FILE *out, const char *status, int iterations, bool converged, double error)
{
    fprintf(out, "  %-20s %13s  %d iterations%s, error %.2g\n", "status", status, iterations,
            converged ? "" : ", not converged", error);
}

static void print_law(const law_request *request, const law_answer *answer, FILE *out)
{
    const cairn_law_response *law = &answer->law;
    double force[3];
    for (int i = 0; i < 3; i++)
        force[i] = law->impulse[i] / request->law.step;
    print_one(out, "gap", law->gap, "m");
    print_three(out, "normal, A to B", law->frame[0], "x y z");
    print_three(out, "velocity of B", law->velocity, "m/s, n t1 t2");
    print_three(out, "impulse on B", law->impulse, "N s, n t1 t2");
    print_three(out, "force on B", force, "N, n t1 t2");
    print_three(out, "force on B", law->force[1], "N, x y z");
    print_three(out, "torque on A", law->torque[0], "N m, x y z");
    print_three(out, "torque on B", law->torque[1], "N m, x y z");
    if (law_request_is_cone(request)) {
        print_three(out, "velocity after", law->velocity_end, "m/s, n t1 t2");
        print_solve(out, contact_status(answer), law->iterations, law->converged, law->error);
        return;
    }
    print_one(out, "stored", law->elastic, "J");
    print_one(out, "friction dissipation", law->friction, "J since the last call");
    print_one(out, "plastic dissipation", law->plastic, "J since the last call");
    for (int i = 0; i < history_count(request); i++)
        fprintf(out, "  %-20s %13.7g  %s\n", i == 0 ? "new history" : "", law->history[i],
                cairn_law_get_history_name(request->info.name, i));
}

void law_answer_print(const law_request *request, const law_answer *answer, FILE *out)
{
    if (request->plugin == CAIRN_LAW) {
        cli_print_line(out, "%s, %s law: %s", request->info.name, request->info.kind,
                       request->info.help);
        print_law(request, answer, out);
        return;
    }
    const cairn_local_response *local = &answer->local;
    cli_print_line(out, "%s: %s", request->info.name, request->info.help);
    print_three(out, "R", local->R, "N s, n t1 t2");
    print_three(out, "U = W R + b", local->U, "m/s, n t1 t2");
    print_solve(out, local->status, local->iterations, local->converged, local->error);
}
