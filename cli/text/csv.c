// SPDX-License-Identifier: Apache-2.0
// CSV lines and tables.
#include "cli/text/csv.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE_MAX = 1 << 20, TEXT_SIZE = 16384 };

cairn_status cli_csv_open(cli_csv *csv, const char *path, cairn_error *error)
{
    *csv = (cli_csv){.allocator = base_allocator_default(), .path = path};
    const char *reason = NULL;
    csv->file = base_file_read(path, &reason);
    if (csv->file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    return CAIRN_OK;
}

void cli_csv_close(cli_csv *csv)
{
    if (csv->file != NULL)
        fclose(csv->file);
    free(csv->text);
    base_release(&csv->allocator, csv->field);
    *csv = (cli_csv){.path = csv->path};
}

cairn_status cli_csv_fail(const cli_csv *csv, const char *what, cairn_error *error)
{
    // an empty file has no line
    return csv->line == 0
               ? base_fail(error, CAIRN_ERROR_FORMAT, "%s: %s", csv->path, what)
               : base_fail(error, CAIRN_ERROR_FORMAT, "%s:%ld: %s", csv->path, csv->line, what);
}

static cairn_status split_line(cli_csv *csv, cairn_error *error)
{
    csv->field_count = 0;
    for (char *rest = csv->text; rest != NULL; csv->field_count++) {
        if (base_array_reserve(&csv->allocator, &csv->field, &csv->field_capacity,
                               csv->field_count + 1) != CAIRN_OK)
            return base_fail(error, CAIRN_ERROR_MEMORY, "%s",
                             cairn_status_text(CAIRN_ERROR_MEMORY));
        if (!base_text_field(&rest, &csv->field[csv->field_count]))
            return cli_csv_fail(csv, "a quoted field does not end", error);
    }
    return CAIRN_OK;
}

cairn_status cli_csv_next(cli_csv *csv, bool *done, cairn_error *error)
{
    for (;;) {
        ssize_t length = getline(&csv->text, &csv->text_size, csv->file);
        *done = length < 0;
        if (*done)
            return ferror(csv->file) != 0 ? cli_csv_fail(csv, "cannot be read", error) : CAIRN_OK;
        csv->line++;
        if (length > LINE_SIZE_MAX)
            return cli_csv_fail(csv, "the line is too long", error);
        if (strlen(csv->text) != (size_t)length)
            return cli_csv_fail(csv, "a zero byte: not a text file", error);
        csv->text[strcspn(csv->text, "\r\n")] = '\0';
        size_t mark = csv->line == 1 ? base_text_mark(csv->text, strlen(csv->text)) : 0;
        memmove(csv->text, csv->text + mark, strlen(csv->text + mark) + 1);
        if (csv->text[0] != '\0')
            return split_line(csv, error);
    }
}

void cli_csv_put(const char *text, FILE *out)
{
    char mended[TEXT_SIZE];
    // a line is a row: no control stays
    base_text_mend(text, mended, sizeof mended);
    if (strpbrk(mended, ",\"") == NULL) {
        fputs(mended, out);
        return;
    }
    fputc('"', out);
    for (const char *at = mended; *at != '\0'; at++) {
        if (*at == '"')
            fputc('"', out);
        fputc(*at, out);
    }
    fputc('"', out);
}

// ---------------------------------------------------------------- tables

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

static cairn_status read_names(cli_table *table, cli_csv *csv, cairn_error *error)
{
    bool done = false;
    cairn_status status = cli_csv_next(csv, &done, error);
    if (status != CAIRN_OK || done)
        return status != CAIRN_OK ? status : cli_csv_fail(csv, "the file is empty", error);
    table->names = base_allocate(&table->allocator, (size_t)csv->field_count, sizeof *table->names);
    if (table->names == NULL)
        return fail_memory(error);
    for (; table->columns < csv->field_count; table->columns++) {
        table->names[table->columns] =
            base_copy_text(&table->allocator, csv->field[table->columns]);
        if (table->names[table->columns] == NULL)
            return fail_memory(error);
    }
    return CAIRN_OK;
}

static double number_of(const char *text)
{
    char *end = NULL;
    double number = strtod(text, &end);
    return end != text && *end == '\0' ? number : NAN;
}

static cairn_status read_row(cli_table *table, cli_csv *csv, cairn_error *error)
{
    if (csv->field_count != table->columns)
        return cli_csv_fail(csv, "not as many fields as the first line has", error);
    if (table->rows >= INT_MAX / table->columns - 1)
        return cli_csv_fail(csv, "too many rows", error);
    if (base_array_reserve(&table->allocator, &table->values, &table->row_capacity,
                           (table->rows + 1) * table->columns) != CAIRN_OK)
        return fail_memory(error);
    double *row = table->values + (size_t)table->rows * (size_t)table->columns;
    for (int c = 0; c < table->columns; c++)
        row[c] = number_of(csv->field[c]);
    table->rows++;
    return CAIRN_OK;
}

cairn_status cli_table_read(cli_table *table, const char *path, cairn_error *error)
{
    cli_csv csv;
    bool done = false;
    *table = (cli_table){.allocator = base_allocator_default()};
    cairn_status status = cli_csv_open(&csv, path, error);
    if (status == CAIRN_OK)
        status = read_names(table, &csv, error);
    while (status == CAIRN_OK && !done) {
        status = cli_csv_next(&csv, &done, error);
        if (status == CAIRN_OK && !done)
            status = read_row(table, &csv, error);
    }
    cli_csv_close(&csv);
    return status;
}

void cli_table_release(cli_table *table)
{
    for (int c = 0; c < table->columns; c++)
        base_release(&table->allocator, table->names[c]);
    base_release(&table->allocator, table->names);
    base_release(&table->allocator, table->values);
    table->names = NULL;
    table->values = NULL;
    table->columns = table->rows = 0;
}

int cli_table_column(const cli_table *table, const char *name)
{
    for (int c = 0; c < table->columns; c++)
        if (strcmp(table->names[c], name) == 0)
            return c;
    return -1;
}
