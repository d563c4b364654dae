// SPDX-License-Identifier: Apache-2.0
// cairn info for problem files: sizes, sparsity, rank, conditioning, symmetry, friction, solution.
#include "cli/info/info.h"

#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include <math.h>

static void print_sizes(const cairn_problem_view *view)
{
    printf("  contacts     %d, %d rows each\n", view->contacts, view->dimension);
    if (view->kind == CAIRN_PROBLEM_LOCAL) {
        printf("  W            %d x %d, %d entries, %.3g %% full\n", view->dofs, view->dofs,
               view->W_entries, 100.0 * view->density);
    } else {
        printf("  M            %d x %d, %d entries", view->dofs, view->dofs, view->M_entries);
        if (view->bodies > 0)
            printf(", %d bodies", view->bodies);
        printf("\n  H            %d x %d, %d entries, %.3g %% full\n", view->dofs,
               view->dimension * view->contacts, view->H_entries, 100.0 * view->density);
        printf("  hyperstatic  %.3g contact rows a degree of freedom\n", view->hyperstaticity);
    }
    if (view->equalities > 0)
        printf("  equalities   %d\n", view->equalities);
}

static void print_rank(const cairn_problem_view *view)
{
    const char *name = view->kind == CAIRN_PROBLEM_LOCAL ? "W" : "H";
    if (view->rank < 0)
        printf("  rank of %s    not computed: too large for a dense factorisation\n", name);
    else
        printf("  rank of %s    %d of %d, conditioning %.3g within it\n", name, view->rank,
               view->rank_full, view->conditioning);
}

static void print_rest(const cairn_problem_view *view)
{
    const char *name = view->kind == CAIRN_PROBLEM_LOCAL ? "W" : "M";
    printf("  symmetry     |%s - %s^T| is %.2g of the largest entry\n", name, name,
           view->symmetry_error);
    if (view->friction_minimum < view->friction_maximum)
        printf("  friction     %g to %g\n", view->friction_minimum, view->friction_maximum);
    else if (view->contacts > 0)
        printf("  friction     %g\n", view->friction_maximum);
    if (isfinite(view->q_norm))
        printf("  |q|          %.6g m/s\n", view->q_norm);
    printf("  guesses      %d\n", view->guesses);
    if (view->has_solution)
        printf("  solution     residual %.3g\n", view->solution_error);
    else
        printf("  solution     none\n");
    if (view->dropped_vectors > 0)
        printf("  left out     %d vectors of guesses or solution that are not finite\n",
               view->dropped_vectors);
}

static void print_problem(const char *path, const cairn_problem_view *view)
{
    printf("%s: contact problem in %s form\n", cli_show(path).text,
           cairn_problem_kind_name(view->kind));
    if (view->title[0] != '\0')
        printf("  title        %s\n", cli_show(view->title).text);
    if (view->description[0] != '\0')
        printf("  description  %s\n", cli_show(view->description).text);
    if (view->math_info[0] != '\0')
        printf("  mathematics  %s\n", cli_show(view->math_info).text);
    print_sizes(view);
    print_rank(view);
    print_rest(view);
}

// rank and what hangs on it: null where it was not computed
static void put_rank(cli_json *json, const cairn_problem_view *view)
{
    if (view->rank >= 0)
        cli_json_integer(json, "rank", view->rank);
    else
        cli_json_number(json, "rank", NAN);
    cli_json_integer(json, "rank_full", view->rank_full);
    cli_json_number(json, "conditioning", view->conditioning);
    cli_json_text(json, "note", view->rank >= 0 ? NULL : "rank not computed: too large");
}

static void json_problem(const char *path, const cairn_problem_view *view)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "file", path);
    cli_json_text(&json, "kind", cairn_problem_kind_name(view->kind));
    cli_json_text(&json, "title", view->title);
    cli_json_text(&json, "description", view->description);
    cli_json_text(&json, "math_info", view->math_info);
    cli_json_integer(&json, "dimension", view->dimension);
    cli_json_integer(&json, "contacts", view->contacts);
    cli_json_integer(&json, "dofs", view->dofs);
    cli_json_integer(&json, "equalities", view->equalities);
    cli_json_integer(&json, "bodies", view->bodies);
    cli_json_integer(&json, "W_entries", view->W_entries);
    cli_json_integer(&json, "M_entries", view->M_entries);
    cli_json_integer(&json, "H_entries", view->H_entries);
    cli_json_number(&json, "density", view->density);
    cli_json_number(&json, "hyperstaticity", view->hyperstaticity);
    put_rank(&json, view);
    cli_json_number(&json, "symmetry_error", view->symmetry_error);
    cli_json_number(&json, "friction_minimum", view->friction_minimum);
    cli_json_number(&json, "friction_maximum", view->friction_maximum);
    cli_json_number(&json, "q_norm", view->q_norm);
    cli_json_integer(&json, "guesses", view->guesses);
    cli_json_boolean(&json, "has_solution", view->has_solution);
    cli_json_number(&json, "solution_error", view->solution_error);
    cli_json_integer(&json, "dropped_vectors", view->dropped_vectors);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

int cli_info_problem(const char *path, bool json)
{
    cairn_error error = {0};
    cairn_problem *problem = NULL;
    cairn_problem_view view;
    cairn_status status = cli_probe_problem(path, &problem, &error);
    if (status == CAIRN_OK)
        status = cairn_problem_get_info(problem, &view, &error);
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        cairn_problem_destroy(problem);
        return status == CAIRN_ERROR_MEMORY ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    }
    if (json)
        json_problem(path, &view);
    else
        print_problem(path, &view);
    cairn_problem_destroy(problem);
    return CLI_EXIT_DONE;
}
