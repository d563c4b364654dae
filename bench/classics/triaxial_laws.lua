-- SPDX-License-Identifier: Apache-2.0
-- Triaxial test between six smooth walls by either family of laws, from the same dense packing.
--
-- Two plates on slides hold their stresses by plain forces, without a controller; the floor rises.
local common = require "triaxial_grains"
local porosity = param("porosity", 0.49, "of the packing between its walls", { min = 0.3, max = 0.6 })

local grains, diameter, mass, stress = common.grains, common.diameter, common.mass, common.stress
local rate, settled = common.rate, 0.05
title(string.format("Triaxial test of %d spheres", grains))
common.begin(settled)
material{ name = "wall" }
common.contact(common.friction)
common.contact(0, "glass", "wall")

local wide = diameter * (grains * math.pi / 6 / (1 - porosity) / 2) ^ (1 / 3)
local tall = 2 * wide
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
local thick, broad = 0.1 * wide, 1.6 * wide
local function plate(name, size, place, axis)
  body{
    name = name,
    material = "wall",
    shape = box{ size = size },
    mass = 0.05 * grains * mass,
    inertia = { 1e-3, 1e-3, 1e-3 },
    position = place,
    groups = 2,
    mask = 1,
  }
  joint{ kind = "slider", bodies = { name }, at = place, axis = axis }
end
plate("x plate", { thick, broad, 1.1 * tall }, { -0.5 * thick, 0.5 * broad, 0.5 * tall }, { 1, 0, 0 })
plate("y plate", { broad, thick, 1.1 * tall }, { wide - 0.5 * broad, wide + 0.5 * thick, 0.5 * tall }, { 0, 1, 0 })
body{
  name = "roof",
  kind = "fixed",
  material = "wall",
  shape = plane{},
  position = { 0, 0, tall },
  rotation = { axis = { 1, 0, 0 }, angle = 180 },
  groups = 2,
}
packing{
  region = { min = { 0, 0, 0 }, max = { wide, wide, tall } },
  size = common.size,
  material = "glass",
  method = "growth",
  porosity = porosity,
}
local function height(t) return tall * math.exp(-rate * math.max(t - settled, 0)) end
-- the plates push with the stress times what they cover of the sample as it is
local function x_push(t, sensor)
  local _, y = sensor("y")
  return stress * (y - 0.5 * thick) * height(t)
end
local function y_push(t, sensor)
  local x = sensor("x")
  return stress * (wide - x - 0.5 * thick) * height(t)
end
servo{ name = "x", body = "x plate", axis = { 1, 0, 0 }, force = x_push }
servo{ name = "y", body = "y plate", axis = { 0, -1, 0 }, force = y_push }
motion{ body = "floor", velocity = function(t) return 0, 0, t > settled and rate * height(t) or 0 end }
sensor{ name = "floor", body = "floor", quantity = "position" }
sensor{ name = "x", body = "x plate", quantity = "position" }
sensor{ name = "y", body = "y plate", quantity = "position" }
sensor{ name = "push", body = "roof", quantity = "force" }
sensor{ name = "x push", body = "x plate", quantity = "force" }
sensor{ name = "y push", body = "y plate", quantity = "force" }
