-- SPDX-License-Identifier: Apache-2.0
-- Domino: a row of dominoes, the first one pushed over.
--
-- What to look for: after ten dominoes or so the wave runs at a speed of its own, whatever the push;
-- behind its front a train of dominoes leans each on the next, all still pushing. The sensors tell
-- when the wave passes the middle of the row and its end: 1.24 m/s without friction between the
-- dominoes, less with it.

local dominoes = param("dominoes", 40, "number of dominoes", { integer = true, min = 2, max = 10000 })
local gap = param("gap", 0.016, "clear distance of neighbours, m", { min = 1e-4, max = 1.0 })
local friction = param("friction", 0.2, "Coulomb friction between dominoes", { min = 0.0, max = 2.0 })
local push = param("push", 4.0, "angular velocity of the first domino at the start, rad/s", { min = 0.0, max = 100.0 })
local bend = param("bend", 0.0, "the row turns by so much in all, degrees", { min = -180.0, max = 180.0 })

title("Row of " .. dominoes .. " dominoes")
simulation{ step = 1 / 2000, end_time = 1.5 }

material{ name = "table", density = 1000 }
material{ name = "domino", density = 1200 }
pair{ friction = friction, restitution = 0.0 }
-- rough enough for the feet not to slip
pair{ "table", "domino", friction = 1.0, restitution = 0.0 }
ground{ material = "table", colour = "#c4b092" }

-- along the row, from its first
camera{ azimuth = -160, elevation = 16 }

local thickness, width, height = 0.008, 0.024, 0.048
local shape = box{ size = { thickness, width, height } }

-- along an arc, the chord between neighbours is one pitch
local pitch = gap + thickness
local turn = math.rad(bend) / math.max(1, dominoes - 1)
local x, y = 0, 0
for i = 1, dominoes do
  local heading = (i - 1) * turn
  if i > 1 then
    x, y = x + pitch * math.cos(heading - 0.5 * turn), y + pitch * math.sin(heading - 0.5 * turn)
  end
  body{
    name = "domino_" .. i,
    shape = shape,
    material = "domino",
    position = { x, y, 0.5 * height },
    rotation = { axis = { 0, 0, 1 }, angle = math.deg(heading) },
    -- the first turns about its foremost edge
    velocity = i == 1 and { 0.5 * push * height, 0, 0.5 * push * thickness } or nil,
    angular_velocity = i == 1 and { 0, push, 0 } or nil,
  }
end

for _, place in ipairs{ { "middle", (dominoes + 1) // 2 }, { "last", dominoes } } do
  sensor{ name = place[1], body = "domino_" .. place[2], quantity = "angular_velocity" }
end
