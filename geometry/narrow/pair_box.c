// SPDX-License-Identifier: Apache-2.0
// Box against box: fifteen axes, then the contacts that polytopes share.
#include "geometry/narrow/sat.h"

cairn_status geo_pair_box_box(geo_job *job)
{
    geo_core a, b;
    geo_sat sat;
    geo_core_init(&a, &job->a);
    geo_core_init(&b, &job->b);
    if (!geo_sat_query_boxes(&a, &b, job->margin, &sat))
        return CAIRN_OK;
    return geo_sat_contacts(job, &a, &b, &sat);
}
