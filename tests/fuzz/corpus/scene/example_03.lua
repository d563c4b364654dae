local count = param("count", 5, "number of balls", { min = 1, max = 1000 })
local friction = param("friction", 0.3, "Coulomb friction", { min = 0.0 })
local pattern = param("pattern", "row", "how the balls lie", { choices = { "row", "column" } })
local bouncy = param("bouncy", false, "balls that bounce")

pair{ friction = friction, restitution = bouncy and 0.8 or 0.0 }
ground{}
for i = 1, count do
  local x, z = 0, 0
  if pattern == "row" then x = 0.3 * i else z = 0.3 * i end
  body{ shape = sphere{ radius = 0.1 }, position = { x, 0, 0.2 + z } }
end
