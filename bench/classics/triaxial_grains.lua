-- SPDX-License-Identifier: Apache-2.0
-- What both triaxial tests beside this file have in common: spheres, laws, rate and step.
local rigid = param("rigid", false, "law signorini_coulomb instead of hooke")
local grains = param("grains", 120, "number of spheres", { integer = true, min = 20, max = 100000 })
local rate = param("rate", 0.5, "axial strain rate, 1/s", { min = 1e-4, max = 10.0 })
local strain = param("strain", 0.25, "axial strain at the end, logarithmic", { min = 0.0, max = 1.0 })
local step = param("step", 0.0, "of the rigid law, s", { min = 0.0, max = 0.1 })
local stiff = param("stiffness", 2000, "of the springs, in stress times diameter", { min = 100, max = 1e6 })

local bounce = param("restitution", 0.3, "of the springs", { min = 0.01, max = 1.0 })
local ratio = param("tangential", 2 / 7, "stiffness of the springs along the surface over the normal one", { min = 0.01, max = 2.0 })

local diameter, density, stress, friction = 0.01, 2500, 1000, 0.5
local stiffness = stiff * stress * diameter
local mass = density * math.pi / 6 * diameter ^ 3
local explicit = math.pi * math.sqrt(mass / (2 * stiffness)) / 14

-- settled: s, when the shear begins; unsheared: it does not
local function begin(settled, unsheared)
  simulation{ step = step > 0 and step or explicit, end_time = settled + (unsheared and 0 or strain / rate) }
  output{ energy_every = rigid and 1 or 10, paraview_every = 0 }
  gravity{ 0, 0, 0 }
  material{ name = "glass", density = density }
end

-- the pair of two materials, or of all
local function contact(mu, a, b)
  if rigid then
    pair{ a, b, law = "signorini_coulomb", friction = mu, restitution = 0 }
  else
    pair{ a, b, law = "hooke", normal_stiffness = stiffness, friction = mu, restitution = bounce,
      tangential_stiffness = ratio * stiffness }
  end
end

return {
  grains = grains,
  rate = rate,
  diameter = diameter,
  mass = mass,
  stress = stress,
  friction = friction,
  size = sizes{ "uniform", min = 0.8 * diameter, max = 1.2 * diameter },
  begin = begin,
  contact = contact,
}
