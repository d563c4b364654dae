title 'full'
local n = param('n', 2, 'count', {min = 1})
local s = param('s', 'word', 'text')
simulation{ step = 0.25, end_time = 2, seed = 3 }
gravity{ 0, 0, -2 }
output{ fclib = true, fclib_when = 'contacts > 1', fclib_every = 3 }
material{ name = 'a', density = 500 }
pair{ 'a', 'a', friction = 0.25 }
ground{ material = 'a' }
for i = 1, n do
  body{ name = 'b' .. i, shape = box{ size = {1, 2, 3} }, material = 'a',
        position = {5 * i, 0, 2}, rotation = { axis = {0, 0, 2}, angle = 90 } }
end
body{ shape = compound{ { shape = sphere{ radius = 1 } },
                        { shape = capsule{ radius = 1, length = 1 }, position = {3, 0, 0} } },
      position = {0, 20, 5}, mass = 7 }
body{ shape = polyhedron{ points = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1} } },
      position = {0, 40, 5}, density = 60 }
sensor{ name = 'sum', bodies = {'ground', 'b1'} }
sensor{ name = 'at', body = 'b1', quantity = 'position' }
