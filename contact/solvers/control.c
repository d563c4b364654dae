// SPDX-License-Identifier: Apache-2.0
// Measure that solvers compare with the tolerance, and names of the reasons to stop.
#include "contact/solvers/control.h"

#include "base/timer.h"

const char *con_stop_name(con_stop stop)
{
    switch (stop) {
    case CON_STOP_SOLVED:
        return "solved";
    case CON_STOP_ITERATION_LIMIT:
        return "iteration_limit";
    case CON_STOP_TIME_LIMIT:
        return "time_limit";
    case CON_STOP_INTERRUPTED:
        return "interrupted";
    case CON_STOP_STAGNATED:
        return "stagnated";
    case CON_STOP_RUNAWAY:
        return "runaway";
    case CON_STOP_INFEASIBLE:
        return "infeasible";
    case CON_STOP_FAILED:
        return "failed";
    }
    return "unknown";
}

void con_control_begin(con_control *control)
{
    // no process runs on more processors than that
    const double processors = 1024.0;
    if (control->cpu_limit > 0.0) {
        control->cpu_end = base_timer_cpu_seconds() + control->cpu_limit;
        control->cpu_begin = base_timer_seconds() + control->cpu_limit / processors;
    }
}

bool con_control_is_late(const con_control *control)
{
    if (control->stop != NULL && control->stop(control->stop_context))
        return true;
    // the clock of the CPU time is a call of the system, as dear as a few sweeps of ten contacts
    return control->cpu_limit > 0.0 && base_timer_seconds() >= control->cpu_begin &&
           base_timer_cpu_seconds() >= control->cpu_end;
}

double con_control_error(const con_control *control, const con_residual *residual)
{
    double error = residual->error;
    if (control->both_measures)
        error = con_larger_error(error, residual->error_q);
    error = con_larger_error(error, residual->error_joints);
    return con_larger_error(error, control->scaled_weight * residual->error_scaled);
}
