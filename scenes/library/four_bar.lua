-- SPDX-License-Identifier: Apache-2.0
-- Four-bar linkage: a crank turns at constant speed and drives a coupler and a rocker. All four
-- joints are hinges of five rows, three more rows than the loop can obey independently.
--
-- What to look for: the redundant rows do no harm, positions follow the closed form and the joints
-- stay shut to round-off. Let the crank be the shortest bar, with shortest + longest below the sum of
-- the other two (Grashof), or the motor with no limit will be asked for the impossible. The effort of
-- the motor over a turn sums to nothing but what friction takes.

local ground = param("ground", 1.0, "distance of the fixed hinges, m", { min = 0.01 })
local crank = param("crank", 0.3, "length of the crank, m", { min = 0.01 })
local coupler = param("coupler", 0.8, "length of the coupler, m", { min = 0.01 })
local rocker = param("rocker", 0.7, "length of the rocker, m", { min = 0.01 })
local speed = param("speed", 60.0, "of the crank, turns a minute")
local friction = param("friction", 0.0, "dry friction in the hinges, N m", { min = 0.0 })

title("Four-bar linkage")
simulation{ step = 1 / 1000, end_time = 4.0 }
material{ name = "steel", density = 7800 }

local shortest, longest = math.huge, 0
for _, bar in ipairs{ ground, crank, coupler, rocker } do
  shortest, longest = math.min(shortest, bar), math.max(longest, bar)
end
if crank > shortest or 2 * (shortest + longest) > ground + crank + coupler + rocker then
  error("the crank cannot turn: it must be the shortest bar, and shortest + longest at most half the sum")
end

-- the crank points up at the start; where the rocker meets the coupler
local diagonal = math.sqrt(ground * ground + crank * crank)
local along = (coupler ^ 2 - rocker ^ 2 + diagonal ^ 2) / (2 * diagonal)
local across = math.sqrt(coupler ^ 2 - along ^ 2)
local ux, uz = ground / diagonal, -crank / diagonal
local a = { 0, 0, crank }
local b = { a[1] + along * ux - across * uz, 0, a[3] + along * uz + across * ux }

local layer = 0
local function bar(name, from, to)
  local dx, dz = to[1] - from[1], to[3] - from[3]
  layer = layer + 1
  body{
    name = name,
    material = "steel",
    shape = box{ size = { math.sqrt(dx * dx + dz * dz), 0.02, 0.03 } },
    position = { 0.5 * (from[1] + to[1]), 0.03 * layer, 0.5 * (from[3] + to[3]) },
    rotation = { axis = { 0, 1, 0 }, angle = math.deg(-math.atan(dz, dx)) },
  }
end
bar("crank", { 0, 0, 0 }, a)
bar("coupler", a, b)
bar("rocker", { ground, 0, 0 }, b)

local axis = { 0, 1, 0 }
joint{
  kind = "hinge", name = "drive", bodies = { "crank" }, at = { 0, 0, 0 }, axis = axis,
  motor = { velocity = speed * math.pi / 30 },
}
joint{ kind = "hinge", name = "pin", bodies = { "crank", "coupler" }, at = a, axis = axis, friction = friction }
joint{ kind = "hinge", name = "knee", bodies = { "coupler", "rocker" }, at = b, axis = axis, friction = friction }
joint{ kind = "hinge", name = "pivot", bodies = { "rocker" }, at = { ground, 0, 0 }, axis = axis, friction = friction }

sensor{ name = "crank", joint = "drive", quantity = "coordinate" }
sensor{ name = "motor", joint = "drive", quantity = "effort" }
sensor{ name = "rocker", joint = "pivot", quantity = "coordinate" }
sensor{ name = "pivot", joint = "pivot", quantity = "force" }
