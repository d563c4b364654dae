material{ name = "stone" }
ground{ material = "stone" }
string.dump(print)
