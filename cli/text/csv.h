// SPDX-License-Identifier: Apache-2.0
// Reads CSV line by line, fields plain or in quotes, and whole tables of numbers.
#ifndef CAIRN_CLI_TEXT_CSV_H
#define CAIRN_CLI_TEXT_CSV_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

/// An open file and its current line. Nothing in the file is trusted: lines up to 1 MB.
typedef struct cli_csv {
    base_allocator allocator;
    FILE *file;
    const char *path; // borrowed
    long line;        // number of the current line
    char *text;
    size_t text_size;
    char **field; // [field_count] of the current line
    int field_count, field_capacity;
} cli_csv;

/// @return CAIRN_ERROR_FILE
cairn_status cli_csv_open(cli_csv *csv, const char *path, cairn_error *error) CAIRN_CHECK_RESULT;
void cli_csv_close(cli_csv *csv);

/// Next line that is not blank. *done at the end of the file.
/// @return CAIRN_ERROR_FORMAT with the line's number and what is wrong
cairn_status cli_csv_next(cli_csv *csv, bool *done, cairn_error *error) CAIRN_CHECK_RESULT;

/// "path:line: what"
cairn_status cli_csv_fail(const cli_csv *csv, const char *what, cairn_error *error);

/// Writes a text field as valid UTF-8 without controls, in quotes where it needs them.
void cli_csv_put(const char *text, FILE *out);

/// A whole file with names in the first line.
typedef struct cli_table {
    base_allocator allocator;
    int columns, rows, row_capacity;
    char **names;   // [columns]
    double *values; // [rows][columns]; NaN for texts
} cli_table;

/// @param table  out; release it whatever is returned
cairn_status cli_table_read(cli_table *table, const char *path,
                            cairn_error *error) CAIRN_CHECK_RESULT;
void cli_table_release(cli_table *table);

/// -1 when there is none.
int cli_table_column(const cli_table *table, const char *name);

static inline double cli_table_value(const cli_table *table, int row, int column)
{
    return table->values[(size_t)row * (size_t)table->columns + (size_t)column];
}

#endif
