// SPDX-License-Identifier: Apache-2.0
// cairn info of a table: its columns with their first, last, smallest and largest numbers.
#include "cli/info/info.h"
#include "cli/process/status.h"
#include "cli/text/csv.h"
#include "cli/text/json.h"

#include <math.h>

/// What a column holds; NaN where there is no number.
typedef struct extent {
    double first, last, smallest, largest;
} extent;

static extent extent_of(const cli_table *table, int column)
{
    extent found = {NAN, NAN, NAN, NAN};
    for (int r = 0; r < table->rows; r++) {
        double value = cli_table_value(table, r, column);
        found.first = r == 0 ? value : found.first;
        found.last = value;
        found.smallest = fmin(found.smallest, value);
        found.largest = fmax(found.largest, value);
    }
    return found;
}

static void put_number(double value)
{
    if (isnan(value))
        printf(" %12s", "-");
    else
        printf(" %12.5g", value);
}

static void print_table(const char *path, const cli_table *table)
{
    printf("%s: table of %d rows\n", cli_show(path).text, table->rows);
    printf("%-40s %12s %12s %12s %12s\n", "column", "first", "last", "smallest", "largest");
    for (int c = 0; c < table->columns; c++) {
        extent found = extent_of(table, c);
        printf("%-40s", cli_show(table->names[c]).text);
        put_number(found.first);
        put_number(found.last);
        put_number(found.smallest);
        put_number(found.largest);
        putchar('\n');
    }
}

static void json_table(const cli_table *table)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "table");
    cli_json_integer(&json, "rows", table->rows);
    cli_json_list(&json, "columns");
    for (int c = 0; c < table->columns; c++) {
        extent found = extent_of(table, c);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "name", table->names[c]);
        cli_json_number(&json, "first", found.first);
        cli_json_number(&json, "last", found.last);
        cli_json_number(&json, "smallest", found.smallest);
        cli_json_number(&json, "largest", found.largest);
        cli_json_object_end(&json);
    }
    cli_json_list_end(&json);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

int cli_info_table(const char *path, bool json)
{
    cli_table table = {0};
    cairn_error error = {0};
    cairn_status status = cli_table_read(&table, path, &error);
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    else if (json)
        json_table(&table);
    else
        print_table(path, &table);
    cli_table_release(&table);
    return status == CAIRN_OK ? CLI_EXIT_DONE : CLI_EXIT_INPUT;
}
