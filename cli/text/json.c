// SPDX-License-Identifier: Apache-2.0
// Writes JSON values with keys, commas and escapes.
#include "cli/text/json.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>

cli_json cli_json_begin(FILE *out)
{
    return (cli_json){out, false};
}

/// Valid whatever the bytes are; what a terminal would obey is escaped.
static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        uint32_t letter = 0;
        int length = base_text_decode(text, &letter);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (letter == '"' || letter == '\\')
            fprintf(out, "\\%c", (int)letter);
        else if (base_text_is_control(letter))
            fprintf(out, "\\u%04x", (unsigned)letter);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
    fputc('"', out);
}

static void put_key(cli_json *json, const char *key)
{
    if (json->follows)
        fputs(", ", json->out);
    json->follows = true;
    if (key == NULL)
        return;
    put_quoted(json->out, key);
    fputs(": ", json->out);
}

static void open_with(cli_json *json, const char *key, char sign)
{
    put_key(json, key);
    fputc(sign, json->out);
    json->follows = false;
}

static void close_with(cli_json *json, char sign)
{
    fputc(sign, json->out);
    json->follows = true;
}

void cli_json_object(cli_json *json, const char *key)
{
    open_with(json, key, '{');
}

void cli_json_object_end(cli_json *json)
{
    close_with(json, '}');
}

void cli_json_list(cli_json *json, const char *key)
{
    open_with(json, key, '[');
}

void cli_json_list_end(cli_json *json)
{
    close_with(json, ']');
}

void cli_json_text(cli_json *json, const char *key, const char *text)
{
    put_key(json, key);
    if (text == NULL)
        fputs("null", json->out);
    else
        put_quoted(json->out, text);
}

void cli_json_number(cli_json *json, const char *key, double number)
{
    put_key(json, key);
    if (!isfinite(number)) {
        fputs("null", json->out);
        return;
    }
    // the shortest form that reads back the same
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double back = 0.0;
        if (sscanf(text, "%lf", &back) == 1 && back == number)
            break;
    }
    fputs(text, json->out);
}

void cli_json_integer(cli_json *json, const char *key, int64_t number)
{
    put_key(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void cli_json_boolean(cli_json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void cli_json_value(cli_json *json, const char *key, cairn_value value)
{
    switch (value.type) {
    case CAIRN_NUMBER:
        cli_json_number(json, key, value.number);
        break;
    case CAIRN_BOOLEAN:
        cli_json_boolean(json, key, value.boolean);
        break;
    case CAIRN_TEXT:
        cli_json_text(json, key, value.text);
        break;
    }
}

static int printed;

int cli_json_printed(void)
{
    return printed;
}

void cli_json_finish(cli_json *json)
{
    printed += json->out == stdout;
    fputc('\n', json->out);
}
