// SPDX-License-Identifier: Apache-2.0
// Connectors: contacts between two named bodies.
#ifndef CAIRN_ENGINE_PAIRS_CONNECTORS_H
#define CAIRN_ENGINE_PAIRS_CONNECTORS_H

#include "base/vec.h"
#include "contact/laws/law.h"
#include <cairn/cairn.h>

/// Gives up the id of a connector, with all that belongs to it. Its energy leaves the audit.
/// @param index  into the world's array
void eng_connector_drop(cairn_world *world, int index);

/// Velocities of a connector over the step, for the audit; after v_end.
void eng_connectors_book(cairn_world *world);

/// Adds force (N) and torque about the centre of mass (N m) of the connectors on a body.
void eng_connectors_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque);

/// What the estimate of a stable step needs of a connector; false where it puts no limit on it.
/// @param mass  [2] kg, of A and B as felt along the line of the centres
bool eng_connector_stiffness(const cairn_world *world, int connector, con_stiffness *stiffness,
                             double mass[2]);

#endif
