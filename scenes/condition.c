// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the text of a condition into code for a small stack machine.
#include "scenes/condition.h"
#include "base/text.h"

#include "base/assert.h"
#include "base/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 32 };

typedef struct parser {
    const char *text, *at;
    scn_condition *out;
    cairn_error *error;
    int nesting;
} parser;

static const char *const quantity_names[] = {
#define QUANTITY_NAME(name) #name,
    SCN_QUANTITY_LIST(QUANTITY_NAME)
#undef QUANTITY_NAME
};

static cairn_status parse_or(parser *p);

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static cairn_status fail_expected(parser *p, const char *expected)
{
    int place = (int)(p->at - p->text) + 1;
    if (*p->at == '\0')
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "condition \"%s\": expected %s at the end",
                         p->text, expected);
    return base_fail(p->error, CAIRN_ERROR_ARGUMENT,
                     "condition \"%s\": expected %s at character %d, found \"%s\"", p->text,
                     expected, place, p->at);
}

static cairn_status emit(parser *p, scn_condition_code code)
{
    if (p->out->count == SCN_CONDITION_CODE_MAX)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "condition is too long: at most %d terms",
                         SCN_CONDITION_CODE_MAX);
    p->out->code[p->out->count++] = code;
    return CAIRN_OK;
}

static int word_length(const char *at)
{
    int length = 0;
    while (isalpha((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool take_word(parser *p, const char *word)
{
    skip_space(p);
    int length = word_length(p->at);
    if (length != (int)strlen(word) || strncmp(p->at, word, (size_t)length) != 0)
        return false;
    p->at += length;
    return true;
}

static cairn_status fail_quantity(parser *p, int length)
{
    char word[32] = "";
    memcpy(word, p->at, length < 31 ? (size_t)length : 31);
    return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "condition \"%s\": unknown quantity \"%s\"%s",
                     p->text, word,
                     base_choices_for(word, quantity_names, SCN_QUANTITY_COUNT).text);
}

static cairn_status parse_operand(parser *p)
{
    skip_space(p);
    int length = word_length(p->at);
    if (length > 0) {
        for (int i = 0; i < SCN_QUANTITY_COUNT; i++)
            if (take_word(p, quantity_names[i]))
                return emit(p, (scn_condition_code){.operation = SCN_CODE_QUANTITY,
                                                    .quantity = (scn_quantity)i});
        return fail_quantity(p, length);
    }
    char *end = NULL;
    double number = base_text_number(p->at, &end);
    if (end == p->at)
        return fail_expected(p, "a quantity or a number");
    p->at = end;
    return emit(p, (scn_condition_code){.operation = SCN_CODE_NUMBER, .number = number});
}

static cairn_status parse_comparison(parser *p)
{
    static const struct {
        const char *sign;
        int operation;
    } signs[] = {
        {"<=", SCN_CODE_AT_MOST}, {">=", SCN_CODE_AT_LEAST}, {"==", SCN_CODE_EQUAL},
        {"!=", SCN_CODE_UNEQUAL}, {"<", SCN_CODE_LESS},      {">", SCN_CODE_GREATER},
    };
    cairn_status status = parse_operand(p);
    if (status != CAIRN_OK)
        return status;
    skip_space(p);
    for (int i = 0; i < BASE_COUNT(signs); i++) {
        size_t length = strlen(signs[i].sign);
        if (strncmp(p->at, signs[i].sign, length) != 0)
            continue;
        p->at += length;
        status = parse_operand(p);
        return status != CAIRN_OK ? status
                                  : emit(p, (scn_condition_code){.operation = signs[i].operation});
    }
    return fail_expected(p, "one of < <= > >= == !=");
}

static cairn_status parse_factor(parser *p)
{
    if (++p->nesting > NESTING_MAX)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "condition is nested too deeply");
    cairn_status status;
    if (take_word(p, "not")) {
        status = parse_factor(p);
        if (status == CAIRN_OK)
            status = emit(p, (scn_condition_code){.operation = SCN_CODE_NOT});
    } else if (*p->at == '(') {
        p->at++;
        status = parse_or(p);
        skip_space(p);
        if (status == CAIRN_OK && *p->at != ')')
            status = fail_expected(p, "\")\"");
        else if (status == CAIRN_OK)
            p->at++;
    } else {
        status = parse_comparison(p);
    }
    p->nesting--;
    return status;
}

static cairn_status parse_and(parser *p)
{
    cairn_status status = parse_factor(p);
    while (status == CAIRN_OK && take_word(p, "and")) {
        status = parse_factor(p);
        if (status == CAIRN_OK)
            status = emit(p, (scn_condition_code){.operation = SCN_CODE_AND});
    }
    return status;
}

static cairn_status parse_or(parser *p)
{
    cairn_status status = parse_and(p);
    while (status == CAIRN_OK && take_word(p, "or")) {
        status = parse_and(p);
        if (status == CAIRN_OK)
            status = emit(p, (scn_condition_code){.operation = SCN_CODE_OR});
    }
    return status;
}

cairn_status scn_condition_parse(const char *text, scn_condition *condition, cairn_error *error)
{
    parser p = {text, text, condition, error, 0};
    condition->count = 0;
    cairn_status status = parse_or(&p);
    skip_space(&p);
    if (status == CAIRN_OK && *p.at != '\0')
        status = fail_expected(&p, "\"and\", \"or\" or the end");
    if (status != CAIRN_OK)
        condition->count = 0;
    return status;
}

static double apply_operation(const scn_condition_code *code, double a, double b)
{
    switch (code->operation) {
    case SCN_CODE_LESS:
        return a < b;
    case SCN_CODE_AT_MOST:
        return a <= b;
    case SCN_CODE_GREATER:
        return a > b;
    case SCN_CODE_AT_LEAST:
        return a >= b;
    case SCN_CODE_EQUAL:
        return a == b;
    case SCN_CODE_UNEQUAL:
        return a != b;
    case SCN_CODE_AND:
        return a != 0.0 && b != 0.0;
    case SCN_CODE_OR:
        return a != 0.0 || b != 0.0;
    case SCN_CODE_NUMBER:
    case SCN_CODE_QUANTITY:
    case SCN_CODE_NOT:
        break;
    }
    return 0.0;
}

bool scn_condition_holds(const scn_condition *condition, const double values[])
{
    double stack[SCN_CONDITION_CODE_MAX];
    int depth = 0;
    for (int i = 0; i < condition->count; i++) {
        const scn_condition_code *code = &condition->code[i];
        if (code->operation == SCN_CODE_NUMBER) {
            stack[depth++] = code->number;
        } else if (code->operation == SCN_CODE_QUANTITY) {
            stack[depth++] = values[code->quantity];
        } else if (code->operation == SCN_CODE_NOT) {
            stack[depth - 1] = stack[depth - 1] == 0.0;
        } else {
            stack[depth - 2] = apply_operation(code, stack[depth - 2], stack[depth - 1]);
            depth--;
        }
    }
    return depth == 0 || stack[0] != 0.0;
}
