// SPDX-License-Identifier: Apache-2.0
// The audit of energy, step by step.
#ifndef CAIRN_ENGINE_MEASURES_ENERGY_H
#define CAIRN_ENGINE_MEASURES_ENERGY_H

#include <cairn/cairn.h>

/// Both of all bodies, wherever their state is held.
void eng_energy_mechanical(const cairn_world *world, double *kinetic, double *potential);

/// What is booked so far, with the sums of the sphere executor.
cairn_energy eng_energy_booked(const cairn_world *world);

/// Opens the audit with the energy of the start.
void eng_energy_start(cairn_world *world);

/// Books the work of contacts, drivers and applied forces; called between solve and end positions.
void eng_energy_contacts(cairn_world *world);

/// Takes the new totals of the step that just ended.
void eng_energy_book(cairn_world *world);

/// Note what the balance was before the step, and its rise.
void eng_energy_before(cairn_world *world);
void eng_energy_after(cairn_world *world);

#endif
