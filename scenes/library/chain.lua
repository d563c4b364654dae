-- SPDX-License-Identifier: Apache-2.0
-- Chain: stadium-shaped links hang in each other; the last one is thrown and the chain swings.
--
-- What to look for: every link bears on its neighbours in one to three points that slide, stick and
-- open as the chain whips. The force on the first link is what holds the chain.

local links = param("links", 11, "number of links, the first is held", { integer = true, min = 2, max = 200 })
local friction = param("friction", 0.3, "Coulomb friction", { min = 0.0, max = 2.0 })
local speed = param("speed", 3.0, "speed of the last link at the start, m/s", { min = 0.0, max = 20.0 })
local arc = param("arc_capsules", 3, "capsules that make a round end, an odd number", { integer = true, min = 3, max = 11 })
if arc % 2 == 0 then
  error("arc_capsules must be odd: the ends of two links hang flat on each other")
end

title("Chain of " .. links .. " links")
simulation{ step = 1 / 1000, end_time = 5.0 }

local density = 7800
material{ name = "steel", density = density, colour = "steel" }
pair{ friction = friction, restitution = 0.0 }

-- wire radius, radius of the round ends (centre of the wire), length of the straight parts; m
local wire, bend, straight = 0.01, 0.025, 0.06

-- capsule from a to b in the plane y = 0 of the link, as a member of the compound
local function rod(ax, az, bx, bz)
  local dx, dz = bx - ax, bz - az
  return {
    shape = capsule{ radius = wire, length = math.sqrt(dx * dx + dz * dz) },
    position = { 0.5 * (ax + bx), 0, 0.5 * (az + bz) },
    rotation = { axis = { 0, 1, 0 }, angle = math.deg(math.atan(dx, dz)) },
  }
end

local members = {
  rod(bend, -0.5 * straight, bend, 0.5 * straight),
  rod(-bend, -0.5 * straight, -bend, 0.5 * straight),
}
for _, side in ipairs{ 1, -1 } do
  for i = 1, arc do
    local from, to = math.pi * (i - 1) / arc, math.pi * i / arc
    members[#members + 1] = rod(
      bend * math.cos(from), side * (0.5 * straight + bend * math.sin(from)),
      bend * math.cos(to), side * (0.5 * straight + bend * math.sin(to)))
  end
end
local link = compound(members)
-- capsules that follow each other share their ends, which would count twice
local around = 2 * straight + 4 * arc * bend * math.sin(0.5 * math.pi / arc)
local mass = density * math.pi * wire * wire * around

-- the inside of the lowest point of a link meets the inside of the highest of the next; an odd number
-- of capsules makes an end flat, at the height of the middle chord
local reach = 0.5 * straight + bend * math.cos(0.5 * math.pi / arc)
local slack = 0.001
local pitch = 2 * reach - 2 * wire - slack

for i = 1, links do
  body{
    name = "link_" .. i,
    shape = link,
    material = "steel",
    mass = mass,
    kind = i == 1 and "fixed" or "dynamic",
    position = { 0, 0, -(i - 1) * pitch },
    rotation = { axis = { 0, 0, 1 }, angle = i % 2 == 0 and 90 or 0 },
    velocity = i == links and { speed, 0.3 * speed, 0 } or nil,
  }
end

sensor{ name = "hook", body = "link_1", quantity = "force" }
sensor{ name = "tip", body = "link_" .. links, quantity = "position" }
