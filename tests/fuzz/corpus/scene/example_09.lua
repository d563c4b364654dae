simulation{ step = 2e-5, end_time = 0.1 }
gravity{ 0, 0, 0 }
body{ name = "hammer", shape = box{ size = {0.1, 0.04, 0.04} }, density = 2000, velocity = {1, 0, 0} }
body{ name = "ball", shape = sphere{ radius = 0.02 }, density = 8000, position = {0.1, 0, 0} }
connector{
  name = "impact", bodies = {"hammer", "ball"}, radii = {0.02, 0.02}, positions = { {0.03, 0, 0}, {0, 0, 0} },
  contact_stiffness = 1e6, impact_model = 2, restitution_coefficient = 0.6, dynamic_friction = 0.2,
}
sensor{ name = "impact force", connector = "impact", quantity = "force" }
sensor{ name = "impact data", connector = "impact", quantity = "history" }
