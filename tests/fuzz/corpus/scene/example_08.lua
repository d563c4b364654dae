material{ name = "sand", density = 2650 }
ground{ material = "sand" }
local count = bodies_from_csv{ file = "grains.csv", material = "sand" }
print("grains:", count)
