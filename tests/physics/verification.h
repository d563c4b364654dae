// SPDX-License-Identifier: Apache-2.0
// Figures of docs/tables/verification.csv: the bounds of tests are in that table, and the table's
// figures are those that the tests find.
#ifndef CAIRN_TESTS_PHYSICS_VERIFICATION_H
#define CAIRN_TESTS_PHYSICS_VERIFICATION_H

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the table says of one figure.
typedef struct verification_row {
    double bound, measured;
    bool met;
} verification_row;

/// Column `wanted` of a line, counted from 0; no column but the last holds a comma.
static inline const char *verification_column(const char *line, int wanted)
{
    for (; wanted > 0 && line != NULL; wanted--) {
        line = strchr(line, ',');
        line = line == NULL ? NULL : line + 1;
    }
    return line;
}

/// The row of a figure; the test fails where the table has none.
static inline verification_row verification_find(const char *name)
{
    char line[1024];
    size_t length = strlen(name);
    verification_row row = {0};
    bool found = false;
    FILE *file = fopen(VERIFICATION_TABLE, "r");
    if (file == NULL)
        fail_msg("%s cannot be read", VERIFICATION_TABLE);
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, name, length) == 0 && line[length] == ',';
        const char *bound = verification_column(line, 3), *met = verification_column(line, 6);
        if (!found || bound == NULL || met == NULL)
            continue;
        row.bound = strtod(bound, NULL);
        row.measured = strtod(verification_column(line, 5), NULL);
        row.met = strncmp(met, "yes,", 4) == 0;
    }
    fclose(file);
    if (!found)
        fail_msg("docs/tables/verification.csv has no row %s", name);
    return row;
}

/// A deviation keeps the bound of its row where the row says that it does, and is the row's figure
/// within a tenth, or less; below 1e-9 round-off decides, and the bound alone holds.
static inline void verify(const char *name, double deviation)
{
    verification_row row = verification_find(name);
    print_message("%s: %.4g, bound %g, table %g\n", name, deviation, row.bound, row.measured);
    check_close(row.met ? 1.0 : 0.0, deviation <= row.bound ? 1.0 : 0.0, 0.0, 0.0);
    if (deviation > 1e-9 || row.measured > 1e-9)
        check_close(deviation, row.measured, 0.1, 0.0);
}

#endif
