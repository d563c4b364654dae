material{ name = "wood", density = 700 }
material{ name = "rubber", density = 1100 }
pair{ friction = 0.4 }
pair{ "wood", "rubber", law = "signorini_coulomb", friction = 0.9, restitution = 0.2 }
ground{ material = "wood" }
body{ shape = sphere{ radius = 0.05 }, material = "rubber", position = {0, 0, 0.3} }
