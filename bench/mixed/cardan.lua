-- SPDX-License-Identifier: Apache-2.0
-- A driven shaft turns a second one by a universal joint that bends no further than its limit; the second
-- shaft's end carries a hammer on a rod and rests on a block.
simulation{ step = 1 / 500, end_time = 1.5, tolerance = 1e-7 }
local speed = param("speed", 8.0, "of the first shaft, rad/s")
local limit = param("bend", 0.25, "limit of the joint, rad", { min = 0.01, max = 1 })
material{ name = "steel", density = 7800 }
pair{ friction = 0.3 }
ground{}
body{ name = "first", material = "steel", shape = box{ size = { 0.4, 0.04, 0.04 } }, position = { 0.2, 0, 0.5 } }
body{ name = "second", material = "steel", shape = box{ size = { 0.5, 0.08, 0.08 } }, position = { 0.65, 0, 0.5 } }
body{ name = "hammer", material = "steel", shape = sphere{ radius = 0.07 }, position = { 0.9, 0, 0.2 } }
body{ name = "loose", material = "steel", shape = box{ size = { 0.2, 0.2, 0.1 } }, position = { 0.95, 0.02, 0.051 } }
body{ name = "block", kind = "fixed", shape = box{ size = { 0.08, 0.5, 0.38 } }, position = { 0.7, 0, 0.19 } }
joint{ kind = "hinge", bodies = { "first" }, at = { 0, 0, 0.5 }, axis = { 1, 0, 0 }, motor = { velocity = speed, limit = 60 } }
joint{
  kind = "universal", name = "cross", bodies = { "first", "second" }, at = { 0.4, 0, 0.5 },
  axis = { 0, 0, 1 }, axis_b = { 0, 1, 0 }, range = { 0, limit },
}
joint{ kind = "rod", bodies = { "second", "hammer" }, at = { 0.9, 0, 0.5 }, to = { 0.9, 0, 0.2 } }
