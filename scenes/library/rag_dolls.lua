-- SPDX-License-Identifier: Apache-2.0
-- Rag dolls: figures of ten bodies on ball joints and hinges tumble down a flight of stairs.
--
-- What to look for: knees and elbows bend one way only and shoulders, hips and neck no further than
-- their cones; the limits bear the weight of limbs that lie across a step. Joints, their limits and the
-- contacts of every limb are one problem in each step, and the joints stay shut to round-off.

local dolls = param("dolls", 3, "number of dolls", { integer = true, min = 1, max = 100 })
local steps = param("steps", 8, "of the stairs", { integer = true, min = 0, max = 50 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local drop = param("drop", 0.25, "height of the fall onto the stairs, m", { min = 0.01, max = 20.0 })

title("Rag dolls: " .. dolls)
simulation{ step = 1 / 500, end_time = 3.0 }
camera{ azimuth = -55, elevation = 16 }
material{ name = "cloth", density = 900, colour = "blue" }
material{ name = "skin", density = 1000, colour = "#e2b48e" }
material{ name = "stone", density = 2400, colour = "#a8a296ff" }
pair{ friction = friction, restitution = 0 }
ground{ material = "stone" }

-- stairs along x, the highest step at x < 0
local rise, tread, width = 0.18, 0.32, 1.0 + 0.9 * dolls
for i = 1, steps do
  local height = rise * (steps - i + 1)
  body{
    kind = "fixed", material = "stone",
    shape = box{ size = { tread, width, height } }, position = { (i - 0.5) * tread, 0, 0.5 * height },
  }
end
local top = rise * steps
if steps > 0 then
  body{
    kind = "fixed", material = "stone",
    shape = box{ size = { 1.2, width, top } }, position = { -0.6, 0, 0.5 * top },
  }
end

-- a limb from (x, z) downwards by its length, beside the middle line by y
local function limb(name, y, high, length, radius, material)
  body{
    name = name, material = material,
    shape = capsule{ radius = radius, length = length - 2 * radius },
    position = { -0.15, y, high - 0.5 * length }, velocity = { 1.2, 0, 0 },
  }
end

local function doll(id, y, hip)
  local function called(part) return part .. "_" .. id end
  local side_bend = { 0, 1, 0 }
  body{
    name = called("chest"), material = "cloth", shape = box{ size = { 0.18, 0.32, 0.5 } },
    position = { -0.15, y, hip + 0.27 }, velocity = { 1.2, 0, 0 },
  }
  body{
    name = called("head"), material = "skin", shape = sphere{ radius = 0.12 },
    position = { -0.15, y, hip + 0.67 }, velocity = { 1.6, 0, 0 },
  }
  joint{
    kind = "ball", name = called("neck"), bodies = { called("chest"), called("head") },
    at = { -0.15, y, hip + 0.53 }, range = { 0, 0.6 },
  }
  for _, side in ipairs{ -1, 1 } do
    local hand = side < 0 and "left_" or "right_"
    local arm, leg = y + 0.22 * side, y + 0.09 * side
    limb(called(hand .. "arm"), arm, hip + 0.50, 0.30, 0.05, "cloth")
    limb(called(hand .. "hand"), arm, hip + 0.20, 0.30, 0.04, "skin")
    limb(called(hand .. "thigh"), leg, hip, 0.42, 0.07, "cloth")
    limb(called(hand .. "shin"), leg, hip - 0.42, 0.42, 0.055, "skin")
    joint{
      kind = "ball", name = called(hand .. "shoulder"), bodies = { called("chest"), called(hand .. "arm") },
      at = { -0.15, arm, hip + 0.48 }, range = { 0, 2.0 },
    }
    joint{
      kind = "hinge", name = called(hand .. "elbow"), bodies = { called(hand .. "arm"), called(hand .. "hand") },
      at = { -0.15, arm, hip + 0.20 }, axis = side_bend, range = { -2.4, 0 },
    }
    joint{
      kind = "ball", name = called(hand .. "hip"), bodies = { called("chest"), called(hand .. "thigh") },
      at = { -0.15, leg, hip }, range = { 0, 1.2 },
    }
    joint{
      kind = "hinge", name = called(hand .. "knee"), bodies = { called(hand .. "thigh"), called(hand .. "shin") },
      at = { -0.15, leg, hip - 0.42 }, axis = side_bend, range = { 0, 2.2 },
    }
  end
end

for i = 1, dolls do
  doll(i, 0.9 * (i - 0.5 * (dolls + 1)), top + 0.84 + drop + 0.15 * (i % 3))
end

sensor{ name = "neck", joint = "neck_1", quantity = "force" }
sensor{ name = "knee", joint = "left_knee_1", quantity = "coordinate" }
sensor{ name = "head", body = "head_1", quantity = "position" }
