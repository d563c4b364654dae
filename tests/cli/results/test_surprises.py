# SPDX-License-Identifier: Apache-2.0
# What a user does not expect must be said: small ParaView files, the final state, unsolved steps,
# refused restarts, and the hints of messages.
import csv
import glob
import os
import re
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import SMALL, Folder, check, check_error, check_status, finish, load

SIZES = {"Float32": ("f", 4), "Float64": ("d", 8), "Int32": ("i", 4), "Int64": ("q", 8)}
SCENE = """
title "shapes"
simulation{ step = 1 / 200, end_time = 0.103 }
ground{}
local brick = box{ size = {0.3, 0.2, 0.1} }
for i = 1, 3 do
  body{ name = "brick" .. i, shape = brick, position = {i, 0, 0.5}, rotation = {axis = {1, 2, 3}, angle = 20 * i},
        angular_velocity = {1, 2, 3} }
  body{ name = "ball" .. i, shape = sphere{ radius = 0.05 * i }, position = {i, 1, 1} }
end
body{ name = "wedge", shape = polyhedron{ points = { {0,0,0}, {0.3,0,0}, {0,0.2,0}, {0,0,0.4} } }, position = {0, 2, 1} }
"""


def read_vtp(path):
    """{name: rows of numbers}: inflates the appended arrays as the VTK format describes them."""
    with open(path, "rb") as file:
        whole = file.read()
    at = whole.index(b'<AppendedData encoding="raw">\n_') + len(b'<AppendedData encoding="raw">\n_')
    head = whole[:at].decode()
    arrays = {}
    for kind, name, width, offset in re.findall(
            r'type="(\w+)" Name="([^"]+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"', head):
        place = at + int(offset)
        blocks, size, last = struct.unpack_from("<3Q", whole, place)
        sizes = struct.unpack_from(f"<{blocks}Q", whole, place + 24)
        place += 24 + 8 * blocks
        data = b""
        for part in sizes:
            data += zlib.decompress(whole[place:place + part])
            place += part
        check(len(data) == (blocks * size if last == 0 else (blocks - 1) * size + last), f"{path}: size of {name}")
        letter, bytes_each = SIZES[kind]
        values = struct.unpack(f"<{len(data) // bytes_each}{letter}", data)
        width = int(width)
        arrays[name] = [values[i:i + width] for i in range(0, len(values), width)]
    return arrays


def turn(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def placed(glyphs, folder, row):
    """Corners of a body: its shape's file, turned, scaled and moved as ParaView's glyphs are."""
    shape = read_vtp(os.path.join(folder, "r/paraview", f"shapes_{glyphs['shape'][row][0]:06d}.vtp"))
    scale, at = glyphs["scale"][row][0], glyphs["points"][row]
    return sorted(tuple(a + scale * b for a, b in zip(at, turn(glyphs["orientation_wxyz"][row], p)))
                  for p in shape["points"])


def check_glyphs():
    with Folder() as folder:
        folder.write("shapes.lua", SCENE)
        check_status(folder.cairn("run", "shapes.lua", "--out", "r", "-q"), 0, "glyphs")
        check_status(folder.cairn("run", "shapes.lua", "--out", "s", "-q", "--paraview", "surfaces"), 0, "surfaces")
        check_status(folder.cairn("run", "shapes.lua", "--out", "n", "-q", "--paraview", "none"), 0, "none")
        check(not folder.has("n/paraview"), "--paraview none writes no frame")
        check([os.path.basename(path) for path in sorted(glob.glob(folder.path + "/r/paraview/shapes*"))] ==
              ["shapes.vtm"] + [f"shapes_{i:06d}.vtp" for i in range(4)], "each shape once, one sphere for all")
        frames = len(glob.glob(folder.path + "/r/paraview/bodies_*.vtp"))
        check(frames == 4 and len(glob.glob(folder.path + "/r/paraview/*_*.vtp")) == 4 + 4, f"{frames} frames")
        # the corners of the surfaces series are those of the glyphs put where the bodies are
        last = f"_{frames - 1:06d}.vtp"
        glyphs = read_vtp(folder.path + "/r/paraview/bodies" + last)
        surfaces = read_vtp(folder.path + "/s/paraview/surfaces" + last)
        for row, body in enumerate(glyphs["id"]):
            corners = set()
            start = 0
            for polygon, end in enumerate(surfaces["offsets"]):
                if surfaces["body"][polygon] == body:
                    corners |= {surfaces["points"][c[0]] for c in surfaces["connectivity"][start:end[0]]}
                start = end[0]
            mine = placed(glyphs, folder.path, row)
            far = max((min(max(abs(a - b) for a, b in zip(p, q)) for q in mine) for p in corners), default=1)
            check(far < 1e-5, f"body {body}: its corners differ by {far}")


def check_size_and_ends():
    with Folder() as folder:
        check_status(folder.cairn("run", "sphere_heap", "--out", "r", "-q", "--until", "0.301"), 0, "sphere_heap")
        size = sum(os.path.getsize(path) for path in glob.glob(folder.path + "/r/paraview/*"))
        check(size <= os.path.getsize(folder.path + "/r/trajectory.h5"), f"ParaView files of {size} bytes")
        times = re.findall(r'timestep="([^"]+)"', folder.read("r/paraview/bodies.pvd"))
        summary = load(folder.read("r/summary.json"))
        check(float(times[0]) == 0 and float(times[-1]) == summary["time"], f"times of the frames: {times}")
        said = load(folder.cairn("info", "r/trajectory.h5", "--json").out)
        check(said["from"] == 0 and said["until"] == summary["time"], f"trajectory: {said}")
        bodies = list(csv.DictReader(folder.read("r/bodies.csv").splitlines()))
        final = read_vtp(folder.path + f"/r/paraview/bodies_{len(times) - 1:06d}.vtp")
        far = max(abs(float(row[f"position {'xyz'[k]} [m]"]) - final["points"][i][k])
                  for i, row in enumerate(bodies) for k in range(3))
        check(far < 1e-5, f"the last frame is not the final state: {far}")


def check_final_frame_and_restart():
    """A frame of the end does not stay in the series of a run that goes on."""
    with Folder() as folder:
        folder.write("shapes.lua", SCENE)
        check_status(folder.cairn("run", "shapes.lua", "--out", "a", "-q", "--until", "0.3"), 0, "whole")
        check_status(folder.cairn("run", "shapes.lua", "--out", "b", "-q"), 0, "first part")
        check_status(folder.cairn("run", "shapes.lua", "--out", "b", "-q", "--until", "0.3", "--restart",
                                  "b/checkpoint.h5"), 0, "second part")
        for path in glob.glob(folder.path + "/a/paraview/*"):
            with open(path, "rb") as one, open(path.replace("/a/", "/b/"), "rb") as other:
                check(one.read() == other.read(), f"after the restart: {os.path.basename(path)}")
        other = folder.cairn("run", "shapes.lua", "--out", "b", "-q", "--until", "0.4", "--restart",
                             "b/checkpoint.h5", "--paraview", "surfaces")
        check_error(other, 1, "b/paraview has glyphs", "another kind of frames")


def check_restart_differences():
    with Folder() as folder:
        folder.write("small.lua", 'local mu = param("mu", 0.5, "friction")\n' + SMALL.replace("friction = 0.5", "friction = mu"))
        check_status(folder.cairn("run", "small.lua", "--out", "r", "-q"), 0, "run")
        go_on = ("run", "small.lua", "--out", "q", "-q", "--until", "0.1", "--restart", "r/checkpoint.h5")
        check_error(folder.cairn(*go_on, "--step", "0.004"), 3, r"step was 0\.005, is 0\.004", "another step")
        check_error(folder.cairn(*go_on, "--tolerance", "1e-9"), 3, r"tolerance was 1e-06, is 1e-09", "another tolerance")
        check_error(folder.cairn(*go_on, "--set", "mu=0.3"), 3, r"parameter_mu was 0\.5, is 0\.3", "another parameter")
        check_error(folder.cairn(*go_on, "--solver", "gauss_seidel"), 3, r"solver was auto, is gauss_seidel", "another solver")
        check_status(folder.cairn(*go_on, "--threads", "2"), 0, "other threads")
        check_error(folder.cairn(*go_on, "--until", "0.01"), 2, r"ends before the checkpoint", "--until before the restart")


def check_unsolved():
    with Folder() as folder:
        words = ("run", "box_stack", "--until", "0.1", "--solver", "gauss_seidel", "--simulation-set",
                 "max_iterations=3", "--out", "r")
        done = folder.cairn(*words)
        check_status(done, 5, "unsolved steps")
        check(re.search(r"\d+ of \d+ steps with contacts ended above the tolerance .*status 5", done.err) is not None,
              "unsolved steps: message", done)
        summary = load(folder.read("r/summary.json"))
        check(summary["status"] == "unsolved" and summary["steps_unsolved"] > 0, f"summary: {summary['status']}")
        check(f"{summary['steps_unsolved']} of {summary['steps_solved']} steps" in done.out, "the table says so", done)
        taken = folder.cairn(*words, "--accept-unsolved", "--json")
        check_status(taken, 0, "--accept-unsolved")
        said = load(taken.out)
        check(said["status"] == "done" and said["steps_unsolved"] == summary["steps_unsolved"] and
              "boxes" in said["parameters"] and said["error_max"] > said["tolerance"], f"--json: {said}")


def check_tables():
    with Folder() as folder:
        table = folder.cairn("run", "mixer", "--until", "0.05", "--out", "r")
        check_status(table, 0, "an explicit run")
        check("\n  solver " not in table.out, "an explicit run has no line of a solver", table)
        check(folder.cairn("info", "r").out == table.out, "info prints the table of the run", table)
        check(load(folder.cairn("info", "r", "--json").out)["steps"] > 0, "info --json")


def check_hints():
    with Folder() as folder:
        for line, pattern in [
                ("body{ shape = sphere{0.1} }", r"write sphere\{ radius = \.\.\. \}"),
                ("body{ shape = spere{ radius = 1 } }", r'did you mean "sphere"'),
                ("simulation{ gravity = {0, 0, -9.81} }", r"gravity\{ x, y, z \}")]:
            folder.write("s.lua", line + "\n")
            check_error(folder.cairn("run", "s.lua"), 3, pattern, line)
        names = "".join(f'body{{ name = "{name}", shape = sphere{{ radius = 1 }}, position = {{0, 0, {3 * i}}} }}\n'
                        for i, name in enumerate("dacb"))
        folder.write("s.lua", names + 'joint{ kind = "ball", bodies = {"e"}, at = {0, 0, 0} }\n')
        check_error(folder.cairn("run", "s.lua"), 3, r"there are: a, b, c, d", "names of bodies come in order")
        check_error(folder.cairn("run", "kapla"), 3, r'did you mean the built-in scene "kapla_tower"', "kapla")
        # a run in a folder with the name of its scene does not hide that
        check_status(folder.cairn("run", "pendulum", "--until", "0.01", "--out", "pendulum"), 0, "a run")
        check_status(folder.cairn("run", "pendulum", "--until", "0.01", "--out", "other"), 0, "the scene once more")
        check("0.01 s simulated" in folder.cairn("info", "pendulum").out, "the folder is the run for info")


def check_advice():
    """Many grains outside of the sphere executor: the run says which law keeps them there, and only then."""
    grain = "sphere{ radius = 0.005 }"
    clump = "compound{ { shape = sphere{ radius = 0.005 } }, { shape = sphere{ radius = 0.005 }, position = {0.006, 0, 0} } }"
    text = """
    simulation{ step = 1e-6, end_time = 3e-6 }
    material{ name = "m", density = 2500 }
    pair{ PAIR }
    local grain = SHAPE
    for i = 0, COUNT - 1 do
      body{ shape = grain, material = "m", position = { i %% 20 * 0.02, i // 20 %% 6 * 0.02, i // 120 * 0.02 } }
    end""".replace("%%", "%")
    with Folder() as folder:
        for pair, shape, count, said in [
                ('law = "adhesive"', grain, 600, r"'adhesive' runs on the slow path for 600 spheres.* no kernel"),
                ('law = "adhesive"', grain, 90, None),
                ('law = "spring_dashpot", cohesion = 1', grain, 600, r"'spring_dashpot' runs on the slow path for 600 spheres.* cohesion"),
                ('law = "hertz_mindlin", rolling_friction = 0.1', clump, 600, r"slow path for 600 clumps.* rolling_friction"),
                ('law = "hooke"', clump, 600, None), ('law = "hooke"', grain, 600, None),
                ("friction = 0.5", grain, 600, None)]:
            folder.write("s.lua", text.replace("PAIR", pair).replace("SHAPE", shape).replace("COUNT", str(count)))
            done = folder.cairn("run", "s.lua", "--out", "r")
            check_status(done, 0, f"advice: {pair}")
            found = re.search(said or "slow path", done.err)
            check((found is not None) == (said is not None), f"advice: {pair}, {count} of {shape[:8]}: {said}", done)
            check(done.err.count("slow path") <= 1, "the advice is given once", done)
        laws = load("[" + ",".join(folder.cairn("list", "laws", "--json").out.splitlines()) + "]")
        kernels = {law["name"]: law["kernel"] for law in laws}
        check(kernels["hooke"] and not kernels["adhesive"], f"list laws: {kernels}")


check_glyphs()
check_size_and_ends()
check_final_frame_and_restart()
check_restart_differences()
check_unsolved()
check_tables()
check_hints()
check_advice()
finish()
