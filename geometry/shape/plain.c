// SPDX-License-Identifier: Apache-2.0
// The table of plain shapes.
#include "geometry/shape/plain.h"

const geo_plain *const geo_plain_kinds[GEO_POLYHEDRON] = {
#define ROW(constant, name, ...) [GEO_##constant] = &geo_plain_##name,
    CAIRN_PLAIN_SHAPES(ROW)
#undef ROW
};

const int geo_plain_masks[GEO_POLYHEDRON] = {
#define MASK(constant, name, call, sizes, help) [GEO_##constant] = (sizes),
    CAIRN_PLAIN_SHAPES(MASK)
#undef MASK
};
