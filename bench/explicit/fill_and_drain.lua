-- SPDX-License-Identifier: Apache-2.0
-- Grains of two shapes pour into a box with an open floor and leave below, as long as it runs.
-- cairn run fill_and_drain.lua --trajectory-every 0
local rate = param("rate", 4000, "grains a second", { min = 1, max = 1e6 })
local d = 0.01
title("grains that come and go")
local mass = 2500 * math.pi / 6 * d ^ 3
local step = 1e-4
simulation{ step = step, end_time = param("end_time", 3600, "s", { min = step, max = 1e6 }) }
output{ energy_every = 10000, paraview = "none" }
material{ name = "glass", density = 2500 }
pair{ law = "hooke", normal_stiffness = mass * (math.pi / (20 * step)) ^ 2 / 2, friction = 0.4, restitution = 0.4 }
local wall = box{ size = { 0.02, 0.24, 0.6 } }
for side = -1, 1, 2 do
  body{ kind = "fixed", shape = wall, material = "glass", position = { 0.11 * side, 0, 0.3 } }
  body{ kind = "fixed", shape = wall, material = "glass", position = { 0, 0.11 * side, 0.3 },
        rotation = { axis = { 0, 0, 1 }, angle = 90 } }
  -- the floor leaves a slot
  body{ kind = "fixed", shape = box{ size = { 0.07, 0.2, 0.02 } }, material = "glass", position = { 0.065 * side, 0, -0.01 } }
end
local ball = sphere{ radius = 0.5 * d }
local rod = compound{ { shape = sphere{ radius = 0.4 * d }, position = { -0.3 * d, 0, 0 } },
                      { shape = sphere{ radius = 0.4 * d }, position = { 0.3 * d, 0, 0 } } }
emitter{ region = { min = { -0.09, -0.09, 0.5 }, max = { 0.09, 0.09, 0.7 } },
         grains = { { shape = ball, material = "glass", share = 0.8 }, { shape = rod, material = "glass", share = 0.2 } },
         rate = rate, velocity = { 0, 0, -1 } }
outlet{ region = { min = { -1, -1, -2 }, max = { 1, 1, -0.3 } } }
