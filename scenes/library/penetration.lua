-- SPDX-License-Identifier: Apache-2.0
-- Penetration: a ball falls into a bed of grains and comes to rest in it.
--
-- What to look for: the depth d that the ball reaches goes with the third root of the way H that it falls
-- in all, d included, as in d = 0.14/tan(angle of repose) (density of the ball/density of the bed)^(1/2)
-- diameter^(2/3) H^(1/3) for small grains; the time that it takes to stop hardly depends on its speed.

local drop = param("drop", 2.0, "way from the ball to the bed, in diameters of the ball", { min = 0.0, max = 200.0 })
local ratio = param("density_ratio", 2.0, "density of the ball over that of a grain", { min = 0.1, max = 20.0 })
local ball = param("ball", 5.0, "diameter of the ball, in grains", { min = 2.0, max = 50.0 })
local width = param("width", 4.0, "of the bed, in diameters of the ball", { min = 2.0, max = 50.0 })
local depth = param("depth", 2.2, "of the bed, in diameters of the ball", { min = 0.5, max = 50.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local seed = param("packing_seed", 1, "of the packing", { integer = true, min = 0, max = 1000000 })

local grain, density, gravity, settled = 0.002, 2500, 9.81, 0.06
local diameter = ball * grain
local wide, deep = width * diameter, depth * diameter
local fall = drop * diameter
local speed = math.sqrt(2 * gravity * (fall + diameter))
local mass = density * math.pi / 6 * grain ^ 3
-- springs that a ball of this speed would compress by 2 % of its diameter at once
local stiffness = 0.5 * ratio * density * speed ^ 2 * ball * grain / 0.02
title(string.format("A ball falls by %g diameters into grains", drop))
simulation{
  step = math.pi * math.sqrt(mass / (2 * stiffness)) / 16,
  end_time = settled + math.sqrt(2 * fall / gravity) + 12 * math.sqrt(diameter / gravity),
}
output{ energy_every = 20 }
material{ name = "grain", density = density, colour = "sand" }
material{ name = "ball", density = ratio * density, colour = "steel" }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.5 }

ground{ material = "grain" }
for name, side in pairs{ left = { -1, 0 }, right = { 1, 0 }, front = { 0, -1 }, back = { 0, 1 } } do
  body{
    name = name,
    kind = "fixed",
    shape = plane{},
    position = { 0.5 * wide * side[1], 0.5 * wide * side[2], 0 },
    rotation = { axis = { side[2], -side[1], 0 }, angle = 90 },
  }
end
local count = packing{
  region = { min = { -0.5 * wide, -0.5 * wide, 0 }, max = { 0.5 * wide, 0.5 * wide, deep } },
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "grain",
  method = "growth",
  porosity = 0.41 + 0.08 / ball,
  seed = seed,
}
print(count .. " grains")

-- the ball is held while the bed settles
body{
  name = "ball",
  material = "ball",
  shape = sphere{ radius = 0.5 * diameter },
  position = { 0, 0, deep + 0.5 * diameter + fall },
}
local weight = ratio * density * math.pi / 6 * diameter ^ 3 * gravity
load{ body = "ball", force = { 0, 0, function(t) return t < settled and weight or 0 end } }
sensor{ name = "ball", body = "ball", quantity = "position" }
sensor{ name = "contact", body = "ball", quantity = "force" }
