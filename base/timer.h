// SPDX-License-Identifier: Apache-2.0
// Clocks for reports and time limits.
#ifndef CAIRN_BASE_TIMER_H
#define CAIRN_BASE_TIMER_H

/// Seconds of a clock that only moves forward.
double base_timer_seconds(void);

/// CPU seconds of the whole process.
double base_timer_cpu_seconds(void);

#endif
