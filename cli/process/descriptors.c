// SPDX-License-Identifier: Apache-2.0
// Standard descriptors and inherited signals.
#include "cli/process/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

bool cli_descriptors_fill(void)
{
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++) {
        if (fcntl(k, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // opened the other way round, so that a use of it fails and is noticed
        int descriptor = open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (descriptor < 0)
            descriptor = open("/", O_RDONLY | O_DIRECTORY);
        if (descriptor != k)
            return false;
    }
    return true;
}

void cli_signals_ignore_limits(void)
{
    signal(SIGXFSZ, SIG_IGN);
}
