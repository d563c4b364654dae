-- SPDX-License-Identifier: Apache-2.0
-- Lifted cylinder: grains in a tube that stands on a rough floor; the tube is drawn up, and a heap remains.
--
-- What to look for: drawn slowly the tube leaves a cone whose slope is the angle of repose, about 19 degrees
-- for spheres without resistance to rolling. Drawn fast (speed = 5) it lets the column collapse:
-- its radius grows by 1.24 a of itself for a height of a < 1.7 radii, and by 1.6 sqrt(a) for more.

local radius = param("radius", 7.0, "radius of the tube, in grains", { min = 3.0, max = 100.0 })
local aspect = param("aspect", 1.5, "height of the grains over the radius of the tube", { min = 0.2, max = 20.0 })
local speed = param("speed", 0.06, "of the tube, m/s", { min = 1e-4, max = 100.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local rolling = param("rolling_friction", 0.0, "coefficient of rolling friction", { min = 0.0, max = 2.0 })
local seed = param("packing_seed", 1, "of the packing", { integer = true, min = 0, max = 1000000 })

local grain, density, gravity, settled = 0.01, 2500, 9.81, 0.2
local tube, depth = radius * grain, aspect * radius * grain
-- springs that a column of 20 grains compresses by 1 % of a grain
local mass = density * math.pi / 6 * grain ^ 3
local stiffness = mass * gravity * 20 / (0.01 * grain)
-- the tube is clear of the grains before the end, which leaves them time to come to rest
local lifted = 1.1 * depth / speed
title("Grains in a tube that is lifted")
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 16, end_time = settled + lifted + 0.3 + 3 * math.sqrt(depth / gravity) }
output{ energy_every = 50 }
material{ name = "grain", density = density, colour = "sand" }
material{ name = "tube" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, rolling_friction = rolling, restitution = 0.5 }
pair{ "grain", "tube", law = "hooke", normal_stiffness = stiffness, friction = 0.1, restitution = 0.5 }

-- the floor is of glued grains, as far as the grains may run
local reach = tube + 2 * grain + tube * (aspect < 1.7 and 1.7 * aspect or 2.2 * math.sqrt(aspect))
local bead = sphere{ radius = 0.5 * grain }
local rows = math.ceil(reach / (0.866 * grain))
for j = -rows, rows do
  local y = 0.866 * grain * j
  local columns = math.floor(math.sqrt(math.max(reach ^ 2 - y ^ 2, 0)) / grain)
  for i = -columns, columns do
    body{ kind = "fixed", material = "grain", colour = "grey", shape = bead, position = { (i + 0.5 * (j % 2)) * grain, y, -0.5 * grain } }
  end
end

-- the tube: a prism of staves
local staves = 48
local vertices, triangles = {}, {}
for i = 1, staves do
  local x, y = tube * math.cos(2 * math.pi * i / staves), tube * math.sin(2 * math.pi * i / staves)
  vertices[#vertices + 1] = { x, y, 0 }
  vertices[#vertices + 1] = { x, y, 1.2 * depth + 2 * grain }
  local here, next = 2 * i - 1, 2 * (i % staves) + 1
  triangles[#triangles + 1] = { here, next, here + 1 }
  triangles[#triangles + 1] = { next, next + 1, here + 1 }
end
body{ name = "tube", kind = "moving", material = "tube", shape = mesh{ vertices = vertices, triangles = triangles } }
motion{ body = "tube", velocity = function(t) return 0, 0, t > settled and speed or 0 end }

local count = packing{
  region = { from = { 0, 0, 0 }, to = { 0, 0, depth }, radius = tube * math.cos(math.pi / staves) },
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "grain",
  method = "growth",
  porosity = 0.42 + 0.15 / radius,
  seed = seed,
}
print(count .. " grains")
sensor{ name = "tube", body = "tube", quantity = "position" }
