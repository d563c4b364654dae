-- SPDX-License-Identifier: Apache-2.0
-- Silo: a packed cylinder with a flat floor empties through a round hole once its gate is taken away.
--
-- What to look for: the mass in the outlet grows in a straight line whose slope does not fall with the
-- filling, 0.17 kg/s. That is 0.87 of Beverloo's rate with C = 0.58, k = 1.4, for the friction of 0.5; it
-- is about 0.95 with a friction of 0.3 and 1.1 with 0.1.

local grain = param("grain", 0.004, "mean diameter of a grain, m", { min = 1e-4, max = 0.1 })
local orifice = param("orifice", 7.0, "diameter of the hole, in grains", { min = 3.0, max = 30.0 })
local width = param("width", 16.0, "diameter of the silo, in grains", { min = 8.0, max = 200.0 })
local depth = param("depth", 20.0, "height of the packing, in grains", { min = 2.0, max = 400.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local opening = param("opening", 0.1, "time when the gate goes, s", { min = 0.0, max = 100.0 })
if orifice > width - 2 then error("the silo must be wider than the hole") end

title(string.format("Silo: hole of %g grains", orifice))
-- grains as stiff as to overlap by 1 % under 40 of them; 16 steps a collision
local mass = 2500 * math.pi / 6 * grain ^ 3
local stiffness = mass * 9.81 * 40 / (0.01 * grain)
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 16, end_time = 1.5 }
output{ energy_every = 50 }

material{ name = "glass", density = 2500, colour = "sand" }
material{ name = "wall", density = 2500 }
pair{ "glass", "glass", law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.7 }
pair{ "glass", "wall", law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.7 }

-- the shell is a mesh of staves, seen from inside, with the floor as a ring around the hole
local radius, hole = 0.5 * width * grain, 0.5 * orifice * grain
local height = (depth + 4) * grain
local sides = 48
local function ring(r, z, vertices)
  for i = 1, sides do
    local angle = 2 * math.pi * i / sides
    vertices[#vertices + 1] = { r * math.cos(angle), r * math.sin(angle), z }
  end
end
local vertices, triangles = {}, {}
ring(hole, 0, vertices)
ring(radius, 0, vertices)
ring(radius, height, vertices)
for i = 1, sides do
  local next = i % sides + 1
  for level = 0, 1 do
    local a, b, c, d = level * sides + i, level * sides + next, level * sides + sides + next, level * sides + sides + i
    triangles[#triangles + 1] = { a, d, c }
    triangles[#triangles + 1] = { a, c, b }
  end
end
body{ name = "silo", kind = "fixed", material = "wall", shape = mesh{ vertices = vertices, triangles = triangles } }
body{
  name = "gate",
  kind = "fixed",
  material = "wall",
  shape = cylinder{ radius = hole + 0.5 * grain, length = grain },
  position = { 0, 0, -0.5 * grain },
}
remove{ body = "gate", at = opening }

-- the staves are chords: the packing stays within the circle that they hold
local inner = radius * math.cos(math.pi / sides)
local count, porosity = packing{
  region = { from = { 0, 0, 0 }, to = { 0, 0, depth * grain }, radius = inner },
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "glass",
  porosity = 0.43,
}
outlet{ name = "drain", region = { min = { -1, -1, -30 * grain }, max = { 1, 1, -4 * grain } }, every = 0.005 }
sensor{ name = "drained", outlet = "drain", quantity = "mass" }
sensor{ name = "silo", body = "silo", quantity = "force" }

local bulk = 2500 * (1 - porosity)
print(string.format("%d grains, porosity %.3f; Beverloo: %.4f kg/s", count, porosity,
                    0.58 * bulk * math.sqrt(9.81) * ((orifice - 1.4) * grain) ^ 2.5))
