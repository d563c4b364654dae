material{ name = "stone" }
ground{ material = "stone" }
setmetatable({}, {__gc = function() while true do end end})
