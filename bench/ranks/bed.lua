-- SPDX-License-Identifier: Apache-2.0
-- The bed of bench/dem as a scene, from the rows { x, y, z, radius } of rows.lua beside it.
local side = param("side", 0.665, "m, of the floor", { min = 0.01 })
simulation{ step = 2e-5, end_time = 1, threads = 1 }
material{ name = "glass", density = 2500 }
pair{ law = "hooke", normal_stiffness = 1e4, tangential_stiffness = 2857, damping = "mass", normal_damping = 885, friction = 0.5 }
local function wall(position, axis, angle)
    body{ kind = "fixed", shape = plane{}, position = position, rotation = { axis = axis, angle = angle }, material = "glass" }
end
wall({ 0, 0, 0 }, { 1, 0, 0 }, 0)
wall({ 0, 0, 0 }, { 0, 1, 0 }, 90)
wall({ side, 0, 0 }, { 0, 1, 0 }, -90)
wall({ 0, 0, 0 }, { 1, 0, 0 }, -90)
wall({ 0, side, 0 }, { 1, 0, 0 }, 90)
for _, row in ipairs(require "rows") do
    body{ shape = sphere{ radius = row[4] }, position = { row[1], row[2], row[3] }, material = "glass" }
end
