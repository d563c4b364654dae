-- SPDX-License-Identifier: Apache-2.0
-- Sphere heap: columns of spheres fall on the floor, heap up and roll apart, under any contact law.
--
-- What to look for: under `--law signorini_coulomb` and `--law hertz_mindlin` (the scene's own) the
-- spheres spread alike, and at the end the floor bears their weight. Rigid spheres take a step 20
-- times as long: add `--step 0.004 --energy-every 1`. `cairn compare` holds two such runs against
-- each other.

local spheres = param("spheres", 300, "number of spheres", { integer = true, min = 1, max = 100000 })
local radius = param("radius", 0.05, "mean radius, m", { min = 1e-4, max = 1.0 })
local spread = param("spread", 0.2, "radii vary by this share", { min = 0.0, max = 0.5 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local young = param("young", 5e7, "Young's modulus of explicit laws, Pa", { min = 1e5, max = 1e12 })

title("Heap of " .. spheres .. " spheres")
simulation{ step = 1 / 5000, end_time = 2.0 }
output{ energy_every = 20 }

material{ name = "stone", density = 2500 }
-- the rigid law takes friction and restitution of these, and leaves the others out
pair{
  law = "hertz_mindlin",
  young_modulus = young,
  poisson_ratio = 0.25,
  friction = friction,
  restitution = 0.2,
}
ground{ material = "stone" }

local columns = math.max(1, math.floor((spheres / 2) ^ (1 / 3)))
local pitch = 2.02 * radius * (1 + spread)
for i = 0, spheres - 1 do
  local x, y, z = i % columns, i // columns % columns, i // (columns * columns)
  local r = radius * (1 + spread * (2 * math.random() - 1))
  -- a little out of line, so that columns do not stand
  local dx, dy = 0.01 * radius * (math.random() - 0.5), 0.01 * radius * (math.random() - 0.5)
  body{
    name = "sphere_" .. i + 1,
    shape = sphere{ radius = r },
    material = "stone",
    position = {
      (x - 0.5 * (columns - 1)) * pitch + dx,
      (y - 0.5 * (columns - 1)) * pitch + dy,
      (z + 0.5) * pitch,
    },
  }
end

sensor{ name = "floor", body = "ground", quantity = "force" }
