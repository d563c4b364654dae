ground{ height = -0.5 }
body{ shape = cylinder{ radius = 0.1, length = 0.3 }, position = {0, 0, 0} }
body{ shape = polyhedron{ points = { {0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3} } }, position = {1, 0, 0} }
body{ shape = compound{
        { shape = capsule{ radius = 0.05, length = 0.3 } },
        { shape = sphere{ radius = 0.1 }, position = {0, 0, 0.2} },
        { shape = box{ size = {0.1, 0.1, 0.1} }, position = {0, 0, -0.2}, rotation = { axis = {0, 0, 1}, angle = 45 } },
      }, position = {2, 0, 0} }
body{ kind = "fixed", position = {0, 3, 0}, shape = mesh{
        vertices = { {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0} },
        triangles = { {1, 2, 3}, {1, 3, 4} },
      } }
body{ kind = "moving", velocity = {0.1, 0, 0}, shape = plane{}, position = {-3, 0, 0}, rotation = { axis = {0, 1, 0}, angle = 90 } }
