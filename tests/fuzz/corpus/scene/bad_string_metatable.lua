material{ name = "stone" }
ground{ material = "stone" }
getmetatable("").__index = nil
