material{ name = "stone" }
ground{ material = "stone" }
error({})
