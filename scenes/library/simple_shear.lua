-- SPDX-License-Identifier: Apache-2.0
-- Simple shear: spheres in a periodic cell are sheared without end, under a pressure across the planes of shear.
--
-- What to look for: after a strain of one half or so the flow is steady. The ratio of xz to zz is the
-- effective friction, 0.36 to 0.38 for slow flow of spheres whatever their friction beyond 0.3, and it
-- grows with the inertial number I = rate diameter sqrt(density / pressure), as in the law mu(I).

local grains = param("grains", 500, "number of spheres", { integer = true, min = 50, max = 100000 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local pressure = param("pressure", 1000, "stress across the planes of shear, Pa", { min = 1.0, max = 1e7 })
local inertia = param("inertia", 0.05, "inertial number", { min = 1e-4, max = 1.0 })
local strain = param("strain", 5, "shear strain at the end", { min = 0.0, max = 1000.0 })

local diameter, density, settled = 0.01, 2500, 0.3
local rate = inertia * math.sqrt(pressure / density) / diameter
-- springs that the pressure compresses by a two-thousandth of a diameter
local stiffness = 2000 * pressure * diameter
local mass = density * math.pi / 6 * diameter ^ 3
title(string.format("Simple shear of %d spheres", grains))
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 14, end_time = settled + strain / rate }
output{ energy_every = 200 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = density }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.3 }

-- the cell begins loose along z, and the servo closes it
local side = diameter * (grains * math.pi / 6 / 0.58) ^ (1 / 3)
local edge = 0.5 * diameter
local height = grains * math.pi / 6 / 0.5 * diameter ^ 3 / (side - diameter) ^ 2 + diameter
cell{ size = { side, side, height } }
packing{
  region = { min = { edge, edge, edge }, max = { side - edge, side - edge, height - edge } },
  size = sizes{ "uniform", min = 0.8 * diameter, max = 1.2 * diameter },
  material = "glass",
  method = "growth",
  count = grains,
}
servo{ name = "pressure", cell = "z", stress = pressure, speed = 3 }
servo{ name = "shear", cell = "xz", rate = rate, from = settled }

sensor{ name = "cell", region = "cell", quantity = "stress" }
sensor{ name = "shear", region = "cell", quantity = "shear" }
sensor{ name = "porosity", region = "cell", quantity = "porosity" }
