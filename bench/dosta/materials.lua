-- SPDX-License-Identifier: Apache-2.0
-- Materials and contacts of the benchmark of Dosta et al. (2024), all three cases.
gravity{ 0, 0, -9.8 }
local attraction = param("attraction", false, "the dashpot may pull while bodies separate, as in LAMMPS")
material{ name = "M1", density = 2500, young_modulus = 1e9, poisson_ratio = 0.2 }
material{ name = "M2", density = 2000, young_modulus = 0.5e9, poisson_ratio = 0.2 }
material{ name = "steel", density = 7200, young_modulus = 210e9, poisson_ratio = 0.2 }
for _, row in ipairs{
  { "M1", "M1", 0.5, 0.3 }, { "M1", "M2", 0.45, 0.2 }, { "M1", "steel", 0.4, 0.2 },
  { "M2", "M2", 0.4, 0.4 }, { "M2", "steel", 0.4, 0.2 }, { "steel", "steel", 0.4, 0.2 },
} do
  pair{ row[1], row[2], law = "hertz_mindlin", restitution = row[3], friction = row[4], attraction = attraction }
end
