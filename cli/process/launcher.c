// SPDX-License-Identifier: Apache-2.0
// What launchers of parallel programs say of the processes they start.
#include "cli/process/launcher.h"

#include "base/assert.h"

#include <limits.h>
#include <stdlib.h>

/// The first of the variables that holds a whole number from `least` on; `least` where none does.
static int read_number(const char *const *names, int count, int least)
{
    for (int i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        char *end = NULL;
        long value = text != NULL ? strtol(text, &end, 10) : least - 1L;
        if (text != NULL && end != text && *end == '\0' && value >= least && value <= INT_MAX)
            return (int)value;
    }
    return least;
}

int cli_launched_processes(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    return read_number(names, BASE_COUNT(names), 1);
}

int cli_launched_number(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    return read_number(names, BASE_COUNT(names), 0);
}
