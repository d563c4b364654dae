// SPDX-License-Identifier: Apache-2.0
// The index of a collection: near copies go, the rest is listed.
#include "cli/collect/collect.h"

#include "cli/process/files.h"
#include "cli/text/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 19 }; // of row.csv before the signature

/// A line of row.csv: its fields as they stand, and what likeness is judged by.
typedef struct entry {
    int row;
    char *text; // of the line, fields one behind the other
    const char *field[COLUMNS];
    double key[5]; // what must be equal in copies
    double signature[COLLECT_SIGNATURE];
    bool copy;
} entry;

typedef struct entries {
    entry *item;
    int count, capacity;
} entries;

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

static cairn_status keep_line(entries *all, const cli_csv *csv, cairn_error *error)
{
    // dimension, contacts, equalities, least and largest friction
    static const int keys[] = {6, 7, 9, 10, 11};
    if (all->count == all->capacity) {
        int more = 2 * all->capacity + 64;
        entry *grown = realloc(all->item, (size_t)more * sizeof *grown);
        if (grown == NULL)
            return fail_memory(error);
        all->item = grown;
        all->capacity = more;
    }
    size_t size = 0;
    for (int k = 0; k < COLUMNS; k++)
        size += strlen(csv->field[k]) + 1;
    entry *e = &all->item[all->count];
    *e = (entry){.row = atoi(csv->field[0]) - 1, .text = malloc(size)};
    if (e->text == NULL)
        return fail_memory(error);
    all->count++;
    char *at = e->text;
    for (int k = 0; k < COLUMNS; k++) {
        size_t length = strlen(csv->field[k]) + 1;
        e->field[k] = memcpy(at, csv->field[k], length);
        at += length;
    }
    for (int k = 0; k < 5; k++)
        e->key[k] = strtod(csv->field[keys[k]], NULL);
    for (int k = 0; k < COLLECT_SIGNATURE; k++)
        e->signature[k] = strtod(csv->field[COLUMNS + k], NULL);
    return CAIRN_OK;
}

static cairn_status read_row(collection *c, int row, entries *all, cairn_error *error)
{
    char inner[PATH_MAX], path[PATH_MAX];
    cli_csv csv;
    bool done = false, failed = false;
    cairn_status status = sweep_row_folder(inner, c->folder, row, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "row.csv", error);
    if (status != CAIRN_OK || access(path, F_OK) != 0)
        return status; // not done yet
    BASE_TRY(cli_csv_open(&csv, path, error));
    status = cli_csv_next(&csv, &done, error);
    while (status == CAIRN_OK && !done) {
        status = cli_csv_next(&csv, &done, error);
        if (status != CAIRN_OK || done)
            break;
        failed = failed || (csv.field_count > 1 && strcmp(csv.field[1], "failed") == 0);
        if (csv.field_count == COLUMNS + COLLECT_SIGNATURE)
            status = keep_line(all, &csv, error);
        else if (csv.field_count != 3)
            status = cli_csv_fail(&csv, "not a line of a collection's row", error);
    }
    cli_csv_close(&csv);
    c->done += !failed;
    c->failed += failed;
    return status;
}

static bool are_alike(const entry *a, const entry *b, double likeness)
{
    double difference = 0.0;
    for (int k = 0; k < 5; k++)
        if (a->key[k] != b->key[k])
            return false;
    for (int k = 0; k < COLLECT_SIGNATURE; k++)
        difference = fmax(difference, fabs(a->signature[k] - b->signature[k]));
    return difference <= likeness;
}

// problems of equal sizes are few, so that all pairs may be looked at
static void mark_copies(entries *all, double likeness)
{
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < i && !all->item[i].copy; j++)
            all->item[i].copy =
                !all->item[j].copy && are_alike(&all->item[i], &all->item[j], likeness);
}

static cairn_status put_index(collection *c, const entries *all, cairn_error *error)
{
    char path[PATH_MAX], problems[PATH_MAX];
    cli_file file;
    BASE_TRY(cli_path_join(path, c->folder, "index.csv", error));
    BASE_TRY(cli_path_join(problems, c->folder, "problems", error));
    BASE_TRY(cli_file_open(&file, path, error));
    collect_problem_put_names(false, file.stream);
    fputc('\n', file.stream);
    for (int i = 0; i < all->count; i++) {
        const entry *e = &all->item[i];
        if (e->copy) {
            // what is a copy may change until all rows are done
            if (c->done + c->failed == c->plan.rows &&
                cli_path_join(path, problems, e->field[2], NULL) == CAIRN_OK)
                unlink(path);
            continue;
        }
        for (int k = 0; k < COLUMNS; k++) {
            fputs(k > 0 ? "," : "", file.stream);
            cli_csv_put(e->field[k], file.stream);
        }
        fputc('\n', file.stream);
    }
    return cli_file_commit(&file, error);
}

cairn_status collect_index_write(collection *c, cairn_error *error)
{
    entries all = {0};
    cairn_status status = CAIRN_OK;
    c->done = c->failed = c->problems = c->copies = 0;
    for (int row = 0; row < c->plan.rows && status == CAIRN_OK; row++)
        status = read_row(c, row, &all, error);
    if (status == CAIRN_OK) {
        mark_copies(&all, c->settings->likeness);
        status = put_index(c, &all, error);
    }
    for (int i = 0; i < all.count; i++) {
        c->copies += all.item[i].copy;
        c->problems += !all.item[i].copy;
        free(all.item[i].text);
    }
    free(all.item);
    return status;
}
