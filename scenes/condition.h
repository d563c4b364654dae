// SPDX-License-Identifier: Apache-2.0
// Conditions on a step, such as "contacts > 20 and error > 1e-6": parsed once, asked each step.
#ifndef CAIRN_SCENES_CONDITION_H
#define CAIRN_SCENES_CONDITION_H

#include "base/status.h"

#include <stdbool.h>

/// What a condition may ask about.
#define SCN_QUANTITY_LIST(X)                                                                       \
    X(contacts)                                                                                    \
    X(iterations)                                                                                  \
    X(error)                                                                                       \
    X(step)                                                                                        \
    X(time)

typedef enum scn_quantity {
#define SCN_QUANTITY_ENUM(name) SCN_QUANTITY_##name,
    SCN_QUANTITY_LIST(SCN_QUANTITY_ENUM)
#undef SCN_QUANTITY_ENUM
        SCN_QUANTITY_COUNT
} scn_quantity;

enum { SCN_CONDITION_CODE_MAX = 128 };

/// One instruction of the stack machine that a condition is turned into.
typedef struct scn_condition_code {
    enum {
        SCN_CODE_NUMBER,
        SCN_CODE_QUANTITY,
        SCN_CODE_LESS,
        SCN_CODE_AT_MOST,
        SCN_CODE_GREATER,
        SCN_CODE_AT_LEAST,
        SCN_CODE_EQUAL,
        SCN_CODE_UNEQUAL,
        SCN_CODE_AND,
        SCN_CODE_OR,
        SCN_CODE_NOT
    } operation;
    double number;         // of NUMBER
    scn_quantity quantity; // of QUANTITY
} scn_condition_code;

/// Plain value, no memory of its own.
typedef struct scn_condition {
    scn_condition_code code[SCN_CONDITION_CODE_MAX];
    int count;
} scn_condition;

/// Grammar: or-terms of and-terms of [not] comparison or (condition); a comparison has a quantity
/// or number on either side of < <= > >= == !=. An error names the place, counted from 1.
/// @return CAIRN_OK or CAIRN_ERROR_ARGUMENT
cairn_status scn_condition_parse(const char *text, scn_condition *condition,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// @param values  [SCN_QUANTITY_COUNT] by scn_quantity
/// @return truth; a condition without code is true
bool scn_condition_holds(const scn_condition *condition, const double values[]);

#endif
