-- SPDX-License-Identifier: Apache-2.0
-- Box stack: boxes come down one on another, from one contact to four under every box.
--
-- What to look for: each box lands turned a little, so a contact point becomes an edge and then a
-- face. At rest the force on the ground is the weight of the stack.

local boxes = param("boxes", 50, "number of boxes", { min = 1, max = 10000 })
local friction = param("friction", 0.7, "Coulomb friction", { min = 0.0, max = 2.0 })
local drop = param("drop", 0.001, "gap under each box at the start, m", { min = 0.0, max = 1.0 })
local turn = param("turn", 3.0, "largest turn of a box about the vertical, degrees", { min = 0.0, max = 45.0 })

title("Stack of " .. boxes .. " boxes")
simulation{ step = 1 / 400, end_time = 1.0 }

material{ name = "stone", density = 2000 }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "stone" }

local size = { 0.2, 0.2, 0.1 }
local shape = box{ size = size }

for i = 1, boxes do
  body{
    name = "box_" .. i,
    shape = shape,
    material = "stone",
    position = { 0, 0, (i - 0.5) * size[3] + i * drop },
    rotation = { axis = { 0, 0, 1 }, angle = turn * (2 * math.random() - 1) },
  }
end

sensor{ name = "ground", body = "ground", quantity = "force" }
sensor{ name = "top", body = "box_" .. boxes, quantity = "position" }
