material{ name = "stone" }
ground{ material = "stone" }
body{ shape = box{ size = {1, 1, 1} }, orientation = {1, 0, 0, 0}, rotation = {axis = {0, 0, 1}, angle = 3} }
