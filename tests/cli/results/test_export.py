# SPDX-License-Identifier: Apache-2.0
# cairn export: a .glb file is what glTF 2.0 asks for, with bodies where the run says; wrong input, interrupts.
"""usage: test_export.py PROGRAM ROOT"""
import json
import math
import os
import signal
import struct
import subprocess
import sys
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import PROGRAM, Folder, check, check_error, finish  # noqa: E402

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TYPES = {5126: numpy.float32, 5125: numpy.uint32}

# an emitter and an outlet, every kind of shape, a name and equal shapes
SCENE = """
title "kinds"
simulation{ step = 1e-3, end_time = 0.4 }
material{ name = "stone", density = 2000 }
pair{ law = "hooke", normal_stiffness = 1e4, friction = 0.4 }
ground{ material = "stone" }
local function put(name, shape, x)
  body{ name = name, shape = shape, material = "stone", position = {x, 0, 0.3}, angular_velocity = {1, 2, 3} }
end
put("ball", sphere{ radius = 0.05 }, 0)
put("box", box{ size = {0.1, 0.12, 0.14} }, 0.3)
put("rounded", box{ size = {0.1, 0.12, 0.14}, rounding = 0.02 }, 0.6)
put("capsule", capsule{ radius = 0.04, length = 0.1 }, 0.9)
put("cylinder", cylinder{ radius = 0.04, length = 0.1 }, 1.2)
for i = 1, 3 do
  put("hull" .. i, polyhedron{ points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}} }, 1.2 + 0.3 * i)
end
put("two", compound{ { shape = sphere{ radius = 0.04 }, position = {0.05, 0, 0} },
                     { shape = box{ size = {0.1, 0.02, 0.02} } } }, 2.4)
emitter{ region = { min = {-1, 0, 0.4}, max = {-0.8, 0.2, 0.5} }, rate = 50, every = 0.05,
         grains = { { size = sizes{ "uniform", min = 0.02, max = 0.03 }, material = "stone" } } }
outlet{ region = { min = {-2, -1, -1}, max = {-0.5, 1, 0.2} } }
output{ paraview = "none" }
"""


class Scene:
    """The parts of a .glb file, its lists checked against the bytes that there are."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, length = struct.unpack_from("<4sII", data)
        check(magic == b"glTF" and version == 2 and length == len(data), f"{path}: head of the file")
        size, kind = struct.unpack_from("<I4s", data, 12)
        check(kind == b"JSON" and size % 4 == 0, f"{path}: the first chunk is text")
        self.tree = json.loads(data[20:20 + size])
        self.size, kind = struct.unpack_from("<I4s", data, 20 + size)
        check(kind == b"BIN\0" and 28 + size + self.size == len(data), f"{path}: the second chunk ends the file")
        self.bytes = data[28 + size:]
        self.check_lists()

    def check_lists(self):
        tree = self.tree
        check(tree["asset"]["version"] == "2.0", "version of the asset")
        check(tree["buffers"] == [{"byteLength": self.size}], "one buffer, the second chunk")
        ends = 0
        for view in tree["bufferViews"]:
            check(view["byteOffset"] == ends and view["byteOffset"] % 4 == 0, "views follow each other")
            ends = view["byteOffset"] + view["byteLength"]
        check(ends == self.size, "the views are all of the buffer")
        for number, accessor in enumerate(tree["accessors"]):
            values = self.read(number)
            check(numpy.isfinite(values).all(), f"accessor {number} has numbers alone")
            if "min" in accessor:
                check(numpy.array_equal(values.min(0), accessor["min"]) and
                      numpy.array_equal(values.max(0), accessor["max"]), f"bounds of accessor {number}")
        for mesh in tree["meshes"]:
            for part in mesh["primitives"]:
                self.check_part(part)
        for node in tree["nodes"]:
            check(math.isclose(numpy.linalg.norm(node.get("rotation", [0, 0, 0, 1])), 1.0, rel_tol=1e-6),
                  "rotations are of length 1")
            check(all(0 < child < len(tree["nodes"]) for child in node.get("children", [])), "children are nodes")
            check(node.get("mesh", 0) < len(tree["meshes"]), "meshes are there")
        children = sorted(child for node in tree["nodes"] for child in node.get("children", []))
        check(children == list(range(1, len(tree["nodes"]))), "each node but the first has one parent")

    def check_part(self, part):
        points = self.read(part["attributes"]["POSITION"])
        check("min" in self.tree["accessors"][part["attributes"]["POSITION"]], "points have bounds")
        corners = self.read(part["indices"])
        check(len(corners) % 3 == 0 and corners.max() < len(points), "triangles are of points that there are")
        check(part["material"] < len(self.tree["materials"]), "the material is there")
        a, b, c = (points[corners[k::3, 0]].astype(float) for k in range(3))
        volume = numpy.einsum("ij,ij->i", a, numpy.cross(b, c)).sum() / 6.0
        check(volume >= -1e-12, "triangles are seen from outside")
        if "NORMAL" in part["attributes"]:
            normals = self.read(part["attributes"]["NORMAL"])
            check(numpy.allclose(numpy.linalg.norm(normals, axis=1), 1.0, atol=1e-5), "normals are of length 1")
            out = numpy.cross(b - a, c - a)
            sides = numpy.einsum("ij,ij->i", out, normals[corners[::3, 0]])
            check((sides >= -1e-9).all(), "normals and triangles have one side")

    def read(self, number):
        accessor = self.tree["accessors"][number]
        view = self.tree["bufferViews"][accessor["bufferView"]]
        width, kind = WIDTHS[accessor["type"]], TYPES[accessor["componentType"]]
        check(view["byteLength"] == 4 * width * accessor["count"], f"accessor {number} fills its view")
        return numpy.frombuffer(self.bytes, kind, width * accessor["count"],
                                view["byteOffset"]).reshape(-1, width)

    def channels(self):
        """{(node, path): (times, values, interpolation)}"""
        found = {}
        for animation in self.tree.get("animations", []):
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                key = channel["target"]["node"], channel["target"]["path"]
                check(key not in found, f"{key} moves once")
                found[key] = self.read(sampler["input"])[:, 0], self.read(sampler["output"]), sampler["interpolation"]
        return found


def check_poses(scene, trajectory, names):
    """Translations and rotations are those of the run, in its axes."""
    import h5py
    channels = scene.channels()
    with h5py.File(trajectory) as file:
        first, count = file["body_first"][:], file["body_count"][:]
        for name in names:
            node = next(i for i, each in enumerate(scene.tree["nodes"]) if each.get("name") == name)
            times, values, _ = channels[node, "translation"]
            check(numpy.allclose(times, file["time"][:], atol=1e-6), f"{name}: times")
            number = names[name]
            for frame in range(len(times)):
                rows = slice(first[frame], first[frame] + count[frame])
                row = first[frame] + list(file["body"][rows]).index(number)
                check(numpy.allclose(values[frame], file["position"][row], atol=1e-6), f"{name}: position")
                x, y, z, w = channels[node, "rotation"][1][frame]
                dot = abs(numpy.dot((w, x, y, z), file["orientation_wxyz"][row]))
                check(math.isclose(dot, 1.0, abs_tol=1e-6), f"{name}: orientation")


def check_file(folder):
    folder.write("kinds.lua", SCENE)
    run = folder.cairn("run", "kinds.lua", "--quiet", "--trajectory-every", "20", "--out", "run")
    check(run.status == 0, "the run", run)
    made = folder.cairn("export", "run", "-o", "kinds.glb", "--json")
    check(made.status == 0, "the export", made)
    told = json.loads(made.out)
    check(told["kind"] == "export" and told["format"] == "gltf" and told["frames"] == 21 and
          told["bytes"] == os.path.getsize(os.path.join(folder.path, "kinds.glb")), f"what it tells: {told}")
    scene = Scene(os.path.join(folder.path, "kinds.glb"))
    names = [node.get("name") for node in scene.tree["nodes"]]
    numbers = {"ball": 1, "box": 2, "rounded": 3, "capsule": 4, "cylinder": 5, "hull2": 7, "two": 9}
    check(all(name in names for name in numbers), f"bodies keep their names: {names}")
    check_poses(scene, os.path.join(folder.path, "run/trajectory.h5"), numbers)
    # three equal hulls share their points, in three colours
    tetrahedra = [part["attributes"]["POSITION"] for mesh in scene.tree["meshes"] for part in mesh["primitives"]
                  if scene.tree["accessors"][part["attributes"]["POSITION"]]["count"] == 4
                  and scene.tree["accessors"][part["indices"]]["count"] == 12]
    check(len(tetrahedra) >= 3 and len(set(tetrahedra)) == 1, f"equal shapes share a mesh: {tetrahedra}")
    # grains that come and go are seen while they are there
    sizes = [values for (node, path), (_, values, how) in scene.channels().items() if path == "scale" and how == "STEP"]
    check(len(sizes) > 5 and all(set(numpy.unique(each)) == {0.0, 1.0} for each in sizes), "bodies come and go")


def check_some_frames(folder):
    few = folder.cairn("export", "run", "-o", "few.glb", "--frames", "3", "--from", "0.1", "--until", "0.3", "--json")
    check(few.status == 0 and json.loads(few.out)["frames"] == 3, "some of the frames", few)
    times = next(iter(Scene(os.path.join(folder.path, "few.glb")).channels().values()))[0]
    check(numpy.allclose(times, [0.0, 0.1, 0.2], atol=1e-6), f"times from the first of them: {times}")
    one = folder.cairn("export", "run/trajectory.h5", "-o", "one.glb", "--frames", "1", "--json")
    check(one.status == 0 and json.loads(one.out)["time"] == 0.4, "the last frame alone", one)
    Scene(os.path.join(folder.path, "one.glb"))


def check_refusals(folder):
    """What is wrong is said in one line, and no file appears or is lost."""
    folder.write("kept.html", "kept")
    folder.write("empty/note.txt", "")
    folder.write("bad.h5", b"\x89HDF\r\n\x1a\n" + bytes(500))
    before = folder.names()
    for words, status, pattern in (
            (("run",), 2, r"-o FILE\.html or -o FILE\.glb"),
            (("run", "-o", "kept.pdf"), 2, r"kept\.pdf: cairn export writes"),
            (("run", "-o", ".html"), 2, "cairn export writes"),
            (("run", "-o", "kept.html", "--from", "7"), 2, "no frame between .* 0 to 0.4 s"),
            (("run", "-o", "kept.html", "--frames", "0"), 2, "frames"),
            (("kinds.lua", "-o", "kept.html"), 3, r"kinds\.lua is no run"),
            (("none", "-o", "kept.html"), 3, "none"),
            (("empty", "-o", "kept.html"), 3, "without trajectory.h5"),
            (("bad.h5", "-o", "kept.html"), 3, r"bad\.h5"),
            (("run", "-o", "nowhere/page.html"), 1, "nowhere/page.html")):
        check_error(folder.cairn("export", *words), status, pattern, " ".join(words))
    check(folder.names() == before and folder.read("kept.html") == "kept", f"nothing is left: {folder.names()}")


MANY = """
simulation{ step = 1 / 100, end_time = 0.6 }
material{ name = "stone", density = 2000 }
local b = box{ size = {0.1, 0.08, 0.06} }
for i = 0, 3999 do
  body{ shape = b, position = {(i % 20) * 0.2, (i // 20 % 20) * 0.2, (i // 400) * 0.2} }
end
output{ paraview = "none" }
"""


def check_interrupt(folder):
    """A stop while the file is written leaves none, and the one that was there before stays."""
    folder.write("many.lua", MANY)
    run = folder.cairn("run", "many.lua", "--quiet", "--trajectory-every", "1", "--out", "many")
    check(run.status == 0, "the run of many", run)
    begun = os.path.join(folder.path, "kept.html.part")
    with subprocess.Popen([PROGRAM, "export", "many", "-o", "kept.html"], cwd=folder.path,
                          stderr=subprocess.PIPE, text=True) as process:
        # the page is there as soon as the frames are measured, and the frames come after it
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None and \
                not (os.path.exists(begun) and os.path.getsize(begun) > 0):
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    check(process.returncode == 130 and "interrupted; no file was written" in said,
          f"an interrupt: status {process.returncode}, {said}")
    check(not folder.has("kept.html.part") and folder.read("kept.html") == "kept", "no half file is left")


with Folder() as folder:
    check_file(folder)
    check_some_frames(folder)
    check_refusals(folder)
    check_interrupt(folder)

finish()
