title "A block on the ground"
simulation{ step = 1/200, end_time = 1.0 }

material{ name = "stone", density = 2600 }
pair{ friction = 0.5, restitution = 0.1 }

ground{ material = "stone" }
body{
  name = "block",
  shape = box{ size = {0.4, 0.2, 0.1} },
  material = "stone",
  position = {0, 0, 0.5},
  rotation = { axis = {1, 0, 0}, angle = 20 },
  velocity = {1, 0, 0},
}
sensor{ name = "ground", body = "ground", quantity = "force" }
