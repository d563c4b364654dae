// SPDX-License-Identifier: Apache-2.0
// What contacts of the last step did to bodies, all in one pass.
#ifndef CAIRN_ENGINE_MEASURES_READOUT_H
#define CAIRN_ENGINE_MEASURES_READOUT_H

#include "base/vec.h"
#include <cairn/cairn.h>

/// Forces (N), or torques about the centres of mass (N m), of contacts and connectors of the last
/// step on all bodies, the sums of cairn_body_get_contact_force in one pass.
/// @param given  [live bodies] out, in the order of cairn_body_at
void eng_contact_forces(const cairn_world *world, bool torques, double (*given)[3]);

/// The sum of cairn_body_get_contact_force of one body without the torque, N.
vec3 eng_contact_force_on(const cairn_world *world, int body);

/// Contacts and penetration of the step go to the report.
void eng_report_contacts(cairn_world *world);

#endif
