// SPDX-License-Identifier: Apache-2.0
// The force-speed graph of a joint's coordinate: dry friction, motor, range and spring, each a row
// of the nonsmooth problem, theory.md (9.7)-(9.8).
#include "engine/joints/joints.h"

// a spring that is this much softer than its bodies in a step is one of the midpoint: its row would
// be of round-off
static const double soft = 1e-9;

// a part is held where it slips by less than this part of the speeds at hand
static const double held_part = 1e-6;

static double clamp(double x, double low, double high)
{
    return fmax(low, fmin(high, x));
}

static void add_friction(const eng_joint *joint, double h, eng_graph *graph)
{
    graph->part[ENG_GRAPH_FRICTION].limit = h * joint->friction;
    graph->part[ENG_GRAPH_FRICTION].present = joint->friction > 0.0;
}

/// The ends of the range as a contact has its gap: the way to an end may shrink to nothing within
/// one step.
static void add_ends(const eng_joint *joint, double coordinate, double h, eng_graph *graph)
{
    for (int end = 0; end < 2; end++) {
        eng_graph_part *part = &graph->part[ENG_GRAPH_LOW + end];
        part->kink = (joint->range[end] - coordinate) / h;
        part->limit = INFINITY;
        part->exists = isfinite(joint->range[end]);
    }
}

/// A motor with a position to reach is a spring and damper that looks a step ahead of the midpoint,
/// theory.md (9.8a).
static void add_servo(const eng_joint *joint, double coordinate, double h, eng_graph *graph)
{
    eng_graph_part *part = &graph->part[ENG_GRAPH_MOTOR];
    double k = joint->motor_stiffness, d = joint->motor_damping + h * k;
    part->present = d > 0.0 && joint->motor_limit > 0.0;
    if (!part->present)
        return;
    double spring = k * (joint->motor_position - coordinate);
    part->kink = (spring + joint->motor_damping * joint->motor_velocity) / d;
    part->compliance = 1.0 / (h * d);
    part->limit = h * joint->motor_limit;
}

static void add_motor(const eng_joint *joint, double coordinate, double h, eng_graph *graph)
{
    eng_graph_part *part = &graph->part[ENG_GRAPH_MOTOR];
    if (joint->motor_law == CAIRN_MOTOR_POSITION) {
        add_servo(joint, coordinate, h, graph);
    } else if (isfinite(joint->motor_limit)) {
        part->kink = joint->motor_velocity;
        part->limit = h * joint->motor_limit;
        part->present = part->limit > 0.0;
    } else {
        // whatever force it takes; an end of the range is stronger still
        graph->driven = true;
        graph->speed = clamp(joint->motor_velocity, graph->part[ENG_GRAPH_LOW].kink,
                             graph->part[ENG_GRAPH_HIGH].kink);
    }
}

/// A spring pulls by the mean of the coordinate at both ends of the step, a damper by the mean of
/// its speeds, theory.md (9.7): one line of the impulse against the speed at the end.
/// @param before  the coordinate at the start of the step
static void add_spring(const eng_joint *joint, double before, double coordinate, double speed,
                       double h, eng_graph *graph)
{
    double k = joint->stiffness, c = joint->damping, slope = 0.5 * h * (0.5 * h * k + c);
    if (slope <= 0.0)
        return;
    eng_graph_part *part = &graph->part[ENG_GRAPH_SPRING];
    // a swing is a length: on its way through 0 the coordinate turns back
    if (eng_joint_has_swing(joint->kind))
        before = coordinate - 0.5 * h * speed;
    double stretch = 0.5 * (before + coordinate) - joint->rest;
    part->kink = -h * (k * stretch + 0.5 * c * speed) / slope;
    part->compliance = 1.0 / slope;
    part->limit = INFINITY;
    part->present = true;
}

void eng_graph_build(const eng_joint *joint, const eng_joint_state *state, double coordinate,
                     double speed, double yield, double h, eng_graph *graph)
{
    *graph = (eng_graph){0};
    add_friction(joint, h, graph);
    add_ends(joint, coordinate, h, graph);
    if (joint->motor)
        add_motor(joint, coordinate, h, graph);
    eng_graph_part *spring = &graph->part[ENG_GRAPH_SPRING];
    add_spring(joint, state->coordinate, coordinate, speed, h, graph);
    spring->present = spring->present && yield >= soft * spring->compliance;
    for (int k = 0; k < ENG_GRAPH_PARTS; k++) {
        eng_graph_part *part = &graph->part[k];
        // nothing yields to a motor without limit
        part->present = part->present && !graph->driven;
        part->exists = (part->exists || part->present) && !graph->driven;
        part->l = part->exists ? state->part[k] : 0.0;
    }
    // the speed of a driven coordinate is known, and with it what its spring gives
    if (!spring->present && spring->compliance > 0.0)
        spring->l = (spring->kink - (graph->driven ? graph->speed : speed)) / spring->compliance;
}

void eng_graph_reach(eng_graph *graph, double speed)
{
    for (int k = ENG_GRAPH_LOW; k <= ENG_GRAPH_HIGH; k++) {
        eng_graph_part *part = &graph->part[k];
        double closing = k == ENG_GRAPH_LOW ? -part->kink : part->kink;
        part->present = part->exists && (closing <= 4.0 * fabs(speed) || part->l != 0.0);
    }
}

bool eng_graph_activate(eng_graph *graph, double speed)
{
    bool activated = false;
    for (int k = ENG_GRAPH_LOW; k <= ENG_GRAPH_HIGH; k++) {
        eng_graph_part *part = &graph->part[k];
        bool past = k == ENG_GRAPH_LOW ? speed < part->kink : speed > part->kink;
        if (part->exists && !part->present && past)
            part->present = activated = true;
    }
    return activated;
}

double eng_graph_impulse(const eng_graph *graph)
{
    double sum = 0.0;
    for (int k = 0; k < ENG_GRAPH_PARTS; k++)
        sum += k != ENG_GRAPH_SPRING || graph->part[k].present ? graph->part[k].l : 0.0;
    return sum;
}

void eng_graph_share(const eng_joint *joint, double h, double l, eng_graph *graph)
{
    if (!graph->driven)
        return;
    double friction = h * joint->friction, u = graph->speed;
    double borne = u == 0.0 ? clamp(l, -friction, friction) : u > 0.0 ? -friction : friction;
    graph->part[ENG_GRAPH_FRICTION].l = borne;
    // where the motor does not keep its speed it has met an end
    int rest = u == joint->motor_velocity  ? ENG_GRAPH_MOTOR
               : u > joint->motor_velocity ? ENG_GRAPH_LOW
                                           : ENG_GRAPH_HIGH;
    graph->part[rest].l = l - borne;
}

bool eng_graph_holds(const eng_graph *graph, double before, double *speed)
{
    if (graph->driven) {
        *speed = graph->speed;
        return true;
    }
    for (int k = ENG_GRAPH_FRICTION; k <= ENG_GRAPH_MOTOR; k++) {
        const eng_graph_part *part = &graph->part[k];
        double size = fabs(before) + fabs(part->kink) + fabs(part->slip);
        if (part->present && part->compliance == 0.0 && fabs(part->l) < part->limit &&
            fabs(part->slip) <= held_part * size) {
            *speed = part->kink;
            return true;
        }
    }
    return false;
}
