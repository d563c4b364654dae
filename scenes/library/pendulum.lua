-- SPDX-License-Identifier: Apache-2.0
-- Pendulum: bars in a row on hinges, let go from the horizontal. One bar swings with the period of
-- the elliptic integral; two are the double pendulum, which never repeats itself.
--
-- What to look for: energy.csv stays flat however wild the motion (the error oscillates with the
-- square of the step and does not grow); the hinge bears three times the weight of a single bob at
-- the lowest point; with friction the swing dies at an angle where the hinge can hold the bar.

local bars = param("bars", 2, "number of bars", { integer = true, min = 1, max = 100 })
local length = param("length", 0.5, "length of a bar, m", { min = 0.01 })
local friction = param("friction", 0.0, "dry friction in the hinges, N m", { min = 0.0 })
local damping = param("damping", 0.0, "viscous friction in the hinges, N m s/rad", { min = 0.0 })

title("Pendulum of " .. bars .. " bars")
simulation{ step = 1 / 1000, end_time = 10.0 }
material{ name = "wood", density = 700, colour = "wood" }

-- all places that the bars can reach below the hinge, and some above
local reach = bars * length
camera{ azimuth = -80, elevation = 8, min = { -reach, -0.1 * reach, -reach }, max = { reach, 0.1 * reach, 0.4 * reach } }

local thickness = 0.08 * length
local bar = box{ size = { length, 0.5 * thickness, thickness } }
for i = 1, bars do
  -- neighbours lie side by side
  local y = (i % 2 == 0 and 0.5 or -0.5) * thickness
  body{ name = "bar_" .. i, shape = bar, material = "wood", position = { (i - 0.5) * length, y, 0 } }
  joint{
    kind = "hinge",
    name = "hinge_" .. i,
    bodies = i == 1 and { "bar_1" } or { "bar_" .. (i - 1), "bar_" .. i },
    at = { (i - 1) * length, 0, 0 },
    axis = { 0, 1, 0 },
    friction = friction,
    spring = { damping = damping },
  }
end

sensor{ name = "support", joint = "hinge_1", quantity = "force" }
sensor{ name = "angle", joint = "hinge_1", quantity = "coordinate" }
sensor{ name = "tip", body = "bar_" .. bars, quantity = "position" }
