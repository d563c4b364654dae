// SPDX-License-Identifier: Apache-2.0
// How much longer a step takes for a body that no kernel moves.
#include "contact/laws/slow.h"

#include "base/assert.h"

#include <string.h>

// Instructions a body and step in a bed of 1000 bodies of 10 mm in a cubic lattice, pressed into
// each other by 0.1 mm, where a kernel (AVX2) takes 440 to 590 for a sphere and 1600 for a clump of
// two; of a law without a kernel over those of hertz_mindlin.
static const struct {
    const char *law;
    double spheres, clumps;
} laws[] = {
    {"hooke", 0.0, 11.0},         {"hertz_mindlin", 26.0, 11.0},      {"spring_dashpot", 27.0, 0.0},
    {"incremental", 22.0, 0.0},   {"mindlin_deresiewicz", 25.0, 0.0}, {"adhesive", 50.0, 0.0},
    {"parallel_bond", 26.0, 0.0},
};

// under hooke, over its kernel for spheres
static const struct {
    const char *kind;
    double factor;
} shapes[] = {
    {"capsule", 11.0},
    {"box", 310.0},
};

double con_slow_law(const char *law, bool clumps)
{
    for (int i = 0; i < BASE_COUNT(laws); i++)
        if (strcmp(laws[i].law, law) == 0)
            return clumps ? laws[i].clumps : laws[i].spheres;
    return 0.0;
}

double con_slow_shape(const char *kind)
{
    for (int i = 0; i < BASE_COUNT(shapes); i++)
        if (strcmp(shapes[i].kind, kind) == 0)
            return shapes[i].factor;
    return 0.0;
}
