// SPDX-License-Identifier: Apache-2.0
// Problem files in text: numbers in a fixed order, nothing trusted.
#include "contact/fclib/text.h"

#include "base/file.h"

#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD_SHOWN = 24 };

// the text while it is read. The first fault stays: calls after it do nothing
typedef struct scanner {
    const char *path;
    const char *at; // next character; the text ends with a zero byte
    const char *end;
    long line;
    locale_t plain; // numbers have points, whatever the host's locale
    base_arena *arena;
    cairn_error *error;
    cairn_status status;
} scanner;

static void refuse(scanner *scan, const char *reason, ...) CAIRN_PRINTF(2, 3);

static void refuse(scanner *scan, const char *reason, ...)
{
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    if (scan->status != CAIRN_OK)
        return;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    scan->status = base_fail(scan->error, CAIRN_ERROR_FORMAT, "%.400s:%ld: %.500s", scan->path,
                             scan->line, text);
}

static void *allocate(scanner *scan, const char *name, size_t count, size_t size)
{
    void *memory =
        scan->status == CAIRN_OK ? base_arena_allocate(scan->arena, name, count + 1, size) : NULL;
    if (memory == NULL && scan->status == CAIRN_OK)
        scan->status = base_fail(scan->error, CAIRN_ERROR_MEMORY, "%s: out of memory", scan->path);
    return memory;
}

static void skip_space(scanner *scan)
{
    for (; isspace((unsigned char)*scan->at); scan->at++)
        scan->line += *scan->at == '\n';
}

static void skip_line(scanner *scan)
{
    while (*scan->at != '\0' && *scan->at != '\n')
        scan->at++;
}

static bool at_end(scanner *scan)
{
    skip_space(scan);
    return scan->at >= scan->end;
}

// what stands here instead of a number
static void refuse_word(scanner *scan, const char *name)
{
    int length = (int)strcspn(scan->at, " \t\r\n");
    if (at_end(scan))
        refuse(scan, "%s: the file ends here", name);
    else
        refuse(scan, "%s: \"%.*s\" is no number", name, length < WORD_SHOWN ? length : WORD_SHOWN,
               scan->at);
}

static double read_real(scanner *scan, const char *name)
{
    char *end = NULL;
    if (scan->status != CAIRN_OK)
        return 0.0;
    skip_space(scan);
    double value = strtod_l(scan->at, &end, scan->plain);
    if (end == scan->at)
        refuse_word(scan, name);
    else if (!isfinite(value))
        refuse(scan, "%s: an entry is not finite", name);
    scan->at = end;
    return value;
}

static int read_integer(scanner *scan, const char *name, int least, int most)
{
    char *end = NULL;
    if (scan->status != CAIRN_OK)
        return least;
    skip_space(scan);
    long long value = strtoll(scan->at, &end, 10);
    if (end == scan->at || (*end != '\0' && !isspace((unsigned char)*end)))
        refuse_word(scan, name);
    else if (value < least || value > most)
        refuse(scan, "%s: %lld is out of range: %d to %d", name, value, least, most);
    scan->at = end;
    return scan->status == CAIRN_OK ? (int)value : least;
}

// the text can hold so many numbers; each takes two characters
static bool fits(scanner *scan, const char *name, int64_t count)
{
    if (scan->status == CAIRN_OK && (count > INT_MAX || 2 * count > scan->end - scan->at + 2))
        refuse(scan, "%s: %lld numbers are more than the rest of the file has", name,
               (long long)count);
    return scan->status == CAIRN_OK;
}

static const double *read_reals(scanner *scan, const char *name, int count)
{
    double *values =
        fits(scan, name, count) ? allocate(scan, name, (size_t)count, sizeof *values) : NULL;
    for (int k = 0; k < count && scan->status == CAIRN_OK; k++)
        values[k] = read_real(scan, name);
    return values;
}

// numbers that do not fall, up to `last`
static const int *read_rising(scanner *scan, const char *name, int count, int last)
{
    int *values =
        fits(scan, name, count) ? allocate(scan, name, (size_t)count, sizeof *values) : NULL;
    for (int k = 0; k < count && scan->status == CAIRN_OK; k++)
        values[k] = read_integer(scan, name, k > 0 ? values[k - 1] : 0, last);
    return values;
}

// mu or mu_r
static const double *read_friction(scanner *scan, const char *name, int count)
{
    const double *values = read_reals(scan, name, count);
    for (int k = 0; k < count && scan->status == CAIRN_OK; k++)
        if (values[k] < 0.0)
            refuse(scan, "%s: entry %d is negative (%g)", name, k, values[k]);
    return values;
}

// ---------------------------------------------------------------- matrices

static bool reserve(scanner *scan, con_triplets *entries, int64_t count)
{
    if (scan->status == CAIRN_OK &&
        (count > INT_MAX || con_triplets_reserve(entries, (int)count, scan->arena) != CAIRN_OK))
        scan->status = base_fail(scan->error, CAIRN_ERROR_MEMORY, "%s: out of memory", scan->path);
    return scan->status == CAIRN_OK;
}

// row by row, behind the sizes once more
static void read_dense(scanner *scan, const char *name, int rows, int columns,
                       con_triplets *entries)
{
    read_integer(scan, name, rows, rows);
    read_integer(scan, name, columns, columns);
    int64_t count = (int64_t)rows * columns;
    if (!fits(scan, name, count) || !reserve(scan, entries, count))
        return;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns && scan->status == CAIRN_OK; j++) {
            double value = read_real(scan, name);
            if (value != 0.0)
                con_triplets_add(entries, i, j, value);
        }
}

// a block of rows and columns that begin behind `top` and `left`
static void read_block(scanner *scan, const char *name, const int top[2], const int left[2],
                       con_triplets *entries)
{
    for (int j = left[0]; j < left[1]; j++)
        for (int i = top[0]; i < top[1] && scan->status == CAIRN_OK; i++) {
            double value = read_real(scan, name);
            if (value != 0.0)
                con_triplets_add(entries, i, j, value);
        }
}

static void read_blocks(scanner *scan, const char *name, int rows, int columns,
                        con_triplets *entries)
{
    int count = read_integer(scan, name, 0, INT_MAX / 2);
    int high = read_integer(scan, name, 0, rows), wide = read_integer(scan, name, 0, columns);
    const int *row_end = read_rising(scan, name, high, rows);
    const int *column_end = read_rising(scan, name, wide, columns);
    int starts = read_integer(scan, name, 0, high + 1);
    read_integer(scan, name, count, count);
    const int *start = read_rising(scan, name, starts, count);
    int *column =
        fits(scan, name, count) ? allocate(scan, name, (size_t)count, sizeof *column) : NULL;
    for (int k = 0; k < count && scan->status == CAIRN_OK; k++)
        column[k] = read_integer(scan, name, 0, wide - 1);
    // entries are as many as the rest of the text at most
    if (!reserve(scan, entries, (scan->end - scan->at) / 2 + 1))
        return;
    for (int i = 0; i + 1 < starts; i++)
        for (int k = start[i]; k < start[i + 1] && scan->status == CAIRN_OK; k++) {
            int j = column[k];
            int top[2] = {i > 0 ? row_end[i - 1] : 0, row_end[i]};
            int left[2] = {j > 0 ? column_end[j - 1] : 0, column_end[j]};
            read_integer(scan, name, k, k);
            if (fits(scan, name, (int64_t)(top[1] - top[0]) * (left[1] - left[0])))
                read_block(scan, name, top, left, entries);
        }
}

// the sizes in a heading of CSparse, "768-by-20, nzmax: 91 nnz: 91"; the entries follow
static int read_heading(scanner *scan, const char *name, int rows, int columns, bool triplets)
{
    int m = 0, n = 0, room = 0, count = 0;
    skip_space(scan);
    if (strncmp(scan->at, "CSparse", 7) == 0)
        skip_line(scan);
    skip_space(scan);
    if (triplets && strncmp(scan->at, "triplet:", 8) == 0)
        scan->at += 8;
    if (scan->status == CAIRN_OK &&
        sscanf(scan->at, "%d-by-%d, nzmax: %d nnz: %d", &m, &n, &room, &count) != 4)
        refuse(scan, "%s: expected the heading of a %s, \"%d-by-%d, nzmax: ... nnz: ...\"", name,
               triplets ? "list of triplets" : "compressed matrix", rows, columns);
    if (scan->status == CAIRN_OK && (m != rows || n != columns || count < 0))
        refuse(scan, "%s: %d-by-%d with %d entries, expected %d-by-%d", name, m, n, count, rows,
               columns);
    skip_line(scan);
    return fits(scan, name, count) ? count : 0;
}

static void expect(scanner *scan, const char *name, const char *word)
{
    skip_space(scan);
    size_t length = strlen(word);
    if (scan->status != CAIRN_OK)
        return;
    if (strncmp(scan->at, word, length) == 0)
        scan->at += length;
    else
        refuse(scan, "%s: expected \"%s\"", name, word);
}

static void read_sparse(scanner *scan, const char *name, int rows, int columns,
                        con_triplets *entries)
{
    bool triplets = read_integer(scan, name, 1, 2) == 1;
    int count = read_heading(scan, name, rows, columns, triplets);
    if (!reserve(scan, entries, count))
        return;
    for (int k = 0, j = -1, rest = 0; k < count && scan->status == CAIRN_OK; k++) {
        // "col 3 : locations 6 to 8" before the entries of a column
        for (; !triplets && rest == 0 && scan->status == CAIRN_OK; j++) {
            expect(scan, name, "col");
            read_integer(scan, name, j + 1, j + 1);
            expect(scan, name, ": locations");
            int first = read_integer(scan, name, k, k);
            expect(scan, name, "to");
            rest = read_integer(scan, name, k - 1, count - 1) + 1 - first;
        }
        int row = read_integer(scan, name, 0, rows - 1);
        int column = triplets ? read_integer(scan, name, 0, columns - 1) : j;
        expect(scan, name, ":");
        double value = read_real(scan, name);
        if (scan->status == CAIRN_OK)
            con_triplets_add(entries, row, column, value);
        rest--;
    }
    // columns without entries at the end
    for (skip_space(scan); !triplets && strncmp(scan->at, "col", 3) == 0; skip_space(scan))
        skip_line(scan);
}

static void read_matrix(scanner *scan, const char *name, int rows, int columns, con_sparse *out)
{
    static void (*const readers[])(scanner *, const char *, int, int,
                                   con_triplets *) = {read_dense, read_blocks, read_sparse};
    con_triplets entries = {0};
    int storage = read_integer(scan, name, 0, 2);
    read_integer(scan, name, rows, rows);
    read_integer(scan, name, columns, columns);
    if (scan->status == CAIRN_OK)
        readers[storage](scan, name, rows, columns, &entries);
    if (scan->status == CAIRN_OK &&
        con_sparse_from_triplets(&entries, rows, columns, scan->arena, out) != CAIRN_OK)
        scan->status = base_fail(scan->error, CAIRN_ERROR_MEMORY, "%s: out of memory", scan->path);
}

// ---------------------------------------------------------------- problems

// rows of the first matrix, which is next
static int peek_rows(const scanner *scan)
{
    scanner copy = *scan;
    cairn_error ignored;
    copy.error = &ignored;
    read_integer(&copy, "storage", 0, 2);
    int rows = read_integer(&copy, "rows", 1, INT_MAX / 2);
    return copy.status == CAIRN_OK ? rows : -1;
}

// a matrix of the size of H is next: three integers that vectors hardly begin with
static bool is_matrix_next(const scanner *scan, int rows, int columns)
{
    scanner copy = *scan;
    cairn_error ignored;
    copy.error = &ignored;
    read_integer(&copy, "storage", 0, 2);
    read_integer(&copy, "rows", rows, rows);
    read_integer(&copy, "columns", columns, columns);
    return copy.status == CAIRN_OK;
}

// an optional flag is left
static void read_end(scanner *scan)
{
    if (!at_end(scan))
        read_integer(scan, "flag at the end", 0, 1);
    if (!at_end(scan))
        refuse(scan, "there is more in the file than the problem needs");
}

// numbers that are left, at most `most`
static int count_left(const scanner *scan, int most)
{
    scanner copy = *scan;
    cairn_error ignored;
    copy.error = &ignored;
    int count = 0;
    while (count < most && !at_end(&copy) && copy.status == CAIRN_OK) {
        read_real(&copy, "number");
        count++;
    }
    return count;
}

static void read_problem(scanner *scan, con_fclib_problem *content)
{
    int d = read_integer(scan, "rows of a contact", 2, 5);
    if (d == 4)
        refuse(scan, "rows of a contact: 4, expected 2, 3, or 5 with rolling friction");
    int nc = read_integer(scan, "number of contacts", 0, INT_MAX / 50);
    if (nc == 0)
        refuse(scan, "the problem has no contacts");
    int rows = d * nc, first = scan->status == CAIRN_OK ? peek_rows(scan) : 0;
    content->dimension = d;
    content->contact_count = nc;
    // what is no matrix at all is refused as W
    if (first == rows || first < 0) {
        first = rows;
        content->form = CON_FCLIB_LOCAL;
        read_matrix(scan, "W", rows, rows, &content->W);
    }
    if (first != rows || is_matrix_next(scan, rows, rows)) {
        content->form = CON_FCLIB_GLOBAL;
        content->velocity_count = first;
        content->M = content->W;
        content->W = (con_sparse){0};
        if (first != rows)
            read_matrix(scan, "M", first, first, &content->M);
        read_matrix(scan, "H", first, rows, &content->H);
        content->f = read_reals(scan, "f", first);
        content->w = read_reals(scan, "w", rows);
    } else {
        content->q = read_reals(scan, "q", rows);
    }
    content->friction = read_friction(scan, "mu", nc);
    if (d == 5)
        content->rolling = read_friction(scan, "mu_r", nc);
    else if (scan->status == CAIRN_OK && d == 3 && count_left(scan, nc + 1) >= nc && nc > 1)
        refuse(scan, "a rolling problem in 2D, which is not supported");
    read_end(scan);
}

// the whole file, and a zero byte behind it
static cairn_status load_text(const char *path, scanner *scan, cairn_error *error)
{
    const char *reason = NULL;
    struct stat information;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    char *text = NULL;
    size_t size = 0;
    if (fstat(fileno(file), &information) == 0 && information.st_size >= 0) {
        text = base_arena_allocate(scan->arena, "text", (size_t)information.st_size + 1, 1);
        if (text != NULL)
            size = fread(text, 1, (size_t)information.st_size, file);
    }
    bool broken = ferror(file) != 0;
    fclose(file);
    if (broken)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    if (text == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    text[size] = '\0';
    scan->at = text;
    scan->end = text + strlen(text);
    if (scan->end < text + size)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: holds a zero byte: no text", path);
    return CAIRN_OK;
}

bool con_fclib_is_text(const char *path)
{
    FILE *file = base_file_read(path, NULL);
    int c = ' ';
    if (file == NULL)
        return false;
    for (int k = 0; isspace(c) && k < BUFSIZ; k++)
        c = fgetc(file);
    fclose(file);
    return c != EOF && isdigit(c);
}

cairn_status con_fclib_read_text(const char *path, con_fclib_problem *content, cairn_error *error)
{
    scanner scan = {.path = path, .line = 1, .arena = content->memory, .error = error};
    BASE_TRY(load_text(path, &scan, error));
    scan.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scan.plain == (locale_t)0)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    read_problem(&scan, content);
    freelocale(scan.plain);
    return scan.status;
}
