// SPDX-License-Identifier: Apache-2.0
// The plan of a sweep: which values the parameters take in each row.
#include "cli/sweep/sweep.h"

#include "base/file.h"
#include "base/rng.h"
#include "cli/process/files.h"
#include "cli/text/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 10 * 1000 * 1000, PLAN_ARENA = 1 << 16 };

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

static cairn_status begin_plan(sweep_plan *plan, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    *plan = (sweep_plan){.arena = base_arena_create(&allocator, PLAN_ARENA)};
    return plan->arena != NULL ? CAIRN_OK : fail_memory(error);
}

void sweep_plan_release(sweep_plan *plan)
{
    base_arena_destroy(plan->arena);
    *plan = (sweep_plan){0};
}

static const char *keep_text(sweep_plan *plan, const char *text)
{
    size_t size = strlen(text) + 1;
    char *kept = base_arena_allocate(plan->arena, "text", size, 1);
    return kept != NULL ? memcpy(kept, text, size) : NULL;
}

void sweep_print_number(char text[SWEEP_NUMBER_SIZE], double value)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, SWEEP_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

// ---------------------------------------------------------------- from a table

/// Rows while their number is not known yet.
typedef struct growing {
    const char **value;
    int count, capacity;
} growing;

static cairn_status read_names(sweep_plan *plan, cli_csv *csv, cairn_error *error)
{
    bool done = false;
    cairn_status status = cli_csv_next(csv, &done, error);
    if (status != CAIRN_OK || done)
        return status != CAIRN_OK ? status : cli_csv_fail(csv, "the file is empty", error);
    plan->columns = csv->field_count;
    plan->names =
        base_arena_allocate(plan->arena, "names", (size_t)csv->field_count, sizeof *plan->names);
    if (plan->names == NULL)
        return fail_memory(error);
    for (int c = 0; c < plan->columns; c++) {
        char what[128];
        for (int before = 0; before < c; before++)
            if (strcmp(plan->names[before], csv->field[c]) == 0) {
                snprintf(what, sizeof what, "parameter \"%.80s\" is named twice", csv->field[c]);
                return cli_csv_fail(csv, what, error);
            }
        if (csv->field[c][0] == '\0')
            return cli_csv_fail(csv, "a parameter has no name", error);
        plan->names[c] = keep_text(plan, csv->field[c]);
        if (plan->names[c] == NULL)
            return fail_memory(error);
    }
    return CAIRN_OK;
}

static cairn_status read_row(sweep_plan *plan, cli_csv *csv, growing *rows, cairn_error *error)
{
    if (csv->field_count != plan->columns)
        return cli_csv_fail(csv, "not as many fields as the first line has", error);
    if (plan->rows >= ROWS_MAX)
        return cli_csv_fail(csv, "more than 10 million rows", error);
    if (base_array_reserve(&csv->allocator, &rows->value, &rows->capacity,
                           rows->count + plan->columns) != CAIRN_OK)
        return fail_memory(error);
    for (int c = 0; c < plan->columns; c++) {
        const char *text = keep_text(plan, csv->field[c]);
        if (text == NULL)
            return fail_memory(error);
        rows->value[rows->count++] = text;
    }
    plan->rows++;
    return CAIRN_OK;
}

/// The rows that were read become the plan's.
static cairn_status keep_rows(sweep_plan *plan, const growing *rows, cairn_error *error)
{
    plan->value =
        base_arena_allocate(plan->arena, "values", (size_t)rows->count, sizeof *plan->value);
    if (plan->value == NULL)
        return fail_memory(error);
    memcpy(plan->value, rows->value, (size_t)rows->count * sizeof *plan->value);
    return CAIRN_OK;
}

cairn_status sweep_plan_read(sweep_plan *plan, const char *path, cairn_error *error)
{
    cli_csv csv = {0};
    growing rows = {0};
    bool done = false;
    BASE_TRY(begin_plan(plan, error));
    BASE_TRY(cli_csv_open(&csv, path, error));
    cairn_status status = read_names(plan, &csv, error);
    while (status == CAIRN_OK && !done) {
        status = cli_csv_next(&csv, &done, error);
        if (status == CAIRN_OK && !done)
            status = read_row(plan, &csv, &rows, error);
    }
    if (status == CAIRN_OK && plan->rows == 0)
        status = cli_csv_fail(&csv, "no rows follow the names", error);
    if (status == CAIRN_OK)
        status = keep_rows(plan, &rows, error);
    base_release(&csv.allocator, rows.value);
    cli_csv_close(&csv);
    return status;
}

// ---------------------------------------------------------------- from ranges and lists

/// What a parameter varies over: words, or an interval.
typedef struct variation {
    const char **words; // [count]; NULL for an interval
    int count;          // of words, or of points of an interval; 0: not given
    double from, to;
    bool logarithmic;
} variation;

static cairn_status refuse_variation(const char *name, const char *text, const char *what,
                                     cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "--vary %s=%s: %s", name, text, what);
}

static cairn_status read_list(sweep_plan *plan, const char *name, const char *text, variation *v,
                              cairn_error *error)
{
    int count = 1;
    for (const char *at = text; *at != '\0'; at++)
        count += *at == ',';
    *v = (variation){.count = count};
    v->words = base_arena_allocate(plan->arena, "words", (size_t)count, sizeof *v->words);
    char *copy = (char *)keep_text(plan, text);
    if (v->words == NULL || copy == NULL)
        return fail_memory(error);
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(copy, ",");
        if (length == 0)
            return refuse_variation(name, text, "a value is empty", error);
        v->words[i] = copy;
        copy[length] = '\0';
        copy += length + 1;
    }
    return CAIRN_OK;
}

/// Next number of "a:b:n"; false where there is none.
static bool take_number(const char **at, double *value)
{
    char *end = NULL;
    *value = strtod(*at, &end);
    bool good = end != *at && isfinite(*value) && (*end == ':' || *end == '\0');
    *at = *end == ':' ? end + 1 : end;
    return good;
}

static cairn_status read_interval(const char *name, const char *text, variation *v,
                                  cairn_error *error)
{
    const char *at = text;
    double count = 0.0;
    *v = (variation){0};
    if (!take_number(&at, &v->from) || !take_number(&at, &v->to))
        return refuse_variation(name, text, "a range is written from:to:points", error);
    if (*at != '\0' && strcmp(at, "log") != 0) {
        if (!take_number(&at, &count) || count != floor(count) || count < 1.0 || count > ROWS_MAX)
            return refuse_variation(name, text, "points is a whole number from 1 to 10000000",
                                    error);
        v->count = (int)count;
    }
    v->logarithmic = strcmp(at, "log") == 0;
    if (*at != '\0' && !v->logarithmic)
        return refuse_variation(name, text, "what follows the points can only be \"log\"", error);
    if (v->logarithmic && !(v->from * v->to > 0.0))
        return refuse_variation(name, text,
                                "a logarithmic range has two bounds of the same sign, "
                                "not 0",
                                error);
    return CAIRN_OK;
}

static cairn_status read_variation(sweep_plan *plan, const char *name, const char *text,
                                   variation *v, cairn_error *error)
{
    bool interval = strchr(text, ':') != NULL && strchr(text, ',') == NULL;
    return interval ? read_interval(name, text, v, error) : read_list(plan, name, text, v, error);
}

/// A point of an interval, `share` of the way along it.
static double point_of(const variation *v, double share)
{
    if (share <= 0.0 || share >= 1.0)
        return share <= 0.0 ? v->from : v->to;
    return v->logarithmic ? v->from * pow(v->to / v->from, share)
                          : v->from + share * (v->to - v->from);
}

static const char *number_text(sweep_plan *plan, double value)
{
    char text[SWEEP_NUMBER_SIZE];
    sweep_print_number(text, value);
    return keep_text(plan, text);
}

static cairn_status reserve_values(sweep_plan *plan, double rows, cairn_error *error)
{
    if (rows > ROWS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the sweep would have %.3g rows, of at most 10 million", rows);
    plan->rows = (int)rows;
    plan->value = base_arena_allocate(
        plan->arena, "values", (size_t)plan->rows * (size_t)plan->columns, sizeof *plan->value);
    return plan->value != NULL ? CAIRN_OK : fail_memory(error);
}

/// Every combination of the values; the last parameter changes fastest.
static cairn_status fill_grid(sweep_plan *plan, const variation *v, const cli_assignments *vary,
                              cairn_error *error)
{
    double rows = 1.0;
    for (int c = 0; c < plan->columns; c++) {
        if (v[c].count == 0)
            return refuse_variation(plan->names[c], vary->items[c].value,
                                    "a grid needs the number of points, from:to:points", error);
        rows *= v[c].count;
    }
    cairn_status status = reserve_values(plan, rows, error);
    int repeat = plan->rows;
    for (int c = 0; c < plan->columns && status == CAIRN_OK; c++) {
        repeat /= v[c].count;
        for (int i = 0; i < v[c].count && status == CAIRN_OK; i++) {
            double share = v[c].count > 1 ? (double)i / (v[c].count - 1) : 0.0;
            const char *text =
                v[c].words != NULL ? v[c].words[i] : number_text(plan, point_of(&v[c], share));
            if (text == NULL)
                status = fail_memory(error);
            for (int row = i * repeat; row < plan->rows; row += repeat * v[c].count)
                for (int k = 0; k < repeat; k++)
                    plan->value[(size_t)(row + k) * (size_t)plan->columns + (size_t)c] = text;
        }
    }
    return status;
}

/// Which of `count` strata each sample of a parameter falls in: a random order.
static void shuffle(int *order, int count, base_rng *rng)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = base_rng_index(rng, i + 1);
        int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/// One sample in each of as many strata as there are rows, for each parameter in an order of its
/// own. Source: McKay, Beckman & Conover 1979.
static cairn_status fill_latin(sweep_plan *plan, const variation *v, int samples, int64_t seed,
                               bool (*whole)(const void *, const char *), const void *context,
                               cairn_error *error)
{
    base_rng rng = base_rng_make((uint64_t)seed);
    cairn_status status = reserve_values(plan, samples, error);
    int *order = base_arena_allocate(plan->arena, "order", (size_t)samples, sizeof *order);
    if (status == CAIRN_OK && order == NULL)
        status = fail_memory(error);
    for (int c = 0; c < plan->columns && status == CAIRN_OK; c++) {
        bool rounds = v[c].words == NULL && whole(context, plan->names[c]);
        shuffle(order, samples, &rng);
        for (int row = 0; row < samples && status == CAIRN_OK; row++) {
            double share = (order[row] + base_rng_unit(&rng)) / samples;
            double value = point_of(&v[c], share);
            const char *text = v[c].words != NULL
                                   ? v[c].words[(int)(share * v[c].count)]
                                   : number_text(plan, rounds ? nearbyint(value) : value);
            if (text == NULL)
                status = fail_memory(error);
            plan->value[(size_t)row * (size_t)plan->columns + (size_t)c] = text;
        }
    }
    return status;
}

cairn_status sweep_plan_vary(sweep_plan *plan, const cli_assignments *vary, int64_t latin,
                             int64_t seed, bool (*whole)(const void *context, const char *name),
                             const void *context, cairn_error *error)
{
    variation v[CLI_ASSIGNMENTS_MAX];
    cairn_status status = begin_plan(plan, error);
    if (status != CAIRN_OK)
        return status;
    plan->columns = vary->count;
    plan->names =
        base_arena_allocate(plan->arena, "names", (size_t)vary->count, sizeof *plan->names);
    if (plan->names == NULL)
        return fail_memory(error);
    for (int c = 0; c < vary->count && status == CAIRN_OK; c++) {
        plan->names[c] = vary->items[c].name;
        status = read_variation(plan, vary->items[c].name, vary->items[c].value, &v[c], error);
        for (int before = 0; before < c && status == CAIRN_OK; before++)
            if (strcmp(plan->names[before], plan->names[c]) == 0)
                status = refuse_variation(plan->names[c], vary->items[c].value,
                                          "the parameter is named twice", error);
    }
    if (status != CAIRN_OK)
        return status;
    return latin > 0 ? fill_latin(plan, v, (int)latin, seed, whole, context, error)
                     : fill_grid(plan, v, vary, error);
}

// ---------------------------------------------------------------- on the disk

static void put_plan(const sweep_plan *plan, const sweep_subject *subject, FILE *out)
{
    fprintf(out, "# %s\n# files %016" PRIx64 "\n", subject->command, subject->files);
    for (int c = 0; c < plan->columns; c++) {
        fputs(c > 0 ? "," : "", out);
        cli_csv_put(plan->names[c], out);
    }
    fputc('\n', out);
    for (int row = 0; row < plan->rows; row++) {
        for (int c = 0; c < plan->columns; c++) {
            fputs(c > 0 ? "," : "", out);
            cli_csv_put(sweep_value(plan, row, c), out);
        }
        fputc('\n', out);
    }
}

/// Whether two streams hold the same bytes from where they stand.
static bool same_contents(FILE *a, FILE *b)
{
    int left, right;
    do {
        left = getc(a);
        right = getc(b);
    } while (left == right && left != EOF);
    return left == right;
}

/// Whether the plan on the disk is this one, and whether its files are.
static cairn_status compare_plan(const sweep_plan *plan, const char *path, sweep_subject subject,
                                 bool *same, bool *files, cairn_error *error)
{
    const char *reason = NULL;
    FILE *there = base_file_read(path, &reason), *here = tmpfile();
    *same = *files = false;
    cairn_status status = CAIRN_OK;
    if (there == NULL || here == NULL)
        status = base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path,
                           there == NULL ? reason : strerror(errno));
    else {
        uint64_t files_there = ~subject.files;
        if (fscanf(there, "# %*[^\n]\n# files %" SCNx64, &files_there) == 1)
            *files = files_there == subject.files;
        subject.files = files_there;
        put_plan(plan, &subject, here);
        rewind(here);
        rewind(there);
        *same = same_contents(there, here);
    }
    if (there != NULL)
        fclose(there);
    if (here != NULL)
        fclose(here);
    return status;
}

cairn_status sweep_plan_settle(const sweep_plan *plan, const char *folder,
                               const sweep_subject *subject, bool *changed, cairn_error *error)
{
    char path[PATH_MAX];
    *changed = false;
    BASE_TRY(cli_path_join(path, folder, "plan.csv", error));
    if (access(path, F_OK) == 0) {
        bool same, files;
        BASE_TRY(compare_plan(plan, path, *subject, &same, &files, error));
        if (!same)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s holds another sweep: its plan.csv has other values, another "
                             "scene or other options (-o chooses another folder)",
                             folder);
        if (files)
            return CAIRN_OK;
        if (!subject->retry)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s holds rows of the scene as it was: the scene, or a file that it "
                             "reads, has been changed since (-o chooses another folder; --retry "
                             "runs the rows that failed with what there is now)",
                             folder);
        *changed = true;
    }
    cli_file file;
    BASE_TRY(cli_file_open(&file, path, error));
    put_plan(plan, subject, file.stream);
    return cli_file_commit(&file, error);
}

cairn_status sweep_row_folder(char out[PATH_MAX], const char *folder, int row, cairn_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "rows/%04d", row + 1);
    return cli_path_join(out, folder, name, error);
}
