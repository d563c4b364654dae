simulation{ step = 1 / 100, end_time = 1 }
material{ name = 'm', density = 1000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = 'm' }
body{ name = 'box', shape = box{ size = {1, 1, 1} }, material = 'm', position = {0, 0, 2} }
