// SPDX-License-Identifier: Apache-2.0
// The progress bar.
#include "cli/text/progress.h"

#include "base/timer.h"
#include "cli/text/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

cli_progress cli_progress_begin(bool quiet)
{
    double now = base_timer_seconds();
    return (cli_progress){quiet, isatty(STDERR_FILENO) == 1, false, now, now};
}

void cli_progress_clear(cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}

static void draw_bar(double done, const char *left, const char *text)
{
    char bar[BAR_WIDTH + 1];
    int filled = (int)(done * BAR_WIDTH);
    memset(bar, '-', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    char line[512];
    snprintf(line, sizeof line, "[%s] %3.0f %%  %s left  %s", bar, 100.0 * done, left, text);
    // a line that a terminal breaks would stay, once for each look
    int columns = cli_columns(stderr);
    if (columns > 0 && strlen(line) >= (size_t)columns)
        line[columns - 1] = '\0';
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

static bool is_due(const cli_progress *progress)
{
    double now = base_timer_seconds();
    // lines of a file stay: fewer of them the longer it takes
    double pause = progress->terminal ? 0.1 : fmax(5.0, 0.1 * (now - progress->started));
    return !progress->quiet && now - progress->last >= pause;
}

void cli_progress_tell(cli_progress *progress, double done, const char *text)
{
    if (!is_due(progress))
        return;
    double now = base_timer_seconds();
    progress->last = now;
    done = done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
    char left[32] = "?";
    if (done > 0.0) {
        double seconds = (now - progress->started) * (1.0 - done) / done;
        if (seconds < 100.0)
            snprintf(left, 32, "%.0f s", seconds);
        else if (seconds < 6000.0)
            snprintf(left, 32, "%.0f min", seconds / 60.0);
        else
            snprintf(left, 32, "%.1f h", seconds / 3600.0);
    }
    if (progress->terminal)
        draw_bar(done, left, text);
    else
        fprintf(stderr, "%3.0f %%  %s  %s left\n", 100.0 * done, text, left);
    progress->drawn = progress->terminal;
}

void cli_progress_show(cli_progress *progress, double done, const cairn_world *world)
{
    char text[128];
    const cairn_step_report *report = cairn_world_get_report(world);
    if (!is_due(progress))
        return;
    if (progress->terminal)
        snprintf(text, sizeof text, "%.3f s  %d contacts", cairn_world_get_time(world),
                 report->contacts);
    else
        snprintf(text, sizeof text, "step %" PRId64 "  %.4g s  %d contacts  %d iterations",
                 cairn_world_get_step_count(world), cairn_world_get_time(world), report->contacts,
                 report->iterations);
    cli_progress_tell(progress, done, text);
}
