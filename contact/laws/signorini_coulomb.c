// SPDX-License-Identifier: Apache-2.0
// Unilateral contact with Coulomb friction and Newton's restitution, theory.md (3.1)-(3.3).
#include "contact/laws/law.h"

#include "base/assert.h"

#include <float.h>

typedef struct signorini_coulomb {
    double friction;
    double restitution;
    double rolling_friction, spinning_friction, flat_radius;
    double tangential_restitution, cohesion;
} signorini_coulomb;

#define FIELD(name) offsetof(signorini_coulomb, name)
static const base_setting settings_rows[] = {
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "coefficient of Coulomb friction"},
    {"restitution", BASE_SETTING_REAL, FIELD(restitution), "", 0.0, 0.0, 1.0, NULL,
     "coefficient of Newton's impact law"},
    {"rolling_friction", BASE_SETTING_REAL, FIELD(rolling_friction), "", 0.0, 0.0, DBL_MAX, NULL,
     "largest moment against rolling, relative to R* times the normal force"},
    {"spinning_friction", BASE_SETTING_REAL, FIELD(spinning_friction), "", 0.0, 0.0, DBL_MAX, NULL,
     "largest moment against spinning about the normal, likewise"},
    {"flat_radius", BASE_SETTING_REAL, FIELD(flat_radius), "m", 0.01, 1e-12, DBL_MAX, NULL,
     "stands for R* along a direction in which neither side is curved"},
    {"tangential_restitution", BASE_SETTING_REAL, FIELD(tangential_restitution), "", 0.0, 0.0, 1.0,
     NULL, "share of the sliding velocity that impacts turn back, as far as friction can"},
    {"cohesion", BASE_SETTING_REAL, FIELD(cohesion), "N", 0.0, 0.0, DBL_MAX, NULL,
     "attraction of every contact point that was closed; friction is of the pressure with it"},
};

static void cone(const void *parameters, con_cone_terms *terms)
{
    const signorini_coulomb *p = parameters;
    *terms = (con_cone_terms){.friction = p->friction,
                              .restitution = p->restitution,
                              .rolling = p->rolling_friction,
                              .spinning = p->spinning_friction,
                              .flat_radius = p->flat_radius,
                              .tangential = p->tangential_restitution,
                              .cohesion = p->cohesion};
}

const con_law con_law_signorini_coulomb = {
    .name = "signorini_coulomb",
    .help = "rigid contact: no penetration, Coulomb friction, Newton's restitution",
    .kind = CON_LAW_CONE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(signorini_coulomb)},
    .cone = cone,
};
