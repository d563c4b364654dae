// SPDX-License-Identifier: Apache-2.0
// One law or one-contact solver on one state: the state, its variables, its answers. Shared by
// cmd_law.c and law_*.c.
#ifndef CAIRN_CLI_LAW_LAW_H
#define CAIRN_CLI_LAW_LAW_H

#include "cli/text/json_read.h"
#include <cairn/cairn.h>

#include <stdio.h>

enum { LAW_PARAMETERS_MAX = 64, LAW_COLUMNS_MAX = 64, LAW_ROWS_MAX = 100000 };

/// What is asked for. Texts are borrowed from the command line and the state file.
typedef struct law_request {
    cairn_plugin plugin; // CAIRN_LAW or CAIRN_LOCAL
    int index;           // in the table
    cairn_plugin_info info;
    cairn_law_state law;
    cairn_local_state local;
    cairn_parameter parameters[LAW_PARAMETERS_MAX];
    int parameter_count;
    double masses[2];         // kg; NAN where not given
    bool placed, fresh_given; // positions, and whether the contact is fresh, were given
    double overlap, v_n, v_t; // NAN where not given
    // contact quantities that stand for those of the bodies
    bool W_given, V_given, B_given, gap_given;
    double W[3][3], V[3], B[3], gap;
} law_request;

typedef struct law_answer {
    cairn_law_response law;
    cairn_local_response local;
} law_answer;

/// A law or one-contact solver by its name, on the default state.
/// @return CAIRN_ERROR_NOT_FOUND with a suggestion
cairn_status law_request_begin(law_request *request, const char *name,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// Takes what a state file says. @param path  for messages, "path:line: what"
cairn_status law_request_read(law_request *request, const cli_json_node *root, const char *path,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// Sets a variable (overlap, v_n, v_t, h; b_n, b_t1, b_t2, mu), a parameter or, of a law, a part of
/// the history.
/// @return CAIRN_ERROR_NOT_FOUND with a suggestion, CAIRN_ERROR_ARGUMENT
cairn_status law_request_set(law_request *request, const char *name, cairn_value value,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Sets a part of the history by its index; a name may be that of a parameter too.
void law_request_set_history(law_request *request, int index, double value);

/// Unit of something law_request_set knows; "" where it has none.
const char *law_request_unit(const law_request *request, const char *name);

/// A number as given, or that of a word: "0.5", "true", "viscous".
cairn_value law_value_of(const char *text);

cairn_status law_request_evaluate(const law_request *request, law_answer *answer,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// The next evaluation begins with the history that this one left.
void law_request_follow(law_request *request, const law_answer *answer);

/// Whether the request is of a law of the implicit problem.
bool law_request_is_cone(const law_request *request);

/// An answer as numbers with names, for tables.
typedef struct law_column {
    char name[48];
    const char *unit;
    double value;
} law_column;

/// @param columns  [LAW_COLUMNS_MAX] out; @return their number
int law_answer_columns(const law_request *request, const law_answer *answer, law_column *columns);

void law_answer_print(const law_request *request, const law_answer *answer, FILE *out);
void law_answer_json(const law_request *request, const law_answer *answer, FILE *out);

/// Curves over a sweep: y1 normal, y2 tangential.
typedef struct law_curves {
    const char *title, *x_name, *x_unit, *y_name, *y_unit;
    const char *labels[2];
    int count;
    const double *x, *y[2]; // [count], finite
} law_curves;

void law_svg_write(const law_curves *curves, FILE *out);

#endif
