-- SPDX-License-Identifier: Apache-2.0
-- Slider-crank with clearance: the piston of a crank and a rod runs in a guide that is a little wider
-- than the piston, so that it tilts, bounces and slides between the two walls.
--
-- What to look for: without clearance the piston's way is that of the closed form; with it the corners
-- hit the walls (energy.csv: impact dissipation in jumps, mostly after the dead centres), and the
-- pin's force shows peaks. Restitution 0 presses the piston on one wall at a time.

local speed = param("speed", 150.0, "of the crank, rad/s")
local clearance = param("clearance", 0.001, "play of the piston on either side, m", { min = 0.0, max = 0.01 })
local friction = param("friction", 0.01, "Coulomb friction in the guide", { min = 0.0 })
local restitution = param("restitution", 0.4, "of the impacts in the guide", { min = 0.0, max = 1.0 })
local limit = param("limit", 1e3, "of the motor, N m", { min = 0.0 })

title("Slider-crank with clearance")
simulation{ step = 1 / 40000, end_time = 0.2 }
camera{ azimuth = -80, elevation = 14 }
gravity{ 0, 0, -9.81 }
material{ name = "steel" }
pair{ friction = friction, restitution = restitution }

-- lengths of crank and rod, half sizes of the piston; m
local crank, rod = 0.153, 0.306
local half_length, half_height, depth = 0.05, 0.025, 0.03
local reach = crank + rod

body{
  name = "crank", material = "steel", mass = 0.038, shape = box{ size = { crank, 0.01, 0.02 } },
  position = { 0.5 * crank, 0.06, 0 }, angular_velocity = { 0, speed, 0 },
  velocity = { 0, 0, -0.5 * crank * speed },
}
body{
  name = "rod", material = "steel", mass = 0.038, shape = box{ size = { rod, 0.01, 0.02 } },
  position = { crank + 0.5 * rod, 0.03, 0 },
  -- at the dead centre the rod turns about the piston's pin
  angular_velocity = { 0, -speed * crank / rod, 0 }, velocity = { 0, 0, -0.5 * crank * speed },
}
body{
  name = "piston", material = "steel", mass = 0.076,
  shape = box{ size = { 2 * half_length, depth, 2 * half_height } }, position = { reach, 0, 0 },
}
-- crank and rod run beside the guide; walls above and below, as long as the piston's way
for _, side in ipairs{ 1, -1 } do
  body{
    name = side > 0 and "upper_wall" or "lower_wall", kind = "fixed", material = "steel", colour = "#8c929aff",
    shape = box{ size = { 2 * crank + 4 * half_length, depth, 0.02 } },
    position = { rod, 0, side * (half_height + clearance + 0.01) },
  }
end

local axis = { 0, 1, 0 }
joint{
  kind = "hinge", name = "drive", bodies = { "crank" }, at = { 0, 0, 0 }, axis = axis,
  motor = { velocity = speed, limit = limit },
}
joint{ kind = "hinge", name = "pin", bodies = { "crank", "rod" }, at = { crank, 0, 0 }, axis = axis }
joint{ kind = "hinge", name = "wrist", bodies = { "rod", "piston" }, at = { reach, 0, 0 }, axis = axis }

sensor{ name = "piston", body = "piston", quantity = "position" }
sensor{ name = "tilt", body = "piston", quantity = "angular_velocity" }
sensor{ name = "guide", bodies = { "upper_wall", "lower_wall" }, quantity = "force" }
sensor{ name = "wrist", joint = "wrist", quantity = "force" }
sensor{ name = "motor", joint = "drive", quantity = "effort" }
