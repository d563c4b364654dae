-- SPDX-License-Identifier: Apache-2.0
-- Pyramid of boxes in one plane, for bench/fclib/frictions.py: every box rests on two, four contacts on each.
local rows = param("rows", 12, "rows", { integer = true, min = 1, max = 400 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0, max = 5 })

title(string.format("Pyramid of %d rows", rows))
simulation{ step = 0.005, end_time = 1 }
material{ name = "stone", density = 2000 }
pair{ friction = friction, restitution = 0 }
ground{ material = "stone" }

local side, pitch = 0.2, 0.25
local shape = box{ size = { side, side, side } }
for row = 1, rows do
  local count = rows - row + 1
  for i = 1, count do
    body{
      shape = shape,
      material = "stone",
      position = { pitch * (i - 0.5 * (count + 1)), 0, (row - 0.5) * side },
    }
  end
end
