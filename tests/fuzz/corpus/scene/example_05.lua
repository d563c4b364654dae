simulation{ step = 1e-6, end_time = 0.01 }
material{ name = "glass", density = 2500, young_modulus = 65e9, poisson_ratio = 0.22 }
material{ name = "steel", density = 7850, young_modulus = 210e9 }
pair{ law = "hertz_mindlin", restitution = 0.9, friction = 0.2 }
ground{ material = "steel" }
body{ shape = sphere{ radius = 0.005 }, material = "glass", position = {0, 0, 0.0051} }
