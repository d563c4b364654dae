// SPDX-License-Identifier: Apache-2.0
// Unilateral contact with Coulomb friction and Newton's restitution, theory.md (3.1)-(3.3).
#include "contact/laws/law.h"

#include "base/assert.h"

#include <float.h>

typedef struct signorini_coulomb {
    double friction;
    double restitution;
} signorini_coulomb;

#define FIELD(name) offsetof(signorini_coulomb, name)
static const base_setting settings_rows[] = {
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "coefficient of Coulomb friction"},
    {"restitution", BASE_SETTING_REAL, FIELD(restitution), "", 0.0, 0.0, 1.0, NULL,
     "coefficient of Newton's impact law"},
};

static void cone(const void *parameters, con_cone_terms *terms)
{
    const signorini_coulomb *p = parameters;
    *terms = (con_cone_terms){.friction = p->friction, .restitution = p->restitution};
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
