material{ name = "stone" }
ground{ material = "stone" }
string.find(("a"):rep(100000), ("a*"):rep(20) .. "b")
