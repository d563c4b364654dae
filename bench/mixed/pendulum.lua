-- SPDX-License-Identifier: Apache-2.0
-- A double pendulum of bars, with dry friction in its hinges, falls on a beam below it.
simulation{ step = 1 / 500, end_time = 1.5, tolerance = 1e-7 }
material{ name = "wood", density = 700 }
pair{ friction = 0.3 }
body{ name = "beam", kind = "fixed", shape = box{ size = { 0.3, 0.6, 0.1 } }, position = { 0.35, 0, -0.55 } }
for i = 1, 2 do
  body{ name = "bar_" .. i, shape = box{ size = { 0.5, 0.1, 0.04 } }, material = "wood", position = { 0.5 * (i - 0.5), 0, 0 } }
  joint{
    kind = "hinge", bodies = i == 1 and { "bar_1" } or { "bar_1", "bar_2" },
    at = { 0.5 * (i - 1), 0, 0 }, axis = { 0, 1, 0 }, friction = 0.1,
  }
end
