material{ name = "stone" }
ground{ material = "stone" }
local function f() return 1 + f() end f()
