ground{}
body{ shape = polyhedron{ file = "rock.obj", scale = 0.5 }, position = {0, 0, 0.2} }
