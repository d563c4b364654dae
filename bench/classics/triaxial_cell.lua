-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test in a periodic cell by either family of laws, and the packing that it begins with.
--
-- Without a file of grains a loose packing is squeezed to the stress and let come to rest; with one, and the sides of its
-- cell, it is held at the stress and then sheared.
local common = require "triaxial_grains"
local file = param("file", "", "of the grains, columns x, y, z, radius; none: make a packing")
local wide = param("side_x", 1.0, "of the cell of that file, m", { min = 0.0 })
local deep = param("side_y", 1.0, "of the cell of that file, m", { min = 0.0 })
local tall = param("side_z", 1.0, "of the cell of that file, m", { min = 0.0 })
local slippery = param("preparation_friction", 0.1, "while the packing is made", { min = 0.0 })

local grains, diameter, stress = common.grains, common.diameter, common.stress
local making = file == ""
local settled = making and 0.3 or 0.02
title(string.format("Triaxial test of %d spheres in a cell", grains))
common.begin(settled, making)
common.contact(making and slippery or common.friction)

if making then
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
else
  cell{ size = { wide, deep, tall } }
  bodies_from_csv{ file = file, material = "glass" }
end
for _, axis in ipairs{ "x", "y", "z" } do
  servo{ name = axis, cell = axis, stress = stress, speed = 3, to = axis == "z" and not making and settled or nil }
end
if not making then
  servo{ name = "press", cell = "z", rate = -common.rate, from = settled }
end
sensor{ name = "cell", region = "cell", quantity = "stress" }
sensor{ name = "side", region = "cell", quantity = "sides" }
