-- SPDX-License-Identifier: Apache-2.0
-- A turning drum that is half full of octahedra under an explicit law: steps of general bodies, most of which touch.
local radius = param("radius", 14.0, "radius of the drum, in grains", { min = 4.0, max = 200.0 })
local length = param("length", 12.0, "length of the drum, in grains", { min = 2.0, max = 1000.0 })
local froude = 0.03
local grain, density, gravity = 0.01, 2500, 9.81
local drum, half = radius * grain, 0.5 * length * grain
local speed = math.sqrt(froude * gravity / drum)
local stiffness = 100 * density * gravity * drum * grain
local mass = density * grain^3 / 6
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 20, end_time = 0.3 + 2.5 / speed }
output{ energy_every = 500 }
material{ name = "glass", density = density }
material{ name = "mantle" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = 0.5, restitution = 0.5 }
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
    material = "mantle",
    shape = plane{},
    position = { 0, side * half, 0 },
    rotation = { axis = { 1, 0, 0 }, angle = 90 * side },
    angular_velocity = { 0, -speed, 0 },
  }
end
local r = 0.5 * grain
local octahedron = polyhedron{ points = { {r,0,0},{-r,0,0},{0,r,0},{0,-r,0},{0,0,r},{0,0,-r} } }
local n, d = 0, 1.02 * grain
local nz = math.floor(drum / d)
for k = -nz, nz do for i = -nz, nz do
  local x, z = i * d, k * d
  if math.sqrt(x * x + z * z) < drum - 0.55 * grain and z < 0.15 * drum then
    for j = 0, math.floor(2 * half / d) - 1 do
      body{
        shape = octahedron,
        material = "glass",
        position = { x, -half + (j + 0.5) * d + 0.02 * grain, z },
        rotation = { axis = { math.random(), math.random(), math.random() + 0.1 }, angle = 360 * math.random() },
      }
      n = n + 1
    end
  end
end end
print(n .. " grains")
