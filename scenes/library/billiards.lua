-- SPDX-License-Identifier: Apache-2.0
-- Billiards: the break of a rack of fifteen, or one ball cut by another.
--
-- What to look for: with `shot=break` the rack bursts within a few milliseconds, the balls first
-- slide on the cloth and then roll. With `shot=cut` a rolling cue ball hits another under the angle
-- `cut`; without friction between the balls the other leaves along the line of centres, and the
-- cue ball ends, after its slide, at atan(sin cos / (sin^2 + 2/5)) from where it came: 33.7 degrees
-- for 30 degrees.

local shot = param("shot", "break", "what is played", { choices = { "break", "cut" } })
local speed = param("speed", 7.0, "speed of the cue ball, m/s", { min = 0.0, max = 30.0 })
local cut = param("cut", 30.0, "angle of the line of centres against the shot, degrees", { min = -85.0, max = 85.0 })
local restitution = param("restitution", 0.95, "of ball on ball", { min = 0.0, max = 1.0 })
local friction = param("friction", 0.05, "Coulomb friction of ball on ball", { min = 0.0, max = 1.0 })
local rolling = param("rolling_friction", 0.01, "rolling friction on the cloth", { min = 0.0, max = 1.0 })
local young = param("young", 1e8, "Young's modulus, Pa; real balls have 2e9", { min = 1e6, max = 1e10 })

title(shot == "break" and "Billiards: the break" or "Billiards: cut at " .. cut .. " degrees")
-- half the stable step of the explicit law, which goes with the root of the stiffness
simulation{ step = 2e-5 * math.sqrt(1e8 / young), end_time = 3.0 }
output{ energy_every = 50 }

material{ name = "ball", density = 1700 }
material{ name = "cloth", density = 1000 }
material{ name = "cushion", density = 1000 }
local function touch(a, b, values)
  values[1], values[2] = a, b
  values.law, values.young_modulus, values.poisson_ratio = "hertz_mindlin", young, 0.3
  pair(values)
end
touch("ball", "ball", { friction = friction, restitution = restitution })
touch("ball", "cloth", { friction = 0.2, restitution = 0.5, rolling_friction = rolling })
touch("ball", "cushion", { friction = 0.2, restitution = 0.8 })

local radius = 0.0286
local length, width, height, thick = 2.54, 1.27, 0.036, 0.05
ground{ material = "cloth", colour = "cloth" }
camera{ elevation = 34, min = { -1.32, -0.69, 0 }, max = { 1.32, 0.69, 0.04 } }
local function cushion(name, x, y, size_x, size_y)
  body{
    name = name,
    kind = "fixed",
    material = "cushion",
    colour = "#6b4226ff",
    shape = box{ size = { size_x, size_y, height } },
    position = { x, y, 0.5 * height },
  }
end
for _, side in ipairs{ -1, 1 } do
  local end_name, side_name = side < 0 and "head" or "foot", side < 0 and "right" or "left"
  cushion(end_name, side * 0.5 * (length + thick), 0, thick, width + 2 * thick)
  cushion(side_name, 0, side * 0.5 * (width + thick), length, thick)
end

local shape = sphere{ radius = radius }
local function ball(name, x, y, velocity)
  body{
    name = name,
    shape = shape,
    material = "ball",
    colour = name == "cue" and "white" or nil,
    position = { x, y, radius },
    velocity = { velocity, 0, 0 },
    -- it rolls
    angular_velocity = { 0, velocity / radius, 0 },
  }
end

local spot = 0.25 * length
if shot == "break" then
  ball("cue", -spot, 0.2 * radius, speed)
  local count = 0
  for row = 0, 4 do
    for place = 0, row do
      count = count + 1
      -- as good as touching
      local pitch = 2.001 * radius
      ball("ball_" .. count, spot + row * pitch * math.sqrt(0.75), (place - 0.5 * row) * pitch, 0)
    end
  end
else
  local angle = math.rad(cut)
  ball("cue", -spot, -2 * radius * math.sin(angle), speed)
  ball("ball_1", 0, 0, 0)
end

sensor{ name = "cue", body = "cue", quantity = "velocity" }
sensor{ name = "ball_1", body = "ball_1", quantity = "velocity" }
