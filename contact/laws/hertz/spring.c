// SPDX-License-Identifier: Apache-2.0
// Normal springs of Hertz's family: of points by their radius, of lines and faces by their width
// (docs/laws.md 7.2, 7.9).
#include "contact/laws/hertz/spring.h"

#include "contact/laws/damping.h"

#include "base/elementary.h"

#include <math.h>

con_hertz_spring con_hertz_spring_of(double touch, double overlap)
{
    if (touch < 0.0)
        return (con_hertz_spring){1.0, 0.5, -touch, overlap};
    return (con_hertz_spring){2.0 / 3.0, 0.4, sqrt(touch * overlap), overlap};
}

/// F/E* and energy/E*.
static double spring_force(const con_hertz_spring *s)
{
    return s->share * 2.0 * s->area * s->overlap;
}

static double spring_energy(const con_hertz_spring *s)
{
    return s->stored * spring_force(s) * s->overlap;
}

/// Overlap at which another spring has this force, or this energy, if that is less.
static double overlap_after(const con_hertz_spring *before, double touch)
{
    double force = spring_force(before), energy = spring_energy(before), size = fabs(touch);
    double equal_force =
        touch < 0.0 ? 0.5 * force / size : base_pow(0.75 * force / sqrt(size), 2.0 / 3.0);
    double equal_energy =
        touch < 0.0 ? sqrt(energy / size) : base_pow(15.0 / 8.0 * energy / sqrt(size), 0.4);
    return fmin(before->overlap, fmin(equal_force, equal_energy));
}

con_hertz_spring con_hertz_shaped_spring(const con_hertz_terms *terms,
                                         const con_impulse_input *input,
                                         double history[CON_HERTZ_TOUCH_HISTORY],
                                         con_impulse_output *output)
{
    double radius = input->touch_radius > 0.0 ? input->touch_radius : con_effective_radius(input);
    double touch = input->touch_width > 0.0 ? -input->touch_width
                   : isfinite(radius)       ? radius
                                            : terms->flat_radius;
    double *reference = &history[CON_HERTZ_REFERENCE_OVERLAP];
    double overlap = -input->gap, before = history[CON_HERTZ_TOUCH];
    *reference = fmin(*reference, overlap);
    history[CON_HERTZ_TOUCH] = touch;
    if (before != 0.0 && before != touch) {
        con_hertz_spring old = con_hertz_spring_of(before, overlap - *reference);
        double left = overlap_after(&old, touch);
        con_hertz_spring now = con_hertz_spring_of(touch, left);
        output->plastic = terms->young * (spring_energy(&old) - spring_energy(&now));
        *reference = overlap - left;
    }
    return con_hertz_spring_of(touch, overlap - *reference);
}

con_stiffness con_hertz_stiffness(const con_hertz_terms *terms, const con_stiffness_input *input)
{
    double radius = isfinite(input->radius) ? input->radius : terms->flat_radius;
    double area = sqrt(radius * input->overlap);
    // a face that reaches as far as the body does
    if (terms->by_shape && !isfinite(input->radius) && isfinite(input->size))
        area = fmax(area, input->size);
    double normal = 2.0 * terms->young * area;
    double beta = con_damping_ratio(terms->restitution, terms->attraction);
    return (con_stiffness){
        .normal = normal,
        .tangential = 8.0 * terms->shear * area,
        .damping = 2.0 * sqrt(5.0 / 6.0) * beta * sqrt(normal * input->mass),
        .impact_steps = con_restitution_steps(beta, false, terms->attraction),
    };
}
