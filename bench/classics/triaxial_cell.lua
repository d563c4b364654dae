-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test in a periodic cell by either family of laws, from the same packing.
local common = require "triaxial_grains"

local grains, diameter, stress = common.grains, common.diameter, common.stress
local rate, settled = common.rate, 0.2
title(string.format("Triaxial test of %d spheres in a cell", grains))
common.begin(settled)
common.contact(common.friction)

-- the packing does not look through the faces of the cell: it keeps half a grain away from them
local edge = 0.6 * diameter
local inner = diameter * (grains * math.pi / 6 / 0.42) ^ (1 / 3)
local side = inner + 2 * edge
cell{ size = { side, side, side } }
packing{
  region = { min = { edge, edge, edge }, max = { side - edge, side - edge, side - edge } },
  size = common.size,
  material = "glass",
  method = "growth",
  count = grains,
}
servo{ name = "x", cell = "x", stress = stress, speed = 3 }
servo{ name = "y", cell = "y", stress = stress, speed = 3 }
servo{ name = "z", cell = "z", stress = stress, speed = 3, to = settled }
servo{ name = "press", cell = "z", rate = -rate, from = settled }
sensor{ name = "cell", region = "cell", quantity = "stress" }
sensor{ name = "side", region = "cell", quantity = "sides" }
