-- SPDX-License-Identifier: Apache-2.0
-- A four-bar linkage of hinges, three rows too many, whose rocker pushes boxes along the ground; a ram on
-- a slider pushes them back.
local speed = param("speed", 6.0, "of the crank, rad/s")
local boxes = param("boxes", 3, "number of boxes", { integer = true, min = 1, max = 20 })
simulation{ step = 1 / 500, end_time = 1.5, tolerance = 1e-7 }
material{ name = "steel", density = 7800 }
material{ name = "wood", density = 600 }
pair{ friction = 0.4 }
ground{}
local high, axis = 0.95, { 0, 1, 0 }
local function bar(name, from, to, y)
  local dx, dz = to[1] - from[1], to[3] - from[3]
  body{
    name = name, material = "steel", shape = box{ size = { math.sqrt(dx * dx + dz * dz), 0.02, 0.03 } },
    position = { 0.5 * (from[1] + to[1]), y, 0.5 * (from[3] + to[3]) },
    rotation = { axis = axis, angle = math.deg(-math.atan(dz, dx)) },
  }
end
-- a parallelogram-like linkage above the boxes; the rocker's arm hangs down among them
local o, a, c = { 0, 0, high }, { 0, 0, high + 0.15 }, { 0.8, 0, high }
local b = { 0.8, 0, high + 0.4 }
bar("crank", o, a, 0.1)
bar("coupler", a, b, 0.13)
bar("rocker", c, b, 0.1)
body{ name = "arm", material = "steel", shape = box{ size = { 0.04, 0.1, 0.85 } }, position = { 0.8, 0, high - 0.43 } }
joint{ kind = "hinge", bodies = { "crank" }, at = o, axis = axis, motor = { velocity = speed, limit = 80 } }
joint{ kind = "hinge", bodies = { "crank", "coupler" }, at = a, axis = axis }
joint{ kind = "hinge", bodies = { "coupler", "rocker" }, at = b, axis = axis, friction = 0.05 }
joint{ kind = "hinge", bodies = { "rocker" }, at = c, axis = axis }
joint{ kind = "fixed", bodies = { "rocker", "arm" }, at = c }
body{ name = "ram", material = "steel", shape = box{ size = { 0.3, 0.2, 0.1 } }, position = { 1.6, 0, 0.15 } }
joint{
  kind = "slider", bodies = { "ram" }, at = { 1.6, 0, 0.15 }, axis = { -1, 0, 0 }, range = { -0.2, 0.7 },
  spring = { stiffness = 300, damping = 20, rest = 0.4 }, friction = 2,
}
for i = 1, boxes do
  body{ shape = box{ size = { 0.15, 0.3, 0.15 } }, material = "wood", position = { 0.9 + 0.17 * (i - 1), 0.02 * i, 0.076 } }
end
