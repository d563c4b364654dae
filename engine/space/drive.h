// SPDX-License-Identifier: Apache-2.0
// Sides of the periodic cell that a stress drives while contacts are rigid, theory.md (2.6): their
// rates are unknowns of the step's contact problem.
#ifndef CAIRN_ENGINE_SPACE_DRIVE_H
#define CAIRN_ENGINE_SPACE_DRIVE_H

#include "base/vec.h"
#include "contact/problem/problem.h"
#include <cairn/cairn.h>

/// Driven sides of the step at hand.
typedef struct eng_driven {
    int count;         // 0: none
    int side[3];       // [count] 0, 1, 2
    double mass[3];    // kg m2, M L^2 / 12 in the middle of the step
    double before[3];  // 1/s, rate at the beginning
    double free[3];    // 1/s, that of the stress alone
    int held[3];       // 1 or -1: as fast as its servo lets it open or close; 0: below that
    double known[3];   // 1/s, of the problem without contacts: `free`, or where it is held
    double push[3];    // J s, what the contacts of the last solve give
    double rate[3];    // 1/s, at the end
    double strain[3];  // by which the position correction makes room
    int rounds;        // solves of this step
    mat3 middle;       // m, cell.unfolded in the middle of the step
    con_rates rates;   // what the problem knows of them
    double (*S)[3][3]; // [contacts] of `rates`, as its writer
} eng_driven;

/// Rates of the driven sides at the beginning of the step. Before the middle of the cell is taken.
void eng_drive_begin(cairn_world *world);

/// Free rates, before the contacts are assembled. world->scratch.solve.driven stays NULL where none
/// is driven.
/// @param n  contacts
cairn_status eng_drive_prepare(cairn_world *world, int n) CAIRN_CHECK_RESULT;

/// Gradient of the cell with the free rates.
mat3 eng_drive_free_gradient(const cairn_world *world);

/// What a contact knows of the rates: to S of `rates`.
void eng_drive_contact(const cairn_world *world, int contact);

/// By how much faster than now two bodies may close along a normal, as far as the driven sides may
/// change their rates, m/s.
double eng_drive_closing(const cairn_world *world, int a, int b, vec3 point, vec3 normal);

/// Takes the rates of the solution. True where a side has reached the greatest rate of its servo,
/// or come back from it: the problem was changed and is to be solved again.
/// @param solved  the solution is within the tolerance: one that is not changes no problem
bool eng_drive_look(cairn_world *world, bool solved);

/// Books the work of the stress and keeps the rates. After the contacts are booked.
void eng_drive_finish(cairn_world *world);

/// The cell at the end of a step with driven sides: as bodies, it moves its second half at the new
/// rates.
void eng_drive_end(cairn_world *world);

/// Of the inertia of the driven sides, J.
double eng_drive_kinetic(const cairn_world *world);

/// Velocity of the image of a body next to a point that is prescribed, driven sides left out.
vec3 eng_drive_given_drift(const cairn_world *world, int body, vec3 point);

#endif
