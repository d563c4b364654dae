// SPDX-License-Identifier: Apache-2.0
// Micro-slip as a pile of flat punches, one for each overlap that a contact went through
// (docs/laws.md 7.8).
//
// The punch of the overlap s has the stiffness k_t(s) = 8 G* a(s) and slides as soon as its slope
// |m(s)|, its tangential displacement for a unit of overlap, reaches mu k_n / k_t. Slip begins at
// the top, which is the rim. The slope is kept as a few layers in which it is constant.
#ifndef CAIRN_CONTACT_LAWS_HERTZ_PILE_H
#define CAIRN_CONTACT_LAWS_HERTZ_PILE_H

#include "contact/laws/hertz/spring.h"

/// A layer of history is its slope and its top; the last one ends at the overlap.
enum {
    CON_PILE_LAYERS = 4,
    CON_PILE_LAYER = 4,
    CON_PILE_HISTORY = CON_PILE_LAYERS * CON_PILE_LAYER
};

/// Slope of B's displacement against A's over the overlap, from the centre of the contact outwards.
typedef struct con_pile {
    bool flat;   // all punches are alike, those of a line or a face
    double unit; // k_t = unit s^(1/2), or unit where flat
    int count;
    double top[CON_PILE_LAYERS + 2]; // m, rising
    vec3 slope[CON_PILE_LAYERS + 2];
} con_pile;

/// @param touch  m, as of con_hertz_spring_of
/// @param shear  Pa, G*
con_pile con_pile_read(const double history[CON_PILE_HISTORY], vec3 normal, double touch,
                       double shear);
void con_pile_write(const con_pile *pile, double history[CON_PILE_HISTORY]);

/// The integral of k_t up to an overlap, N/m times m.
double con_pile_stiffness(const con_pile *pile, double overlap);

/// N, of the springs on B.
vec3 con_pile_force(const con_pile *pile);

/// J: the integral of k_t m(s) times the displacement of all above s.
double con_pile_energy(const con_pile *pile);

/// Moves the pile to an overlap by a displacement w (m): what lies above the overlap or is steeper
/// than `limit` goes first, then the top slips as deep as it must and the rest sticks.
void con_pile_move(con_pile *pile, double overlap, vec3 w, double limit);

/// The pile of another touch: layers bear the same shares of the normal force at the overlap `now`
/// as they did at `before`, and hold no more energy.
void con_pile_reshape(con_pile *pile, double touch, double shear, double before, double now);

#endif
