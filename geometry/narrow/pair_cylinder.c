// SPDX-License-Identifier: Apache-2.0
// Cylinder against box, capsule, cylinder and polyhedron.
#include "geometry/narrow/closest.h"

cairn_status geo_pair_cylinder(geo_job *job)
{
    return geo_closest_contacts(job);
}
