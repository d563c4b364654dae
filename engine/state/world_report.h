// SPDX-License-Identifier: Apache-2.0
// The report: what a world tells of its last step, and what it has told its log.
#ifndef CAIRN_ENGINE_STATE_WORLD_REPORT_H
#define CAIRN_ENGINE_STATE_WORLD_REPORT_H

#include <cairn/cairn.h>

#include <stdbool.h>
#include <stdint.h>

/// What the log is told the first time that it happens, as bits.
typedef enum eng_told {
    ENG_TOLD_HASTY = 1,    // a body too fast for laws that act from an overlap on
    ENG_TOLD_LOST = 2,     // one whose meetings the smallest pieces of a step could not follow
    ENG_TOLD_UNSETTLED = 4 // joints beside contacts that did not settle
} eng_told;

typedef struct eng_world_report {
    cairn_step_report step;
    double *residuals; // [residual_count] of the last solve, in the arena
    int residual_count;
    bool corrected;         // the last step moved bodies out of penetration
    int hasty;              // index + 1 of the first body in a slot that was too fast in this step
    unsigned told;          // eng_told: what the log is told once
    int64_t unsolved_count; // steps whose solve ended above the tolerance
    int logged_slots;       // in particle slots when the log was told last
    bool advised;           // the log was told why spheres are not in the executor
    int advise_at;          // number of bodies from which on that is looked at again
} eng_world_report;

#endif
