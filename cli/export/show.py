# SPDX-License-Identifier: Apache-2.0
# ParaView draws the bodies of the run, and its contact forces as tubes. Written by `cairn paraview`.
#   paraview --script=show.py          opens the window
#   pvpython show.py PICTURE.png [T]   draws the instant T (s; the last one with forces without it)
import math
import os
import sys

from paraview.simple import *

paraview.simple._DisableFirstRenderCameraReset()

RUN = {}


def folder():
    """That of the script, which may have been moved with its run; a window does not say where a script was."""
    try:
        here = os.path.dirname(os.path.abspath(__file__))
    except NameError:
        here = RUN["folder"]
    return here if os.path.exists(os.path.join(here, "bodies.pvd")) else RUN["folder"]


def series(name):
    return PVDReader(registrationName=name, FileName=os.path.join(FOLDER, name))


def grey(display, opacity):
    ColorBy(display, ("POINTS", ""))
    display.AmbientColor = display.DiffuseColor = [0.6, 0.62, 0.65]
    display.Opacity = opacity


def paint_materials():
    """Colours of the scene, with the names of its materials."""
    table = GetColorTransferFunction("material")
    table.InterpretValuesAsCategories = 1
    table.Annotations = [word for number, row in enumerate(RUN["materials"])
                         for word in (str(number), row["name"] or str(number))]
    table.IndexedColors = [part for row in RUN["materials"] for part in row["colour"]]
    return table


def bar(table, view, title, place):
    shown = GetScalarBar(table, view)
    shown.Title, shown.ComponentTitle, shown.Position = title, "", [0.87, place]
    shown.WindowLocation, shown.ScalarBarLength = "Any Location", 0.32
    shown.TitleColor = shown.LabelColor = [0.1, 0.1, 0.1]
    shown.TitleFontSize, shown.LabelFontSize = 13, 12
    return shown


def as_glyphs(source, view):
    """Each point with its shape, turned as the body is."""
    shapes = XMLMultiBlockDataReader(registrationName="shapes.vtm", FileName=[os.path.join(FOLDER, "shapes.vtm")])
    display = Show(source, view)
    display.SetRepresentationType("3D Glyphs")
    display.GlyphType = shapes
    display.UseGlyphTable = display.UseCompositeGlyphTable = 1
    display.GlyphTableIndexArray = "shape"
    display.Orient, display.OrientationMode = 1, "Quaternion"
    display.SelectOrientationVectors = "orientation_wxyz"
    display.Scaling, display.ScaleFactor = 1, 1.0
    display.ScaleMode, display.SelectScaleArray = "Magnitude", "scale"
    return display


def paint(display, view, speed):
    """By the scene's colours where it has any, otherwise by speed."""
    place = "POINTS" if speed.startswith("velocity") else "CELLS"
    if RUN["painted"] and place == "POINTS":
        paint_materials()
        ColorBy(display, ("POINTS", "material"))
        return
    ColorBy(display, (place, speed, "Magnitude"))
    table = GetColorTransferFunction(speed)
    table.ApplyPreset("Viridis (matplotlib)", True)
    table.AutomaticRescaleRangeMode = "Never"
    table.RescaleTransferFunction(0.0, RUN["speed"])
    bar(table, view, "speed [m/s]", 0.55)
    display.SetScalarBarVisibility(view, True)


def draw_bodies(view):
    """@return what the camera looks at"""
    if RUN["surfaces"]:
        surfaces = series("surfaces.pvd")
        display = Show(surfaces, view)
        paint(display, view, "speed [m/s]")
        display.Opacity = 0.35 if RUN["forces"] else 1.0
    bodies = series("bodies.pvd")
    moving = Threshold(registrationName="moving bodies", Input=bodies, Scalars=["POINTS", "kind"],
                       LowerThreshold=0.0, UpperThreshold=0.0)
    fixed = Threshold(registrationName="fixed bodies", Input=bodies, Scalars=["POINTS", "kind"],
                      LowerThreshold=1.0, UpperThreshold=9.0)
    if not RUN["surfaces"]:
        display = as_glyphs(moving, view)
        paint(display, view, "velocity [m/s]")
        display.Opacity = 0.35 if RUN["forces"] else 1.0
        grey(as_glyphs(fixed, view), 0.25)
    return moving


def draw_forces(view):
    """Tubes over the contacts, from centre to centre: the area of their section goes with the force."""
    tubes = Tube(registrationName="force chains", Input=series("forces.pvd"))
    tubes.Scalars, tubes.Vectors = ["POINTS", "radius [m]"], ["POINTS", ""]
    tubes.VaryRadius, tubes.NumberofSides, tubes.Capping = "By Absolute Scalar", 12, 1
    display = Show(tubes, view)
    ColorBy(display, ("POINTS", "force [N]", "Magnitude"))
    table = GetColorTransferFunction("force [N]")
    table.ApplyPreset("Inferno (matplotlib)", True)
    table.InvertTransferFunction()
    table.AutomaticRescaleRangeMode = "Never"
    table.RescaleTransferFunction(0.0, RUN["force"])
    bar(table, view, "force [N]", 0.12)
    display.SetScalarBarVisibility(view, True)


def look(view, moving):
    """From where the scene's camera looks, all moving bodies in the picture."""
    around, above = math.radians(RUN["azimuth"]), math.radians(RUN["elevation"])
    extent, room = list(moving.GetDataInformation().GetBounds()), 1.5 * RUN["radius"]
    if extent[0] <= extent[1]:
        extent = [side - room if number % 2 == 0 else side + room for number, side in enumerate(extent)]
    view.CameraFocalPoint, view.CameraViewUp = [0, 0, 0], [0, 0, 1]
    view.CameraPosition = [math.cos(above) * math.cos(around), math.cos(above) * math.sin(around), math.sin(above)]
    if extent[0] <= extent[1]:
        view.ResetCamera(*extent)
    else:
        view.ResetCamera()
    view.GetActiveCamera().Dolly(1.25)


FOLDER = folder()
view = GetActiveViewOrCreate("RenderView")
view.UseColorPaletteForBackground, view.BackgroundColorMode, view.Background = 0, "Single Color", [1, 1, 1]
view.OrientationAxesLabelColor = [0.2, 0.2, 0.2]
picture = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].endswith(".png") else None
if picture:
    view.ViewSize = [1280, 720]
scene = GetAnimationScene()
moving = draw_bodies(view)
if RUN["forces"]:
    draw_forces(view)
scene.UpdateAnimationUsingDataTimeSteps()
scene.AnimationTime = float(sys.argv[2]) if picture and len(sys.argv) > 2 else RUN["time"]
UpdatePipeline(scene.AnimationTime, moving)
look(view, moving)
if picture:
    SaveScreenshot(picture, view)
else:
    Render()
