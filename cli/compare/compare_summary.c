// SPDX-License-Identifier: Apache-2.0
// Reads the outermost keys of a run's summary.json.
#include "cli/compare/compare.h"

#include "base/assert.h"
#include "base/file.h"
#include "cli/process/files.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUMMARY_SIZE = 1 << 16 };

/// Past a quoted text that begins at `at`; its content to out where that is not NULL.
static const char *take_text(const char *at, char out[COMPARE_TEXT])
{
    size_t length = 0;
    for (at++; *at != '"' && *at != '\0'; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        if (out != NULL && length < COMPARE_TEXT - 1)
            out[length++] = *at;
    }
    if (out != NULL)
        out[length] = '\0';
    return *at == '"' ? at + 1 : at;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/// Value of a key of the outermost object; NULL where there is none.
static const char *find_key(const char *text, const char *key)
{
    int depth = 0;
    for (const char *at = text; *at != '\0';) {
        if (*at != '"') {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
            continue;
        }
        char name[COMPARE_TEXT];
        const char *next = skip_space(take_text(at, name));
        if (depth == 1 && *next == ':' && strcmp(name, key) == 0)
            return skip_space(next + 1);
        at = next;
    }
    return NULL;
}

static double find_number(const char *text, const char *key)
{
    const char *value = find_key(text, key);
    char *end = NULL;
    double number = value != NULL ? strtod(value, &end) : NAN;
    return value != NULL && end != value ? number : NAN;
}

static void find_text(const char *text, const char *key, char out[COMPARE_TEXT])
{
    const char *value = find_key(text, key);
    out[0] = '\0';
    if (value != NULL && *value == '"')
        take_text(value, out);
}

static cairn_status load(const char *folder, char text[SUMMARY_SIZE], cairn_error *error)
{
    char path[PATH_MAX];
    cairn_status status = cli_path_join(path, folder, "summary.json", error);
    if (status != CAIRN_OK)
        return status;
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s is not the folder of a run: %s: %s", folder,
                         path, reason);
    size_t size = fread(text, 1, SUMMARY_SIZE - 1, file);
    fclose(file);
    text[size] = '\0';
    return text[0] == '{'
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_FORMAT, "%s: not a summary of a run", path);
}

static void fill(compare_summary *out, const char *text)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {
        {"steps", &out->steps},
        {"time", &out->time},
        {"bodies", &out->bodies},
        {"contacts_max", &out->contacts_max},
        {"iterations_mean", &out->iterations_mean},
        {"error_max", &out->error_max},
        {"energy_residual", &out->energy_residual},
        {"penetration_max", &out->penetration_max},
        {"seconds_stepping", &out->seconds_stepping},
        {"seconds_per_step", &out->seconds_per_step},
    };
    for (int i = 0; i < BASE_COUNT(numbers); i++)
        *numbers[i].value = find_number(text, numbers[i].key);
    find_text(text, "scene", out->scene);
    find_text(text, "law", out->law);
    find_text(text, "solver", out->solver);
    find_text(text, "status", out->status);
    find_text(text, "state_hash", out->state_hash);
}

cairn_status compare_summary_read(compare_summary *summary, const char *folder, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    char *text = base_allocate(&allocator, SUMMARY_SIZE, 1);
    if (text == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    cairn_status status = load(folder, text, error);
    if (status == CAIRN_OK)
        fill(summary, text);
    base_release(&allocator, text);
    return status;
}
