-- SPDX-License-Identifier: Apache-2.0
-- Arch: a half circle of dry voussoirs between two abutments, as thin as it can be, or thinner.
--
-- What to look for: at `ratio=1.02` the arch stands; the thrust touches the outside at the crown,
-- the inside at the haunches and the outside at the springings. At `ratio=0.98` hinges open there
-- and it falls within seconds. The least thickness is computed here for the very number of
-- voussoirs; about 0.107 of the mean radius for many (Milankovitch 1907).

local voussoirs = param("voussoirs", 16, "number of voussoirs", { integer = true, min = 3, max = 400 })
local ratio = param("ratio", 1.02, "thickness over the least that stands", { min = 0.5, max = 5.0 })
local radius = param("radius", 5.0, "mean radius, m", { min = 0.01, max = 1000.0 })
local friction = param("friction", 0.8, "Coulomb friction; the joints slide below about 0.4", { min = 0.0, max = 5.0 })

local half = 0.5 * math.pi / voussoirs

-- Is there a thrust within an arch of thickness t and mean radius 1? Right half, weight 1 a voussoir.
-- At the crown a force H acts at the moment arm M / H; every joint wants
-- M - H r cos a - W r sin a + X >= 0 at the inner radius and <= 0 at the outer one, with the
-- weight W above the joint and its moment X. For each H the bounds of M have a width, concave in H.
local function stands(t)
  local inner, outer = 1 - 0.5 * t, 1 + 0.5 * t
  local centre = 2 / 3 * (outer ^ 3 - inner ^ 3) / (outer ^ 2 - inner ^ 2)
  local joints, weight, moment, angle = {}, 0, 0, 0
  if voussoirs % 2 == 1 then
    weight, moment, angle = 0.5, 0.25 * centre * math.sin(half), half
  end
  joints[1] = { angle, weight, moment }
  for i = 1, voussoirs // 2 do
    moment = moment + centre * math.cos(half) * math.sin(angle + half)
    weight, angle = weight + 1, angle + 2 * half
    joints[#joints + 1] = { angle, weight, moment }
  end
  local function width(thrust)
    local least, most = -math.huge, math.huge
    for _, joint in ipairs(joints) do
      local across = thrust * math.cos(joint[1]) + joint[2] * math.sin(joint[1])
      least = math.max(least, inner * across - joint[3])
      most = math.min(most, outer * across - joint[3])
    end
    return most - least
  end
  local low, high = 0, voussoirs
  for i = 1, 100 do
    local third = (high - low) / 3
    if width(low + third) < width(high - third) then low = low + third else high = high - third end
  end
  return width(0.5 * (low + high)) >= 0
end

local thin, thick = 0.001, 1
for i = 1, 50 do
  local middle = 0.5 * (thin + thick)
  if stands(middle) then thick = middle else thin = middle end
end
local thickness = ratio * thick * radius
print(string.format("least thickness %.5f of the radius, this arch %.5f", thick, ratio * thick))

title(string.format("Arch of %d voussoirs, %g of the least thickness", voussoirs, ratio))
simulation{ step = 1 / 500, end_time = 5.0 }

material{ name = "stone", density = 2400, colour = "stone" }
pair{ friction = friction, restitution = 0.0 }

-- depth along y, height of the abutments
local depth, height = 0.3 * radius, 0.12 * radius
ground{ material = "stone", height = -height }

local inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
for _, side in ipairs{ -1, 1 } do
  body{
    name = side < 0 and "left" or "right",
    kind = "fixed",
    material = "stone",
    shape = box{ size = { 2 * thickness, 1.2 * depth, height } },
    position = { side * (radius + 0.3 * thickness), 0, -0.5 * height },
  }
end

-- a voussoir upright: its frame lies at the mean radius
local points = {}
for _, r in ipairs{ inner, outer } do
  for _, side in ipairs{ -1, 1 } do
    for _, y in ipairs{ -0.5 * depth, 0.5 * depth } do
      points[#points + 1] = { side * r * math.sin(half), y, r * math.cos(half) - radius }
    end
  end
end
local voussoir = polyhedron{ points = points }

for i = 1, voussoirs do
  local angle = (2 * i - 1 - voussoirs) * half
  body{
    name = "voussoir_" .. i,
    shape = voussoir,
    material = "stone",
    position = { radius * math.sin(angle), 0, radius * math.cos(angle) },
    rotation = { axis = { 0, 1, 0 }, angle = math.deg(angle) },
  }
end

sensor{ name = "right", body = "right", quantity = "force" }
sensor{ name = "crown", body = "voussoir_" .. (voussoirs + 1) // 2, quantity = "position" }
