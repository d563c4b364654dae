-- SPDX-License-Identifier: Apache-2.0
-- A bed of a million spheres that falls together in a box and comes to rest: a whole run of the sphere executor.
local count = param("count", 1e6, "grains", { min = 100, max = 2e7 })
local depth = param("depth", 20.0, "height of the bed at rest, in grains", { min = 3.0, max = 1000.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local grain, density, gravity = 0.005, 2500, 9.81
-- so wide that the grains, 0.58 of the volume at rest, are as deep as asked for
local width = grain * math.sqrt(count * math.pi / 6 / 0.58 / depth)
local mass = density * math.pi / 6 * grain ^ 3
local stiffness = mass * gravity * depth / (0.002 * grain)
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 16, end_time = 0.35 }
title(string.format("%d spheres come to rest", count))
material{ name = "glass", density = density }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.5 }
for _, wall in ipairs{
  { at = { 0, 0, 0 }, axis = { 1, 0, 0 }, angle = 0 },
  { at = { 0, 0, 0 }, axis = { 0, 1, 0 }, angle = 90 },
  { at = { width, 0, 0 }, axis = { 0, 1, 0 }, angle = -90 },
  { at = { 0, 0, 0 }, axis = { 1, 0, 0 }, angle = -90 },
  { at = { 0, width, 0 }, axis = { 1, 0, 0 }, angle = 90 },
} do
  body{ kind = "fixed", material = "glass", shape = plane{}, position = wall.at,
        rotation = { axis = wall.axis, angle = wall.angle } }
end
packing{
  region = { min = { 0, 0, 0 }, max = { width, width, depth * grain * 0.58 / 0.2 } },
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "glass",
  method = "random",
  count = count,
}
