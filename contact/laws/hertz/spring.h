// SPDX-License-Identifier: Apache-2.0
// Normal springs of Hertz's family: of points by their radius, of lines and faces by their width
// (docs/laws.md 7.2, 7.9).
#ifndef CAIRN_CONTACT_LAWS_HERTZ_SPRING_H
#define CAIRN_CONTACT_LAWS_HERTZ_SPRING_H

#include "contact/laws/law.h"

/// Normal spring of a contact at an overlap.
typedef struct con_hertz_spring {
    double share;   // of tangent times overlap that is the force
    double stored;  // of force times overlap that is the energy
    double area;    // m, half of the tangent over E*
    double overlap; // m, above the one from which the spring starts
} con_hertz_spring;

/// What a contact remembers of what touches: the overlap from which its spring starts, and `touch`
/// of con_hertz_spring_of, 0 before the first step.
enum { CON_HERTZ_REFERENCE_OVERLAP, CON_HERTZ_TOUCH, CON_HERTZ_TOUCH_HISTORY };

/// What decides how stiff a contact is.
typedef struct con_hertz_terms {
    double young, shear; // Pa, E* and G*
    double restitution;
    double flat_radius; // m
    bool attraction, by_shape;
} con_hertz_terms;

/// @param touch  m, radius of a point, or less the width of a line or face
con_hertz_spring con_hertz_spring_of(double touch, double overlap);

/// The spring of what touches, docs/laws.md 7.9. Where that has become stiffer the force stays,
/// where it has become softer it falls; what energy that takes is booked as plastic.
con_hertz_spring con_hertz_shaped_spring(const con_hertz_terms *terms,
                                         const con_impulse_input *input,
                                         double history[CON_HERTZ_TOUCH_HISTORY],
                                         con_impulse_output *output);

/// Tangents at an overlap; of a face that reaches as far as the body does.
con_stiffness con_hertz_stiffness(const con_hertz_terms *terms, const con_stiffness_input *input);

#endif
