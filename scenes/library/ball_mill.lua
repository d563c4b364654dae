-- SPDX-License-Identifier: Apache-2.0
-- Ball mill: steel balls and ore of clumps of three spheres tumble in a drum with lifters.
--
-- What to look for: the charge climbs to a shoulder and falls to a toe, balls and ore apart in speed but
-- not in place. The mean torque on the drum times its speed is the power that the mill draws;
-- mills are sized by Bond's formula for it. Beyond the critical speed the charge stays at the shell.

local filling = param("filling", 0.3, "share of the drum's volume that the charge takes, voids included", { min = 0.05, max = 0.5 })
local share = param("critical", 0.75, "speed over the critical speed", { min = 0.05, max = 1.5 })
local ore = param("ore", 0.2, "share of the charge's solid volume that is ore", { min = 0.0, max = 0.9 })
local diameter = param("diameter", 1.0, "of the drum inside the lifters' feet, m", { min = 0.3, max = 10.0 })
local length = param("length", 0.25, "of the drum, m", { min = 0.1, max = 10.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local lifters = param("lifters", 8, "number of lifters", { integer = true, min = 0, max = 24 })
local turns = param("turns", 3.0, "turns of the drum", { min = 0.0, max = 1000.0 })

local ball, rock, steel, stone, gravity = 0.05, 0.03, 7800, 2700, 9.81
local radius = 0.5 * diameter
local speed = share * math.sqrt(gravity / (radius - 0.5 * ball))
local mass = 0.029 -- of a clump, kg
-- springs that a ball at the speed of the shell compresses by 3 % of its diameter
local stiffness = steel * math.pi / 6 * ball ^ 3 * (speed * radius / (0.03 * ball)) ^ 2
title(string.format("Ball mill at %g of its critical speed", share))
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / 14, end_time = 0.2 + 2 * math.pi * turns / speed }
output{ energy_every = 50 }
camera{ azimuth = -90, elevation = 10, min = { -0.55 * diameter, -0.5 * length, -0.55 * diameter }, max = { 0.55 * diameter, 0.5 * length, 0.55 * diameter } }
material{ name = "steel", density = steel, colour = "steel" }
material{ name = "stone", density = stone, colour = "#b8864e" }
material{ name = "end", density = steel }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.4 }
for _, name in ipairs{ "steel", "stone" } do
  pair{ name, "end", law = "hooke", normal_stiffness = stiffness, friction = 0.1, restitution = 0.4 }
end

-- the shell: staves, and bars of half a ball's height on them
local members, staves = {}, 48
local function bar(angle, from, to, across)
  members[#members + 1] = {
    shape = box{ size = { to - from, length + 0.1, across } },
    position = { 0.5 * (from + to) * math.cos(angle), 0, 0.5 * (from + to) * math.sin(angle) },
    rotation = { axis = { 0, 1, 0 }, angle = -math.deg(angle) },
  }
end
for i = 1, staves do
  bar(2 * math.pi * i / staves, radius, 1.06 * radius, 2.14 * radius * math.tan(math.pi / staves))
end
for i = 1, lifters do bar(2 * math.pi * i / lifters, radius - 0.5 * ball, radius, 0.8 * ball) end
body{
  name = "shell",
  kind = "moving",
  material = "steel",
  shape = compound(members),
  angular_velocity = { 0, -speed, 0 },
}
for side = -1, 1, 2 do
  body{
    name = side < 0 and "front" or "back",
    kind = "moving",
    material = "end",
    shape = plane{},
    position = { 0, 0.5 * side * length, 0 },
    rotation = { axis = { 1, 0, 0 }, angle = 90 * side },
    angular_velocity = { 0, -speed, 0 },
  }
end

-- three spheres at the corners of a triangle, each touching the axis
local clump = compound{
  { shape = sphere{ radius = 0.01 }, position = { 0.0075, 0, 0 } },
  { shape = sphere{ radius = 0.01 }, position = { -0.00375, 0.0065, 0 } },
  { shape = sphere{ radius = 0.01 }, position = { -0.00375, -0.0065, 0 } },
}
-- the charge lies in a grid of the lower part of the drum, which it leaves loose; it comes to rest within 0.2 s
local solid = 0.6 * filling * math.pi * radius ^ 2 * length
local balls = math.floor((1 - ore) * solid / (math.pi / 6 * ball ^ 3))
local rocks = math.floor(ore * solid / (math.pi / 6 * rock ^ 3))
local inside = radius - ball
local function fill(count, shape, size, material, from)
  if count == 0 then return from end
  local made, across = 0, math.floor(length / (1.02 * size))
  local z = from + 0.51 * size
  while made < count do
    local reach = inside ^ 2 - z ^ 2
    if reach <= 0 then error("the charge does not fit: less filling") end
    local columns = math.floor(2 * (math.sqrt(reach) - 0.5 * size) / (1.02 * size))
    for i = 0, columns - 1 do
      for j = 0, across - 1 do
        if made < count then
          made = made + 1
          body{
            shape = shape,
            material = material,
            position = { (i - 0.5 * (columns - 1)) * 1.02 * size, (j - 0.5 * (across - 1)) * 1.02 * size, z },
          }
        end
      end
    end
    z = z + 1.02 * size
  end
  return z
end
fill(rocks, clump, 0.036, "stone", fill(balls, sphere{ radius = 0.5 * ball }, ball, "steel", -0.96 * inside))
print(balls .. " balls, " .. rocks .. " clumps, speed " .. speed .. " rad/s")
sensor{ name = "shell", body = "shell", quantity = "torque" }
