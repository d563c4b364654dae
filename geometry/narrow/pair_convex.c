// SPDX-License-Identifier: Apache-2.0
// Any two convex shapes by their support functions: cylinders, and kinds without pairs of their
// own.
#include "geometry/narrow/closest.h"

cairn_status geo_pair_convex(geo_job *job)
{
    return geo_closest_contacts(job);
}
