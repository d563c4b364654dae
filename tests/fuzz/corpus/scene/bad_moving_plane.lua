material{ name = "stone" }
ground{ material = "stone" }
body{ shape = plane{} }
