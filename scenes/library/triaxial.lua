-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test: spheres in a periodic cell are compressed along z while two sides are held at a stress.
--
-- What to look for: after 0.4 s all three stresses are 1 kPa. Then zz rises to about twice that while xx
-- and yy stay; the ratio tells the friction angle, sin(phi) = (zz - xx) / (zz + xx), 18 to 20 degrees
-- for spheres with a friction of 0.5. The porosity first falls and then comes back: the packing dilates.

local grains = param("grains", 600, "number of spheres", { integer = true, min = 50, max = 100000 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local stress = param("stress", 1000, "confining stress, Pa", { min = 1.0, max = 1e7 })
local strain = param("strain", 0.3, "axial strain at the end, logarithmic", { min = 0.0, max = 1.0 })
local rate = param("rate", 0.15, "axial strain rate, 1/s", { min = 1e-4, max = 10.0 })

local diameter, density, settled = 0.01, 2500, 0.4
-- springs that the confining stress compresses by a two-thousandth of a diameter
local stiffness = 2000 * stress * diameter
local mass = density * math.pi / 6 * diameter ^ 3
title(string.format("Triaxial test of %d spheres", grains))
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 14, end_time = settled + strain / rate }
output{ energy_every = 200 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = density }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.3 }

-- the cell begins loose, and the servos bring its sides to the stress
local side = diameter * (grains * math.pi / 6 / 0.5) ^ (1 / 3) + diameter
local edge = 0.5 * diameter
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
servo{ name = "press", cell = "z", rate = -rate, from = settled, to = settled + strain / rate }

sensor{ name = "cell", region = "cell", quantity = "stress" }
sensor{ name = "side", region = "cell", quantity = "sides" }
sensor{ name = "porosity", region = "cell", quantity = "porosity" }
sensor{ name = "coordination", region = "cell", quantity = "coordination" }
