-- SPDX-License-Identifier: Apache-2.0
-- A mixer: a paddle on a driven hinge, with flaps hinged to its ends, stirs balls in a trough.
local balls = param("balls", 24, "number of balls", { integer = true, min = 1, max = 1000 })
local limit = param("limit", 30.0, "of the motor, N m", { min = 0 })
simulation{ step = 1 / 500, end_time = 1.5, tolerance = 1e-7 }
material{ name = "steel", density = 7800 }
material{ name = "glass", density = 2500 }
pair{ friction = 0.3 }
ground{}
for _, side in ipairs{ { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
  body{
    kind = "fixed", shape = plane{}, position = { -0.36 * side[1], -0.12 * side[2], 0 },
    rotation = { axis = { -side[2], side[1], 0 }, angle = 90 },
  }
end
body{ name = "paddle", shape = box{ size = { 0.3, 0.2, 0.03 } }, material = "steel", position = { 0, 0, 0.33 } }
joint{ kind = "hinge", name = "drive", bodies = { "paddle" }, at = { 0, 0, 0.33 }, axis = { 0, 1, 0 }, motor = { velocity = 6, limit = limit } }
for _, side in ipairs{ -1, 1 } do
  local name = side < 0 and "left" or "right"
  body{ name = name, shape = box{ size = { 0.14, 0.2, 0.02 } }, material = "steel", position = { 0.22 * side, 0, 0.33 } }
  joint{
    kind = "hinge", bodies = { "paddle", name }, at = { 0.15 * side, 0, 0.33 }, axis = { 0, 1, 0 },
    range = { -0.7, 0.7 }, spring = { stiffness = 2, damping = 0.05 }, friction = 0.02,
  }
end
for i = 0, balls - 1 do
  local column, row, layer = i % 6, (i // 6) % 2, i // 12
  body{
    shape = sphere{ radius = 0.045 }, material = "glass",
    position = { (column - 2.5) * 0.11 + 0.003 * row, (row - 0.5) * 0.1, 0.06 + 0.1 * layer },
  }
end
