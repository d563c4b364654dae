-- SPDX-License-Identifier: Apache-2.0
-- Granular column: one layer of grains between two smooth panes, on a floor of glued grains, collapses
-- at once, as if a wall were drawn away, or behind a gate that is lifted. The wall at its back stays.
--
-- What to look for: a low column slumps and keeps a flat top; a high one falls first and then runs
-- out. With a the height over the length of the column, the run-out over that length goes with a
-- below 2 and with a^0.7 above 4. Front and height at rest are read off `bodies.csv`.
--
-- Under `--law signorini_coulomb` take `--step 0.0005 --set gap=0.005`: grains that all touch, at rest,
-- get the weight of all layers within one step, which is not solved where the column is large. Or let
-- springs bring it to rest behind a gate, with `--set lift=1 --set wait=1`, and change the law then, as
-- bench/classics/rigid_column.py does.

local length = param("length", 20.0, "length of the column, in grains", { min = 3.0, max = 1000.0 })
local aspect = param("aspect", 3.0, "height over length", { min = 0.02, max = 30.0 })
local friction = param("friction", 0.5, "Coulomb friction", { min = 0.0, max = 2.0 })
local restitution = param("restitution", 0.5, "of grains and walls", { min = 0.0, max = 1.0 })
local grain = param("grain", 0.01, "mean diameter of a grain, m", { min = 1e-4, max = 1.0 })
local gap = param("gap", 0.0, "between grains at the start, in grains", { min = 0.0, max = 0.1 })
local spread = param("spread", 0.2, "diameters vary by this share", { min = 0.05, max = 0.3 })
local overlap = param("overlap", 0.01, "of grains under the column, in grains", { min = 1e-5, max = 0.1 })
local lift = param("lift", 0.0, "speed of a gate in front, m/s; 0: there is none", { min = 0.0, max = 100.0 })
local wait = param("wait", 0.0, "time when the gate begins to rise, s", { min = 0.0, max = 100.0 })

title(string.format("Collapse of a granular column, %g times as high as long", aspect))
local high, long = aspect * length * grain, length * grain
local fall = math.sqrt(high / 9.81)
-- grains so stiff that they overlap by so much under the column; 18 steps a collision
local density = 2500
local mass = density * math.pi / 6 * grain ^ 3
local stiffness = mass * 9.81 * high / grain / (overlap * grain)
-- strong dashpots are stable at shorter steps only
local strong = restitution < 0.1 and 8 or 1
simulation{
  step = math.pi * math.sqrt(mass * (1 - spread) ^ 3 / (2 * stiffness)) / (18 * strong),
  end_time = wait + 6 * fall,
}
output{ energy_every = 20 }

camera{ azimuth = -90, elevation = 8 }
material{ name = "grain", density = density, colour = "sand" }
material{ name = "pane", density = density }
pair{ law = "hooke", normal_stiffness = stiffness, friction = friction, restitution = restitution }
pair{ "grain", "pane", law = "hooke", normal_stiffness = stiffness, friction = 0.0, restitution = restitution }

ground{ material = "grain", height = -0.5 * grain * (1 + spread) }
-- the back of the column, and the panes, which leave the largest grain a hundredth
local width = 1.01 * grain * (1 + spread)
for name, side in pairs{ back = { -1, 0 }, pane_1 = { 0, -1 }, pane_2 = { 0, 1 } } do
  body{
    name = name,
    kind = "fixed",
    material = "pane",
    shape = plane{},
    position = { 0, 0.5 * width * side[2], 0 },
    -- the plane's upper side turns inwards
    rotation = { axis = { side[2], -side[1], 0 }, angle = 90 },
  }
end

-- Grains are put one by one into the lowest pocket that takes them: between two others, or one and
-- a wall. A pocket is the centre of a grain of one of the sizes; it is kept until a grain
-- comes too near.
local radii, shapes = {}, {}
for i = 1, 5 do
  radii[i] = 0.5 * grain * (1 + spread * (i - 3) / 2)
  shapes[i] = sphere{ radius = radii[i] - 0.5 * gap * grain }
end
local largest = radii[#radii]

-- grains of a cell, a diameter of the largest wide
local cells = {}
local function cell_of(x, z)
  return math.floor(x / (2 * largest)) + 100000 * math.floor(z / (2 * largest))
end
local function near(x, z)
  local found, middle = {}, cell_of(x, z)
  for row = -2, 2 do
    for column = -2, 2 do
      for _, each in ipairs(cells[middle + column + 100000 * row] or {}) do
        found[#found + 1] = each
      end
    end
  end
  return found
end
local function is_free(x, z, r)
  if x < r * (1 - 1e-9) or x > long - r * (1 - 1e-9) or z < 0 then return false end
  local middle = cell_of(x, z)
  for row = -100000, 100000, 100000 do
    for cell = middle + row - 1, middle + row + 1 do
      local grains = cells[cell]
      for i = 1, grains and #grains or 0 do
        local each = grains[i]
        local dx, dz, reach = each.x - x, each.z - z, (each.r + r) * (1 - 1e-9)
        if dx * dx + dz * dz < reach * reach then return false end
      end
    end
  end
  return true
end

-- the floor, with its centres at z = 0, goes a good way farther than the grains will
local floor, step = {}, 0.9 * grain
for i = 0, math.ceil((1 + 3.2 * math.max(aspect, 1) ^ 0.75) * long / step) do
  local bead = { x = i * step, z = 0, size = math.random(5) }
  bead.r = radii[bead.size]
  body{ kind = "fixed", shape = shapes[bead.size], material = "grain", colour = "grey", position = { bead.x, 0, 0 } }
  if bead.x < long then
    floor[#floor + 1] = bead
    local cell = cell_of(bead.x, bead.z)
    cells[cell] = cells[cell] or {}
    table.insert(cells[cell], bead)
  end
end

-- pockets of each size as a heap: each is no lower than the one at half its place
local pockets = { {}, {}, {}, {}, {} }
local function offer(size, x, z)
  if not is_free(x, z, radii[size]) then return end
  local list, place = pockets[size], #pockets[size] + 1
  while place > 1 and list[place // 2].z > z do
    list[place] = list[place // 2]
    place = place // 2
  end
  list[place] = { x = x, z = z }
end
-- pockets of a size on a grain beside a wall and over two grains
local function offer_on(size, a, others)
  local r = radii[size]
  local reach = a.r + r
  for _, x in ipairs{ r, long - r } do
    local across = x - a.x
    if math.abs(across) < reach then offer(size, x, a.z + math.sqrt(reach ^ 2 - across ^ 2)) end
  end
  for _, b in ipairs(others) do
    local dx, dz = b.x - a.x, b.z - a.z
    local apart, reach_b = math.sqrt(dx * dx + dz * dz), b.r + r
    if b ~= a and apart < reach + reach_b then
      local along = 0.5 * (apart + (reach ^ 2 - reach_b ^ 2) / apart)
      local up = math.sqrt(math.max(0, reach ^ 2 - along ^ 2)) * (dx < 0 and -1 or 1)
      offer(size, a.x + (along * dx - up * dz) / apart, a.z + (along * dz + up * dx) / apart)
    end
  end
end

-- takes the first pocket off a heap
local function lowest(list)
  local first, last = list[1], table.remove(list)
  local place, count = 1, #list
  while 2 * place <= count do
    local child = 2 * place
    if child < count and list[child + 1].z < list[child].z then child = child + 1 end
    if list[child].z >= last.z then break end
    list[place] = list[child]
    place = child
  end
  if count > 0 then list[place] = last end
  return first
end
-- the lowest pocket of a size that is still free
local function take(size)
  local pocket
  repeat
    pocket = lowest(pockets[size])
  until is_free(pocket.x, pocket.z, radii[size])
  return pocket
end

for _, bead in ipairs(floor) do
  for size = 1, 5 do offer_on(size, bead, near(bead.x, bead.z)) end
end

local size = math.random(5)
while true do
  local pocket = take(size)
  if pocket.z > high then break end
  local put = { x = pocket.x, z = pocket.z, r = radii[size] }
  local cell = cell_of(put.x, put.z)
  local others = near(put.x, put.z)
  cells[cell] = cells[cell] or {}
  table.insert(cells[cell], put)
  body{ shape = shapes[size], material = "grain", position = { put.x, 0, put.z } }
  for each = 1, 5 do offer_on(each, put, others) end
  size = math.random(5)
end

if lift > 0 then
  local tall = high + 10 * grain
  body{
    name = "gate",
    kind = "moving",
    material = "pane",
    shape = box{ size = { 2 * grain, 2 * width, tall } },
    position = { long + grain, 0, 0.5 * (tall + grain * (1 + spread)) },
  }
  motion{ body = "gate", velocity = { 0, 0, function(t) return t > wait and lift or 0 end } }
end

sensor{ name = "back", body = "back", quantity = "force" }
