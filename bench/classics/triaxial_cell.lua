-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test in a periodic cell by either family of laws, from the same packing.
local rigid = param("rigid", false, "law signorini_coulomb instead of hooke")
local grains = param("grains", 120, "number of spheres", { integer = true, min = 20, max = 100000 })
local rate = param("rate", 0.5, "axial strain rate, 1/s", { min = 1e-4, max = 10.0 })
local strain = param("strain", 0.25, "axial strain at the end, logarithmic", { min = 0.0, max = 1.0 })
local step = param("step", 0.0, "of the rigid law, s", { min = 0.0, max = 0.1 })

local diameter, density, stress, friction, settled = 0.01, 2500, 1000, 0.5, 0.2
local stiffness = 2000 * stress * diameter
local mass = density * math.pi / 6 * diameter ^ 3
title(string.format("Triaxial test of %d spheres in a cell", grains))
simulation{
  step = step > 0 and step or math.pi * math.sqrt(mass / (2 * stiffness)) / 14,
  end_time = settled + strain / rate,
}
output{ energy_every = rigid and 1 or 10, paraview_every = 0 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = density }
if rigid then
  pair{ law = "signorini_coulomb", friction = friction, restitution = 0 }
else
  pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.3 }
end

-- the packing does not look through the faces of the cell: it keeps half a grain away from them
local edge = 0.6 * diameter
local inner = diameter * (grains * math.pi / 6 / 0.42) ^ (1 / 3)
local side = inner + 2 * edge
cell{ size = { side, side, side } }
packing{
  region = { min = { edge, edge, edge }, max = { side - edge, side - edge, side - edge } },
  size = sizes{ "uniform", min = 0.8 * diameter, max = 1.2 * diameter },
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
