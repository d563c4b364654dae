// SPDX-License-Identifier: Apache-2.0
// Which frames of a run are written, and reading one of them.
#include "cli/export/export.h"
#include "cli/process/interrupt.h"

#include <math.h>

enum { FRAMES_DEFAULT = 300, FRAMES_LEAST = 10 };

// bodies of all frames that a page takes unless it is told otherwise: a browser holds them
static const double places_default = 6e6;

static cairn_status interrupted(cairn_error *error)
{
    return base_fail(error, CAIRN_INTERRUPTED, "interrupted; no file was written");
}

cairn_status export_read(const export_job *job, int i, cairn_replay_frame *frame,
                         cairn_error *error)
{
    if (cli_interrupt_asked())
        return interrupted(error);
    char text[64];
    snprintf(text, sizeof text, "%s frame %d of %d", job->doing, i + 1, job->frame_count);
    cli_progress_tell(job->progress, job->done + job->share * i / job->frame_count, text);
    return cairn_replay_read(job->subject->replay, job->frames[i], frame, error);
}

/// A frame that keeps its contacts, where there is one from `first` to before `end`.
static int64_t prefer_contacts(const view_subject *subject, int64_t first, int64_t end)
{
    cairn_replay_frame frame;
    for (int64_t i = first; i < end; i++)
        if (cairn_replay_read(subject->replay, i, &frame, NULL) == CAIRN_OK &&
            frame.contacts_kept >= 0)
            return i;
    return first;
}

/// Evenly by their place in the file, the first and the last included.
static void choose(const view_subject *subject, int64_t first, int64_t count, export_choice *choice)
{
    bool contacts = cairn_replay_get_info(subject->replay)->contacts;
    int64_t most = choice->count;
    choice->count = 0;
    for (int64_t k = 0; k < most && k < count && !cli_interrupt_asked(); k++) {
        int64_t at = most >= count ? k : most == 1 ? count - 1 : k * (count - 1) / (most - 1);
        int64_t next = most >= count || k + 1 >= most ? at + 1 : (k + 1) * (count - 1) / (most - 1);
        choice->frames[choice->count++] =
            contacts && k > 0 ? prefer_contacts(subject, first + at, first + next) : first + at;
    }
}

cairn_status export_choose(const view_subject *subject, const export_wish *wish,
                           export_choice *choice, cairn_error *error)
{
    int64_t count = cairn_replay_get_frame_count(subject->replay), first = 0, end = count;
    const double *times = cairn_replay_get_times(subject->replay);
    double slack = 1e-6 * cairn_replay_get_info(subject->replay)->time_step;
    while (first < count && times[first] < wish->from - slack)
        first++;
    while (end > first && times[end - 1] > wish->until + slack)
        end--;
    if (first >= end)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "there is no frame between --from and --until: the run's are of %g to %g s", times[0],
            times[count - 1]);
    int64_t bodies = cairn_replay_get_info(subject->replay)->bodies;
    int64_t most = wish->most > 0 ? wish->most : FRAMES_DEFAULT;
    if (wish->most == 0 && wish->page && (double)bodies * (double)most > places_default)
        most = (int64_t)fmax(FRAMES_LEAST, places_default / (double)bodies);
    const base_allocator allocator = base_allocator_default();
    choice->count = (int)(most < end - first ? most : end - first);
    choice->frames = base_allocate(&allocator, (size_t)choice->count, sizeof *choice->frames);
    if (choice->frames == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    choose(subject, first, end - first, choice);
    return cli_interrupt_asked() ? interrupted(error) : CAIRN_OK;
}
