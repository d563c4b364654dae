// SPDX-License-Identifier: Apache-2.0
// What is shown, in every build: closing it.
#include "viewer/app/view.h"

void view_subject_finish(view_subject *subject)
{
    cairn_replay_close(subject->replay);
    if (subject->scene != NULL) {
        base_allocator allocator = subject->scene->allocator;
        base_release(&allocator, subject->energies);
        base_release(&allocator, subject->readings);
        scn_destroy(subject->scene);
    }
    *subject = (view_subject){0};
}
