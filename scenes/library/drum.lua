-- SPDX-License-Identifier: Apache-2.0
-- Rotating drum: a drum that is half full of spheres turns about its axis, and the grains flow down its surface.
--
-- What to look for: the surface is flat and inclined by the dynamic angle of repose while the Froude
-- number (speed^2 radius / gravity) is below 0.01; it bends to an S from 0.03 on, and at 0.3 grains fly.
-- The torque on the drum is the weight of the grains times the way of their centre aside,
-- 4/(3 pi) radius sin(angle) for a flat surface. Octahedra and cubes, sharp or rounded (--set shape=octahedron
-- --set rounding=0.05), begin in a lattice that fills the drum and fall together first.

local froude = param("froude", 0.003, "Froude number", { min = 1e-6, max = 10.0 })
local radius = param("radius", 12.0, "radius of the drum, in grains", { min = 4.0, max = 200.0 })
local length = param("length", 6.0, "length of the drum, in grains", { min = 2.0, max = 1000.0 })
local friction = param("friction", 0.5, "Coulomb friction of grains and mantle", { min = 0.0, max = 2.0 })
local restitution = param("restitution", 0.5, "of grains and walls", { min = 0.0, max = 1.0 })
local ends = param("end_friction", 0.0, "Coulomb friction of the ends", { min = 0.0, max = 2.0 })
local spread = param("spread", 0.1, "sizes differ by up to this share of the mean", { min = 0.0, max = 0.5 })
local kind = param("shape", "sphere", "shape of the grains", { choices = { "sphere", "octahedron", "cube" } })
local rounding = param("rounding", 0.0, "radius of edges and corners, in grains", { min = 0.0, max = 0.3 })
local turn = param("turn", 2.5, "angle by which the drum turns, rad", { min = 0.0, max = 1000.0 })

local grain, density, gravity = 0.01, 2500, 9.81
local drum, half = radius * grain, 0.5 * length * grain
local speed = math.sqrt(froude * gravity / drum)
-- springs that the weight of all grains above compresses by 1 % of a grain
local stiffness = 100 * density * gravity * drum * grain
local mass = density * math.pi / 6 * grain ^ 3
title(string.format("Rotating drum at a Froude number of %g", froude))
-- the corners of a face are as many springs beside each other
local parts = kind == "sphere" and 16 or 32
-- strong dashpots are stable at shorter steps only
local strong = restitution < 0.1 and 8 or 1
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / (parts * strong), end_time = 0.3 + turn / speed }
output{ energy_every = 50 }
camera{ azimuth = -90, elevation = 8 }
material{ name = "glass", density = density }
material{ name = "mantle" }
material{ name = "end" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = restitution }
pair{ "glass", "end", law = "hooke", normal_stiffness = stiffness, friction = ends, restitution = restitution }

-- the mantle: a prism of many staves, whose area is that of the circle
local staves = 96
local corner = drum * math.sqrt(2 * math.pi / staves / math.sin(2 * math.pi / staves))
local vertices, triangles = {}, {}
for i = 1, staves do
  local angle = 2 * math.pi * i / staves
  for side = -1, 1, 2 do
    vertices[#vertices + 1] = { corner * math.sin(angle), 1.2 * side * half, corner * math.cos(angle) }
  end
  local here, next = 2 * i - 1, 2 * (i % staves) + 1
  triangles[#triangles + 1] = { here, next, here + 1 }
  triangles[#triangles + 1] = { next, next + 1, here + 1 }
end
body{
  name = "drum",
  kind = "moving",
  material = "mantle",
  shape = mesh{ vertices = vertices, triangles = triangles },
  angular_velocity = { 0, -speed, 0 },
}
for side = -1, 1, 2 do
  body{
    name = side < 0 and "front" or "back",
    kind = "moving",
    material = "end",
    shape = plane{},
    position = { 0, side * half, 0 },
    rotation = { axis = { 1, 0, 0 }, angle = 90 * side },
    angular_velocity = { 0, -speed, 0 },
  }
end

-- the grains begin as half a cylinder that leans by about the angle of repose; they settle by a few per cent
local points, inside, lean = {}, drum - 0.02 * grain, math.rad(20)
for i = 0, 24 do
  local angle = math.pi * i / 24
  for side = -1, 1, 2 do
    local x, z = inside * math.cos(angle), -inside * math.sin(angle)
    points[#points + 1] = {
      x * math.cos(lean) - z * math.sin(lean), side * (half - 0.02 * grain), x * math.sin(lean) + z * math.cos(lean),
    }
  end
end
-- grains with faces; `size` gives them the volume of spheres
local function faceted()
  local list, a = {}, 0.4 * grain
  for i = 0, kind == "cube" and 7 or 5 do
    local side, axis = i % 2 == 0 and a or -a, i // 2
    list[#list + 1] = kind == "cube" and { i % 2 * 2 * a - a, i // 2 % 2 * 2 * a - a, i // 4 * 2 * a - a }
      or { axis == 0 and 1.6 * side or 0, axis == 1 and 1.6 * side or 0, axis == 2 and 1.6 * side or 0 }
  end
  return polyhedron{ points = list, rounding = rounding * grain }
end
local count = packing{
  region = kind == "sphere" and { hull = polyhedron{ points = points } }
    or { from = { 0, 0.02 * grain - half, 0 }, to = { 0, half - 0.02 * grain, 0 }, radius = inside },
  size = spread > 0 and sizes{ "uniform", min = (1 - spread) * grain, max = (1 + spread) * grain } or grain,
  material = "glass",
  method = kind == "sphere" and "growth" or "lattice",
  shape = kind ~= "sphere" and faceted() or nil,
  turned = kind ~= "sphere" or nil,
  -- less dense where walls are near
  porosity = kind == "sphere" and 0.41 + 0.3 / radius or nil,
}
print(string.format("%d grains, speed %.4g rad/s", count, speed))

sensor{ name = "drum", bodies = { "drum", "front", "back" }, quantity = "torque" }
