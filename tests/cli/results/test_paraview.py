# SPDX-License-Identifier: Apache-2.0
# cairn paraview: forces as lines where bodies and contacts are, a script that says what the run is, how it starts ParaView, wrong input.
"""usage: test_paraview.py PROGRAM ROOT"""
import ast
import os
import re
import struct
import sys
import xml.etree.ElementTree

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Folder, check, check_error, check_status, finish, load  # noqa: E402

RADIUS, DENSITY, GRAVITY = 0.1, 1000.0, 9.81
WEIGHT = 4.0 / 3.0 * numpy.pi * RADIUS ** 3 * DENSITY * GRAVITY

# one ball on the other, at rest; the walls of a material whose name is no plain word
SCENE = f"""
title "two"
simulation{{ step = 1e-3, end_time = 0.1 }}
gravity{{ 0, 0, -{GRAVITY} }}
material{{ name = "st\\"on\\\\e", density = {DENSITY}, colour = {{0.2, 0.4, 0.6}} }}
pair{{ friction = 0.5, restitution = 0 }}
ground{{ material = "st\\"on\\\\e" }}
local ball = sphere{{ radius = {RADIUS} }}
body{{ shape = ball, material = "st\\"on\\\\e", position = {{1, 2, {RADIUS}}} }}
body{{ shape = ball, material = "st\\"on\\\\e", position = {{1, 2, {3 * RADIUS}}} }}
camera{{ azimuth = 15 }}
"""
TYPES = {"Float32": numpy.float32, "Int32": numpy.int32}


def read_lines(folder, name):
    """Arrays of a file by their names, and its number of lines."""
    with open(os.path.join(folder.path, name), "rb") as file:
        data = file.read()
    start = data.index(b"<AppendedData")
    tree = xml.etree.ElementTree.fromstring(data[:start] + b"</VTKFile>")
    first = data.index(b"_", start) + 1
    arrays = {}
    for array in tree.iter("DataArray"):
        at = first + int(array.get("offset"))
        size, = struct.unpack_from("<Q", data, at)
        values = numpy.frombuffer(data, TYPES[array.get("type")], size // 4, at + 8)
        width = int(array.get("NumberOfComponents"))
        arrays[array.get("Name")] = values.reshape(-1, width) if width > 1 else values
    piece = tree.find("PolyData/Piece")
    points, lines = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfLines"))
    for array in tree.find("PolyData/Piece/PointData"):
        check(len(arrays[array.get("Name")]) == points, f"{name}: {array.get('Name')} is of each point")
    check(list(arrays["connectivity"]) == list(range(points)) and
          list(arrays["offsets"]) == [2 * i + 2 for i in range(lines)], f"{name}: lines of two points")
    return arrays, lines


def read_index(folder):
    tree = xml.etree.ElementTree.parse(os.path.join(folder.path, "r/paraview/forces.pvd"))
    return [(float(row.get("timestep")), row.get("file")) for row in tree.iter("DataSet")]


def read_run(text):
    """What the script says of the run; the script is a program of Python."""
    compile(text, "show.py", "exec")
    return ast.literal_eval(re.search(r"^RUN = (\{.+\})$", text, re.MULTILINE).group(1))


def begin(folder, *words):
    folder.write("two.lua", SCENE)
    check_status(folder.cairn("run", "two.lua", "--out", "r", "-q", *words), 0, "the run")


def check_forces():
    with Folder() as folder:
        begin(folder)
        result = folder.cairn("paraview", "r", "--json")
        check_status(result, 0, "cairn paraview")
        told, index = load(result.out), read_index(folder)
        check(told["kind"] == "paraview" and told["frames_of_forces"] == len(index) and
              os.path.samefile(told["file"], os.path.join(folder.path, "r/paraview/show.py")), "the object", result)
        bodies = re.findall(r'timestep="([^"]+)"', folder.read("r/paraview/bodies.pvd"))
        # the last frame of a run is of its end, and no multiple of the steps between those that keep their contacts
        check([time for time, _ in index] == [float(time) for time in bodies[:-1]], f"times {index}, bodies {bodies}")
        arrays, lines = read_lines(folder, "r/paraview/" + index[-1][1])
        check(lines == 3, f"one line to the ball on the ground, two between the balls: {lines}")
        for line in range(lines):
            point, centre = arrays["points"][2 * line], arrays["points"][2 * line + 1]
            low = point[2] < RADIUS
            check(numpy.allclose(point, [1, 2, 0 if low else 2 * RADIUS], atol=1e-3), f"contact of line {line}: {point}")
            check(numpy.isclose(abs(centre[2] - point[2]), RADIUS, atol=1e-3), f"centre of line {line}: {centre}")
            force = arrays["force [N]"][2 * line]
            check(numpy.isclose(numpy.linalg.norm(force), (2 if low else 1) * WEIGHT, rtol=0.01), f"force: {force}")
            check(numpy.isclose(arrays["normal_force [N]"][2 * line], numpy.linalg.norm(force), rtol=0.01), "its part")
        radii = arrays["radius [m]"][::2]
        check(numpy.isclose(radii.max() / radii.min(), numpy.sqrt(2), rtol=0.01) and radii.max() < RADIUS,
              f"the section of a tube goes with the force: {radii}")
        run = read_run(folder.read("r/paraview/show.py"))
        check(run["forces"] == 1 and run["painted"] == 1 and run["azimuth"] == 15 and run["time"] == 0.08 and
              {"name": "st\"on\\e", "colour": [0.2, 0.4, 0.6]} in run["materials"] and
              numpy.isclose(run["force"], 2 * WEIGHT, rtol=0.05), f"the run in the script: {run}")


def check_ways():
    """Other places, fewer frames, no contacts, surfaces; a new run takes the files away."""
    with Folder() as folder:
        begin(folder, "--contacts-every", "1", "--trajectory-every", "1")
        check_status(folder.cairn("paraview", "r/trajectory.h5", "-o", "mine.py"), 0, "-o")
        many = len(read_index(folder))
        check(many > 50 and not folder.has("r/paraview/show.py"), f"the script elsewhere, {many} frames of forces")
        check(read_run(folder.read("mine.py"))["folder"] == os.path.realpath(folder.path + "/r/paraview"), "its data")
        folder.write("r/paraview/mine.py", "")
        begin(folder, "--paraview", "surfaces")
        check(not any(name.startswith("forces") for name in folder.list("r/paraview")) and
              folder.has("r/paraview/mine.py"), f"after a new run: {folder.list('r/paraview')}")
        check_status(folder.cairn("paraview", "r", "--no-start", "-q"), 0, "surfaces")
        few = len(read_index(folder))
        files = [name for name in folder.list("r/paraview") if re.fullmatch(r"forces_\d+\.vtp", name)]
        check(0 < few < many and len(files) == few, f"{few} frames, files {files}")
        check(read_run(folder.read("r/paraview/show.py"))["surfaces"] == 1, "the script knows the surfaces")
        begin(folder, "--contacts-every", "0")
        result = folder.cairn("paraview", "r", "--no-start")
        check_status(result, 0, "a run without contacts")
        check("--contacts-every" in result.err and not folder.has("r/paraview/forces.pvd") and
              read_run(folder.read("r/paraview/show.py"))["forces"] == 0, "bodies without forces", result)


def check_start():
    with Folder() as folder:
        begin(folder)
        folder.write("bin/paraview", '#!/bin/sh\nprintf "%s" "$*" > started\n')
        os.chmod(os.path.join(folder.path, "bin/paraview"), 0o755)
        path = {"PATH": os.path.join(folder.path, "bin") + ":/usr/bin:/bin"}
        for words in (("--no-start",), ("--json",), ("-o", "mine.py")):
            check_status(folder.cairn("paraview", "r", *words, env={**os.environ, **path}), 0, f"{words}")
            check(not folder.has("started"), f"{words} starts nothing")
        check_status(folder.cairn("paraview", "r", env={**os.environ, **path}), 0, "a start")
        started = folder.read("started")
        check(started == f"--script={os.path.realpath(folder.path)}/r/paraview/show.py", f"started with {started}")
        nowhere = {**os.environ, "PATH": os.path.join(folder.path, "none")}
        result = folder.cairn("paraview", "r", env=nowhere)
        check_status(result, 0, "no paraview")
        check("paraview is not installed here" in result.err and folder.has("r/paraview/show.py"), "says so", result)


def check_wrong():
    with Folder() as folder:
        begin(folder, "--paraview", "none")
        check_error(folder.cairn("paraview", "r"), 3, "kept no frames for ParaView", "a run without frames")
        check_error(folder.cairn("paraview", "r", "--json"), 3, "kept no frames", "the same as JSON", told=True)
        check_error(folder.cairn("paraview", "two.lua"), 3, "is no run", "a scene")
        check_error(folder.cairn("paraview", "nowhere"), 3, "nowhere", "nothing")
        check_error(folder.cairn("paraview"), 2, "RUN", "no word")
        begin(folder)
        check_error(folder.cairn("paraview", "r", "-o", "none/mine.py"), 1, "none/mine.py", "no such folder")


check_forces()
check_ways()
check_start()
check_wrong()
finish()
