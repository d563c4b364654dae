simulation{ step = 1/500, end_time = 0.2, tolerance = 1e-6, rotation = "rig_neg", seed = 7 }
gravity{ 0, 0, -1.62 }
solver{ "gauss_seidel" }
local_solver{ "secular" }
