-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test in a box: smooth walls, of which two are plates on slides that hold a stress while the floor rises.
--
-- What to look for: the force on the roof over its area, and with it the friction angle, come to those of the
-- periodic cell of `triaxial`. Smooth walls order the grains beside them, which makes the sample weaker the
-- smaller it is; the sensor `sample` keeps two grains away from them.

local grains = param("grains", 1500, "number of spheres", { integer = true, min = 200, max = 100000 })
local friction = param("friction", 0.5, "Coulomb friction of the spheres", { min = 0.0, max = 2.0 })
local stress = param("stress", 1000, "confining stress, Pa", { min = 1.0, max = 1e7 })
local strain = param("strain", 0.2, "axial strain at the end, logarithmic", { min = 0.0, max = 1.0 })
local rate = param("rate", 0.15, "axial strain rate, 1/s", { min = 1e-4, max = 10.0 })

local diameter, density, settled = 0.01, 2500, 0.4
-- springs that the confining stress compresses by a two-thousandth of a diameter
local stiffness = 2000 * stress * diameter
local mass = density * math.pi / 6 * diameter ^ 3
title(string.format("Triaxial test of %d spheres in a box", grains))
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 14, end_time = settled + strain / rate }
output{ energy_every = 100 }
gravity{ 0, 0, 0 }
material{ name = "glass", density = density }
material{ name = "wall" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.3 }
pair{ "glass", "wall", law = "hooke", normal_stiffness = stiffness, friction = 0, restitution = 0.3 }

-- twice as high as wide; the packing begins loose
local share = 0.58 - 0.4 / grains ^ (1 / 3)
local wide = diameter * (grains * math.pi / 6 / share / 2) ^ (1 / 3)
local tall = 2 * wide
-- planes turn their upper sides inwards; the floor rises, and the roof comes to rest with the packing
for name, place in pairs{ x = { { wide, 0, 0 }, { 0, 1, 0 } }, y = { { 0, 0, 0 }, { 1, 0, 0 } } } do
  body{
    name = name .. " wall",
    kind = "fixed",
    material = "wall",
    shape = plane{},
    position = place[1],
    rotation = { axis = place[2], angle = -90 },
    groups = 2,
  }
end
body{ name = "floor", kind = "moving", material = "wall", shape = plane{}, groups = 2 }
body{
  name = "roof",
  kind = "moving",
  material = "wall",
  shape = plane{},
  position = { 0, 0, tall },
  rotation = { axis = { 1, 0, 0 }, angle = 180 },
  groups = 2,
}
-- the walls that hold the stress, at -x and +y, are plates on slides: they feel the force as it is, without a controller
local thick, broad = 0.1 * wide, 1.4 * wide
local function plate(name, size, place, axis)
  body{
    name = name,
    material = "wall",
    shape = box{ size = size },
    mass = 0.05 * grains * mass,
    inertia = { 1e-3, 1e-3, 1e-3 },
    position = place,
    -- it touches grains alone
    groups = 2,
    mask = 1,
  }
  joint{ kind = "slider", bodies = { name }, at = place, axis = axis }
end
plate("x plate", { thick, broad, 1.1 * tall }, { -0.5 * thick, 0.5 * broad, 0.5 * tall }, { 1, 0, 0 })
plate("y plate", { broad, thick, 1.1 * tall }, { wide - 0.5 * broad, wide + 0.5 * thick, 0.5 * tall }, { 0, 1, 0 })
packing{
  region = { min = { 0, 0, 0 }, max = { wide, wide, tall } },
  size = sizes{ "uniform", min = 0.8 * diameter, max = 1.2 * diameter },
  material = "glass",
  method = "growth",
  count = grains,
}
local strained = settled + strain / rate
local function height(t) return tall * math.exp(-rate * math.max(math.min(t, strained) - settled, 0)) end
-- the plates push with the stress on what they cover of the sample as it is
local function push(width)
  return function(t, sensor)
    local _, _, roof = sensor("roof")
    local _, _, floor = sensor("floor")
    return stress * width(sensor) * (roof - floor)
  end
end
local function along_x(sensor)
  local x = sensor("x")
  return wide - x - 0.5 * thick
end
local function along_y(sensor)
  local _, y = sensor("y")
  return y - 0.5 * thick
end
servo{ name = "x", body = "x plate", axis = { 1, 0, 0 }, force = push(along_y) }
servo{ name = "y", body = "y plate", axis = { 0, -1, 0 }, force = push(along_x) }
servo{ name = "roof", body = "roof", axis = { 0, 0, -1 }, force = stress * wide ^ 2, speed = 0.2, to = settled }
-- held at the strain where a run is asked to go on
motion{
  body = "floor",
  velocity = function(t) return 0, 0, t > settled and t <= strained and rate * height(t) or 0 end,
}

-- inside at all times: the sample rises with the floor and widens towards -x and +y
local away = math.min(2 * diameter, wide / 4)
sensor{
  name = "sample",
  region = {
    min = { 1.5 * away, away, tall * (1 - math.exp(-strain)) + away },
    max = { wide - away, wide - 1.5 * away, 0.95 * tall - away },
  },
  quantity = "stress",
}
sensor{ name = "roof", body = "roof", quantity = "position" }
sensor{ name = "floor", body = "floor", quantity = "position" }
sensor{ name = "x", body = "x plate", quantity = "position" }
sensor{ name = "y", body = "y plate", quantity = "position" }
sensor{ name = "push", body = "roof", quantity = "force" }
sensor{ name = "side", body = "x plate", quantity = "force" }
