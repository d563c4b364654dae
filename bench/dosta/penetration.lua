-- SPDX-License-Identifier: Apache-2.0
-- Case "penetration" of Dosta et al. (2024): a steel ball hits a bed of 25 000 grains at 5 m/s.
--
-- Needs penetration.csv beside it, which prepare.py makes from the published coordinates.

title "Dosta et al. 2024: penetration"
simulation{ step = param("step", 5e-7, "time step, s", { min = 1e-8, max = 1e-5 }), end_time = 0.1 }
output{ energy_every = 200, paraview_every = 0 }
require "materials"

local across, deep, floor = 0.05, 0.03, -0.090243
for _, side in ipairs{ { 1, 0, across }, { -1, 0, across }, { 0, 1, deep }, { 0, -1, deep } } do
  body{
    kind = "fixed",
    material = "steel",
    shape = plane{},
    position = { side[1] * side[3], side[2] * side[3], 0 },
    rotation = { axis = { side[2], -side[1], 0 }, angle = 90 },
  }
end
ground{ material = "steel", height = floor }
bodies_from_csv{ file = "penetration.csv" }
body{
  name = "ball",
  shape = sphere{ radius = 0.01 },
  material = "steel",
  position = { 0, 0, 0.06 },
  velocity = { 0, 0, -5 },
}
sensor{ name = "ball", body = "ball", quantity = "position" }
sensor{ name = "floor", body = "ground", quantity = "force" }
