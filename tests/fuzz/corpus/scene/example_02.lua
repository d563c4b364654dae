output{ paraview_every = 0, fclib = true, fclib_form = "both",
        fclib_when = "contacts > 20 and (error > 1e-6 or iterations >= 100)" }
ground{}
body{ shape = sphere{ radius = 0.1 }, position = {0, 0, 0.1} }
