-- SPDX-License-Identifier: Apache-2.0
-- Box stack: boxes come down one on another, from two contacts to four under every box.
--
-- What to look for: each box starts tilted a little and lands on an edge, so two contact points
-- become four. At rest the force on the ground is the weight of the stack.

local boxes = param("boxes", 50, "number of boxes", { integer = true, min = 1, max = 10000 })
local friction = param("friction", 0.7, "Coulomb friction", { min = 0.0, max = 2.0 })
local drop = param("drop", 0.001, "gap under each box at the start, m", { min = 0.0, max = 1.0 })
local tilt = param("tilt", 0.5, "largest tilt of a box at the start, degrees", { min = 0.0, max = 5.0 })

title("Stack of " .. boxes .. " boxes")
simulation{ step = 1 / 400, end_time = 5.0 }

material{ name = "stone", density = 2000, colour = "stone" }
pair{ friction = friction, restitution = 0.0 }
ground{ material = "stone" }

local size = { 0.2, 0.2, 0.1 }
local shape = box{ size = size }
-- room for the tilt and the drop
local gap = drop + 0.5 * size[1] * math.sqrt(2) * math.sin(math.rad(tilt))

for i = 1, boxes do
  body{
    name = "box_" .. i,
    shape = shape,
    material = "stone",
    position = { 0, 0, (i - 0.5) * size[3] + i * gap },
    rotation = { axis = { 1, 0, 0 }, angle = tilt * (2 * math.random() - 1) },
  }
end

sensor{ name = "ground", body = "ground", quantity = "force" }
sensor{ name = "top", body = "box_" .. boxes, quantity = "position" }
