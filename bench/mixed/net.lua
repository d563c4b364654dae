-- SPDX-License-Identifier: Apache-2.0
-- A net of knots and rods falls over a ball: loops of joints all over.
local meshes = param("meshes", 3, "meshes a side", { integer = true, min = 1, max = 20 })
simulation{ step = 1 / 500, end_time = 0.8, tolerance = 1e-7 }
material{ name = "rope", density = 1500 }
pair{ friction = 0.4 }
ground{}
body{ name = "ball", kind = "fixed", shape = sphere{ radius = 0.3 }, position = { 0.013, 0.007, 0.3 } }
local pitch = 0.7 / meshes
local function knot(i, j) return "knot_" .. i .. "_" .. j end
local function place(i, j) return { (i - 0.5 * meshes) * pitch, (j - 0.5 * meshes) * pitch, 0.68 } end
for i = 0, meshes do
  for j = 0, meshes do
    body{ name = knot(i, j), shape = sphere{ radius = 0.03 }, material = "rope", position = place(i, j) }
    if i > 0 then joint{ kind = "rod", bodies = { knot(i - 1, j), knot(i, j) }, at = place(i - 1, j), to = place(i, j) } end
    if j > 0 then joint{ kind = "rod", bodies = { knot(i, j - 1), knot(i, j) }, at = place(i, j - 1), to = place(i, j) } end
  end
end
