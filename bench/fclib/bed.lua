-- SPDX-License-Identifier: Apache-2.0
-- Bed of rigid grains in a box, at rest or with its front open, for bench/fclib/grains.py.
--
-- Spheres are laid down one by one, octahedra fall from a lattice. `gap` is left between grains, in
-- grains: with 0 all of them touch at rest, and the first step brings the weight of all layers.
local count = param("count", 500, "grains", { integer = true, min = 1, max = 100000 })
local hull = param("hull", 0, "1: octahedra, 0: spheres", { integer = true, min = 0, max = 1 })
local open = param("open", 0, "1: without the front wall", { integer = true, min = 0, max = 1 })
local across = param("across", 0, "width, in grains; 0: that of a cube", { min = 0, max = 100 })
local friction = param("friction", 0.5, "of grains; half of it at the walls", { min = 0, max = 2 })
local gap = param("gap", 0.005, "between grains, in grains", { min = 0, max = 0.1 })
local grain = 0.01

title("Bed of rigid grains")
simulation{ step = 0.002, end_time = 0.1 }
material{ name = "grain", density = 2500 }
material{ name = "wall" }
pair{ law = "signorini_coulomb", friction = friction }
pair{ "grain", "wall", law = "signorini_coulomb", friction = 0.5 * friction }

local cube = 0.95 * grain * count ^ (1 / 3)
local width = across > 0 and across * grain or cube
local length = across > 0 and 0.95 * grain * math.sqrt(count / across) or cube
ground{ material = "grain" }
local walls = { back = { 0, 0, -1, 0 }, left = { 0, 0, 0, -1 }, right = { 0, width, 0, 1 } }
if open == 0 then walls.front = { length, 0, 1, 0 } end
for name, w in pairs(walls) do
  -- the plane's upper side turns inwards
  body{
    name = name,
    kind = "fixed",
    material = "wall",
    shape = plane{},
    position = { w[1], w[2], 0 },
    rotation = { axis = { w[4], -w[3], 0 }, angle = 90 },
  }
end

local r = 0.5 * grain
local octahedron = polyhedron{
  points = { { r, 0, 0 }, { -r, 0, 0 }, { 0, r, 0 }, { 0, -r, 0 }, { 0, 0, r }, { 0, 0, -r } },
}
packing{
  region = { min = { 0, 0, 0 }, max = { length, width, (hull == 1 and 40 or 8) * length } },
  shape = hull == 1 and octahedron or nil,
  size = sizes{ "uniform", min = 0.9 * grain, max = 1.1 * grain },
  material = "grain",
  method = hull == 1 and "lattice" or "deposition",
  count = count,
  gap = gap * grain,
}
