-- SPDX-License-Identifier: Apache-2.0
-- A bed of grains on floors that are one surface in one or in many parts, for bench/ordinary/gates.py.
local floor = param("floor", "one", "one: a box; tiles: four flush boxes; mesh: triangles; drum: a turning mesh")
local grains = param("grains", 216, "number of grains", { integer = true, min = 1, max = 100000 })
local kind = param("grain", "sphere", "sphere, box or capsule")
local law = param("contact_law", "hooke", "hooke or signorini_coulomb")

local r, density = 0.01, 2500
local mass = density * 8 * r ^ 3
local stiffness = 400 * mass * 9.81 / r
simulation{ step = law == "hooke" and math.pi * math.sqrt(0.5 * mass / stiffness) / 60 or 2e-3, end_time = 1.0 }
material{ name = "grain", density = density }
if law == "hooke" then
  pair{ law = law, normal_stiffness = stiffness, friction = 0.4, restitution = 0.3 }
else
  pair{ law = law, friction = 0.4 }
end

local wide = math.ceil(grains ^ (1 / 3))
local pitch = 2.3 * r
local half = 0.5 * wide * pitch + r
local function plate(x, y, side)
  body{ kind = "fixed", material = "grain", shape = box{ size = { side, side, r } }, position = { x, y, -0.5 * r } }
end
if floor == "one" then
  plate(0, 0, 2 * half)
elseif floor == "tiles" then
  for x = -1, 1, 2 do for y = -1, 1, 2 do plate(0.5 * half * x, 0.5 * half * y, half) end end
elseif floor == "mesh" then
  local vertices, triangles, n = {}, {}, 8
  for i = 0, n do for j = 0, n do
    vertices[#vertices + 1] = { half * (2 * i / n - 1), half * (2 * j / n - 1), 0 }
  end end
  for i = 0, n - 1 do for j = 1, n do
    local a, b = i * (n + 1) + j, (i + 1) * (n + 1) + j
    triangles[#triangles + 1] = { a, b, b + 1 }
    triangles[#triangles + 1] = { a, b + 1, a + 1 }
  end end
  body{ kind = "fixed", material = "grain", shape = mesh{ vertices = vertices, triangles = triangles } }
end
if floor == "drum" then
  local vertices, triangles, staves, radius = {}, {}, 48, 1.6 * half
  for i = 1, staves do for side = -1, 1, 2 do
    local angle = 2 * math.pi * i / staves
    vertices[#vertices + 1] = { radius * math.sin(angle), side * half, radius * math.cos(angle) }
  end end
  for i = 1, staves do
    local here, next = 2 * i - 1, 2 * (i % staves) + 1
    triangles[#triangles + 1] = { here, next, here + 1 }
    triangles[#triangles + 1] = { next, next + 1, here + 1 }
  end
  body{
    kind = "moving", material = "grain", shape = mesh{ vertices = vertices, triangles = triangles },
    position = { 0, 0, half }, angular_velocity = { 0, 3, 0 },
  }
end
for _, s in ipairs{ { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
  if floor ~= "drum" or s[1] == 0 then
    body{
      kind = "fixed", material = "grain", shape = plane{}, position = { half * s[1], half * s[2], 0 },
      rotation = { axis = { s[2], -s[1], 0 }, angle = 90 },
    }
  end
end
local shape = kind == "box" and box{ size = { 1.6 * r, 1.4 * r, 1.2 * r } }
  or kind == "capsule" and capsule{ radius = 0.6 * r, length = 0.8 * r }
  or sphere{ radius = r }
for i = 0, grains - 1 do
  body{
    shape = shape, material = "grain",
    position = {
      (i % wide + 0.5) * pitch - half + r + 0.25 * r * (math.random() - 0.5),
      (i // wide % wide + 0.5) * pitch - half + r,
      (i // (wide * wide) + 0.5) * pitch,
    },
    rotation = { axis = { math.random() - 0.5, math.random() - 0.5, 1 }, angle = 360 * math.random() },
  }
end
