// SPDX-License-Identifier: Apache-2.0
// Which contact laws a world uses.
#ifndef CAIRN_CLI_PROCESS_LAWS_H
#define CAIRN_CLI_PROCESS_LAWS_H

#include "cairn/cairn.h"

enum { CLI_MATERIALS_MAX = 64, CLI_LAWS_SIZE = 160 };

/// A material that bodies have, and how many of them may move and how many there are.
typedef struct cli_material_use {
    cairn_material_id id;
    int bodies, dynamic;
} cli_material_use;

/// Materials in order of their first body; those without a body touch nothing.
/// @return how many, CLI_MATERIALS_MAX at most
int cli_materials_in_use(const cairn_world *world, cli_material_use *uses);

/// Names of the laws by which bodies of the world can touch, "hooke" or "hooke, signorini_coulomb":
/// in order of the materials; the default pair's where no two can.
void cli_laws_in_use(const cairn_world *world, char names[CLI_LAWS_SIZE]);

#endif
