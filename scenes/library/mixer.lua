-- SPDX-License-Identifier: Apache-2.0
-- Mixer: a drum with lifters turns about its axis and mixes two halves of grains.
--
-- What to look for: the bed climbs with the wall to the angle where its surface starts to flow;
-- the lifters carry grains up and let them fall. The two halves mix within a few turns. The torque
-- on the drum is what a motor has to give.

local grains = param("grains", 240, "number of grains", { integer = true, min = 2, max = 100000 })
local speed = param("speed", 30.0, "turns in a minute", { min = -600.0, max = 600.0 })
local lifters = param("lifters", 6, "number of lifters", { integer = true, min = 0, max = 24 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local fill = param("fill", 0.4, "share of the drum that the grains fill", { min = 0.05, max = 0.8 })

title("Mixer with " .. grains .. " grains")
simulation{ step = 1.5e-4, end_time = 4.0 }
output{ energy_every = 20 }

camera{ azimuth = -90, elevation = 8 }
material{ name = "red", density = 2500, colour = "red" }
material{ name = "blue", density = 2500, colour = "blue" }
material{ name = "steel", density = 7800 }
material{ name = "glass", density = 2500 }
local stiffness = 3e4
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = 0.3 }
for _, grain in ipairs{ "red", "blue" } do
  pair{ grain, "glass", law = "hooke", normal_stiffness = stiffness, friction = 0.05, restitution = 0.3 }
end

-- the drum's length is three grains; its radius follows from the filling (grains fill 0.55 of a bed)
local grain = 0.02
local length = 6.6 * grain
local volume = grains * 4 / 3 * math.pi * grain ^ 3 / 0.55
local radius = math.sqrt(volume / (fill * length * math.pi))

-- staves in a circle, lifters within
local staves = 36
local thickness = 0.1 * radius
local members = {}
local function plate(angle, from, to, across)
  members[#members + 1] = {
    shape = box{ size = { to - from, length, across } },
    position = { 0.5 * (from + to) * math.cos(angle), 0, 0.5 * (from + to) * math.sin(angle) },
    rotation = { axis = { 0, 1, 0 }, angle = -math.deg(angle) },
  }
end
for i = 1, staves do
  -- wide enough to leave no gap outside
  plate(2 * math.pi * i / staves, radius, radius + thickness,
        2 * (radius + thickness) * math.tan(math.pi / staves))
end
for i = 1, lifters do
  plate(2 * math.pi * i / lifters, radius - 3 * grain, radius, 0.8 * grain)
end
local height = radius + 2 * thickness
body{
  name = "drum",
  kind = "moving",
  material = "steel",
  shape = compound(members),
  position = { 0, 0, height },
  angular_velocity = { 0, 2 * math.pi * speed / 60, 0 },
}
-- the ends stand still and are smooth
for _, side in ipairs{ -1, 1 } do
  body{
    name = side < 0 and "front" or "back",
    kind = "fixed",
    material = "glass",
    shape = box{ size = { 2 * height, 0.02, 2 * height } },
    position = { 0, side * (0.5 * length + 0.011), height },
  }
end

-- grains in a grid over the lower part, the left half red
local shapes = {}
for i = 1, 3 do shapes[i] = sphere{ radius = grain * (0.85 + 0.05 * i) } end
local pitch = 2.05 * grain
local reach = radius - 1.1 * grain
local function clear_of_lifters(x, z)
  for i = 1, lifters do
    local c, s = math.cos(2 * math.pi * i / lifters), math.sin(2 * math.pi * i / lifters)
    if x * c + z * s > radius - 4.1 * grain and math.abs(z * c - x * s) < 1.5 * grain then return false end
  end
  return true
end
local made, level = 0, 0
while made < grains do
  local z = -reach + (level + 0.5) * pitch
  if z > reach then error("the grains do not fit: less fill") end
  local columns = math.floor(2 * math.sqrt(reach * reach - z * z) / pitch)
  for column = 1, columns do
    local x = (column - 0.5 * (columns + 1)) * pitch
    for row = -1, 1 do
      if made < grains and clear_of_lifters(x, z) then
        made = made + 1
        body{
          shape = shapes[math.random(3)],
          material = x < 0 and "red" or "blue",
          position = { x, row * pitch, height + z },
        }
      end
    end
  end
  level = level + 1
end

sensor{ name = "drum", body = "drum", quantity = "torque" }
