-- SPDX-License-Identifier: Apache-2.0
-- Hopper: a bin of grains empties through a round hole in its floor once the gate is drawn.
--
-- What to look for: a funnel forms above the hole; the grains leave at a rate that does not depend on
-- how many are left. The rate goes with (D - 1.4 d)^2.5, Beverloo's law, D the hole and d the grain.
-- The force on the ground grows at that rate.

local orifice = param("orifice", 5.0, "diameter of the hole, in grains", { min = 1.0, max = 100.0 })
local width = param("width", 12.0, "width of the square bin, in grains", { min = 3.0, max = 300.0 })
local depth = param("depth", 10.0, "depth of the grains, in grains", { min = 1.0, max = 300.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local restitution = param("restitution", 0.5, "of grains and walls", { min = 0.0, max = 1.0 })
local grain = param("grain", 0.01, "diameter of a grain, m", { min = 1e-4, max = 1.0 })
local opening = param("opening", 0.25, "time when the gate begins to open, s", { min = 0.0, max = 100.0 })
if orifice > width - 1 then error("the bin must be wider than the hole") end

title(string.format("Hopper: hole of %g grains", orifice))
-- grains as stiff as to overlap by 1 % under 80 of them; 18 steps a collision
local stiffness = 2500 * math.pi / 6 * grain ^ 3 * 9.81 * 80 / (0.01 * grain)
local mass = 2500 * math.pi / 6 * grain ^ 3
-- strong dashpots are stable at shorter steps only
local strong = restitution < 0.1 and 8 or 1
simulation{ step = math.pi * math.sqrt(mass / (2 * stiffness)) / (18 * strong), end_time = 1.2 }
output{ energy_every = 20 }

material{ name = "grain", density = 2500, colour = "sand" }
material{ name = "wall", density = 2500 }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = restitution }
pair{ "grain", "wall", law = "hooke", normal_stiffness = stiffness, friction = 0.5 * friction, restitution = restitution }

local half, radius = 0.5 * width * grain, 0.5 * orifice * grain
local drop = (depth + 10) * grain
ground{ material = "grain", height = -drop }

-- walls: a square shaft, in which the grains also fall and pile up
for name, side in pairs{ left = { -1, 0 }, right = { 1, 0 }, front = { 0, -1 }, back = { 0, 1 } } do
  body{
    name = name,
    kind = "fixed",
    material = "wall",
    shape = plane{},
    position = { half * side[1], half * side[2], 0 },
    -- the plane's upper side turns inwards
    rotation = { axis = { side[2], -side[1], 0 }, angle = 90 },
  }
end

-- the floor is of glued grains: a ring that makes the hole, more rings around it out to the walls
local bead = sphere{ radius = 0.5 * grain }
local function floor_bead(x, y)
  body{ kind = "fixed", material = "grain", colour = "grey", shape = bead, position = { x, y, -0.5 * grain } }
end
local ring = radius + 0.5 * grain
while ring < half * math.sqrt(2) do
  local count = math.ceil(2 * math.pi * ring / (0.9 * grain))
  for i = 1, count do
    local x, y = ring * math.cos(2 * math.pi * i / count), ring * math.sin(2 * math.pi * i / count)
    if math.max(math.abs(x), math.abs(y)) < half + 0.3 * grain then floor_bead(x, y) end
  end
  ring = ring + 0.8 * grain
end

-- the gate is a raft of grains below the hole; it slides along x from the start, and its tail clears
-- the hole within 0.3 s of the opening
local reach = radius + grain
local speed = 2 * reach / 0.3
local rows = math.ceil(2 * reach / (0.8 * grain))
local columns = math.ceil((2 * reach + speed * opening) / (0.8 * grain))
for column = 0, columns do
  for row = 0, rows do
    body{
      name = column == 0 and row == 0 and "gate" or nil,
      kind = "moving",
      material = "grain",
      colour = "steel",
      shape = bead,
      position = { reach - 0.8 * grain * column, 0.8 * grain * (row - 0.5 * rows), -1.5 * grain },
      velocity = { speed, 0, 0 },
    }
  end
end

-- grains fall from a loose grid, random in size by a tenth
local across = math.floor(width / 1.12)
local layers = math.ceil(depth * width * width * 0.6 / (0.52 * across * across))
local shapes = {}
for i = 1, 5 do shapes[i] = sphere{ radius = 0.5 * grain * (0.9 + 0.04 * (i - 1)) } end
local pitch = width * grain / across
for layer = 0, layers - 1 do
  for row = 0, across - 1 do
    for column = 0, across - 1 do
      local jitter = 0.04 * grain
      body{
        shape = shapes[math.random(5)],
        material = "grain",
        position = {
          -half + (column + 0.5) * pitch + jitter * (math.random() - 0.5),
          -half + (row + 0.5) * pitch + jitter * (math.random() - 0.5),
          (layer + 0.52) * 1.12 * grain,
        },
      }
    end
  end
end

sensor{ name = "ground", body = "ground", quantity = "force" }
