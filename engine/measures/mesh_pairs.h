// SPDX-License-Identifier: Apache-2.0
// Pairs of meshes, which have no contacts.
#ifndef CAIRN_ENGINE_MEASURES_MESH_PAIRS_H
#define CAIRN_ENGINE_MEASURES_MESH_PAIRS_H

#include <cairn/cairn.h>

/// Names two meshes of the pair list that may touch.
/// @return CAIRN_ERROR_UNSUPPORTED
cairn_status eng_mesh_pairs_explain(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
