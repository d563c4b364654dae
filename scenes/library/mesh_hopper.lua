-- SPDX-License-Identifier: Apache-2.0
-- Hopper of a mesh: a bin with a cone, drawn as an OBJ file, empties once its lid is taken away.
--
-- What to look for: the mass in the outlet grows in a straight line until the bin is nearly empty. A steep
-- cone lets more grains pass than a flat floor with the same hole: Beverloo's rate times
-- (tan(half angle) tan(angle of repose))^-0.35, the correction of Rose and Tanaka.

local file = param("file", "data/hopper_30.obj", "the bin", { choices = { "data/hopper_30.obj", "data/hopper_60.obj" } })
local orifice = param("orifice", 7.0, "diameter of the hole, in grains", { min = 3.0, max = 30.0 })
local depth = param("depth", 8.0, "height of the grains above the cone, in grains", { min = 0.0, max = 200.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local opening = param("opening", 0.15, "time when the lid goes, s", { min = 0.0, max = 100.0 })

-- the file's hole has a radius of 1, its bin one of 2.5; z = 0 is the plane of the hole
local grain, density, gravity = 0.004, 2500, 9.81
local scale = 0.5 * orifice * grain
local half_angle = file == "data/hopper_30.obj" and 30 or 60
local shoulder = 1.5 / math.tan(math.rad(half_angle)) * scale
local mass = density * math.pi / 6 * grain ^ 3
-- grains as stiff as to overlap by 1 % under 40 of them; 16 steps a collision
local stiffness = mass * gravity * 40 / (0.01 * grain)
title(string.format("Hopper of a mesh, %d degrees, hole of %g grains", half_angle, orifice))
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 16, end_time = opening + 1.0 }
output{ energy_every = 50 }
material{ name = "grain", density = density, colour = "sand" }
material{ name = "wall" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.5 }

body{ name = "hopper", kind = "fixed", material = "wall", shape = mesh{ file = file, scale = scale } }
body{
  name = "lid",
  kind = "fixed",
  material = "wall",
  shape = cylinder{ radius = 1.2 * scale, length = grain },
  position = { 0, 0, -0.5 * grain },
}
remove{ body = "lid", at = opening }

local points = {}
for i = 1, 36 do
  local c, s = 0.985 * math.cos(math.rad(10 * i)) * scale, 0.985 * math.sin(math.rad(10 * i)) * scale
  points[#points + 1] = { c, s, 0 }
  points[#points + 1] = { 2.5 * c, 2.5 * s, shoulder }
  if depth > 0 then points[#points + 1] = { 2.5 * c, 2.5 * s, shoulder + depth * grain } end
end
local count = packing{
  region = { hull = polyhedron{ points = points } },
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "grain",
  method = "growth",
  porosity = 0.41 + 0.2 / orifice,
}
print(count .. " grains")
outlet{ name = "out", region = { min = { -1, -1, -2 }, max = { 1, 1, -2.5 * scale } }, every = 0.002 }
sensor{ name = "out", outlet = "out", quantity = "mass" }
