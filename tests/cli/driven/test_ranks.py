# SPDX-License-Identifier: Apache-2.0
# Several processes step a scene together: the files of one process, whatever their number; errors, a full
# disk, signals and killed processes end all of them.
"""usage: test_ranks.py PROGRAM ROOT"""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import PROGRAM, Folder, Result, check, check_status, finish, load
from same import check_same

# a process that waits leaves its core to the others, and to other tests beside this one
LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"]
BED = """
local side = 16
simulation{ step = 1e-5, end_time = 0.006 }
material{ name = "m", density = 2500 }
pair{ law = param("law", "hooke"), friction = 0.4 }
ground{ material = "m" }
local wall = plane{}
local far = side * 0.0105
body{ kind = "fixed", shape = wall, position = {-0.0053, 0, 0}, rotation = {axis = {0, 1, 0}, angle = 90}, material = "m" }
body{ kind = "fixed", shape = wall, position = {far, 0, 0}, rotation = {axis = {0, 1, 0}, angle = -90}, material = "m" }
body{ kind = "moving", shape = wall, position = {0, -0.0053, 0}, rotation = {axis = {1, 0, 0}, angle = -90},
      velocity = {0, 0.1, 0}, material = "m" }
body{ kind = "fixed", shape = wall, position = {0, far, 0}, rotation = {axis = {1, 0, 0}, angle = 90}, material = "m" }
local grain = sphere{ radius = 0.005 }
for i = 0, 3999 do
  body{ shape = grain, material = "m", velocity = {0.6 * math.random(), 0.6 * math.random(), -0.5},
        position = { i % side * 0.0105 + 1e-4 * math.random(), i // side % side * 0.0105, 0.006 + i // (side * side) * 0.0105 } }
end
"""
FEW = """
simulation{ step = 1 / 200, end_time = 0.3 }
pair{ friction = 0.5 }
ground{}
body{ name = "a", shape = box{ size = {0.2, 0.2, 0.2} }, position = {0, 0, 0.1} }
body{ name = "b", shape = sphere{ radius = 0.1 }, position = {0, 0, 0.35} }
sensor{ name = "floor", body = "ground", quantity = "force" }
"""
HEAD = """
simulation{ step = 1e-5, end_time = 0.0016 }
material{ name = "m", density = 2500 }
pair{ law = "hooke", friction = 0.4 }
local grain, side = sphere{ radius = 0.005 }, 20
local function fast() return {0.6 * math.random() - 0.3, 0.6 * math.random() - 0.3, 0.6 * math.random() - 0.7} end
"""
# every scene has more than the 56 chunks of 128 slots that seven processes share; in each something lies across their borders
SHARED = {
    "mesh.lua": HEAD + """
local w, z = side * 0.0103, -0.006
body{ kind = "fixed", material = "m", shape = mesh{
  vertices = { {-0.006, -0.006, z}, {w, -0.006, z}, {w, w, z}, {-0.006, w, z}, {w / 2, w / 2, 2 * z},
               {-0.006, -0.006, 0.4}, {w, -0.006, 0.4}, {w, w, 0.4}, {-0.006, w, 0.4} },
  triangles = { {1, 2, 5}, {2, 3, 5}, {3, 4, 5}, {4, 1, 5}, {1, 2, 7}, {1, 7, 6}, {2, 3, 8}, {2, 8, 7}, {3, 4, 9}, {3, 9, 8},
                {4, 1, 6}, {4, 6, 9} } } }
body{ name = "stirrer", kind = "moving", shape = box{ size = {0.03, 0.1, 0.02} }, position = {w / 2, w / 2, 0.05}, material = "m" }
motion{ body = "stirrer", rotation = { axis = {0, 0, 1}, angle = function(t) return 3000 * t + 0.3 * math.sin(4e4 * t) end } }
body{ kind = "moving", shape = box{ size = {0.4, 0.4, 0.02} }, position = {w / 2, w / 2, 0.218}, velocity = {0, 0, -2}, material = "m" }
for i = 0, 7999 do
  local x, y, z = i % side * 0.0102, i // side % side * 0.0102, i // (side * side) * 0.0102
  if math.max(math.abs(x - w / 2), math.abs(y - w / 2)) > 0.06 or math.abs(z - 0.05) > 0.016 then
    body{ shape = grain, material = "m", velocity = fast(), position = {x, y, z} }
  end
end
""",
    "clumps.lua": HEAD + """
ground{ material = "m" }
body{ kind = "fixed", shape = box{ size = {0.02, 2, 2} }, position = {-0.018, 0, 0}, material = "m" }
local three = compound{ { shape = sphere{ radius = 0.004 } }, { shape = sphere{ radius = 0.003 }, position = {0.004, 0, 0} },
                        { shape = sphere{ radius = 0.003 }, position = {0, 0.003, 0.002} } }
for i = 0, 3599 do
  body{ shape = i % 4 == 0 and grain or three, material = "m", velocity = fast(), angular_velocity = {100 * math.random(), 0, 30},
        position = { i * 7 % side * 0.0105, i // side % side * 0.0105, 0.006 + i // (side * side) * 0.0105 } }
end
""",
    "cell.lua": HEAD + """
gravity{ 0, 0, 0 }
cell{ size = {side * 0.01, side * 0.01, side * 0.01}, rate = { xy = param("rate", 20) } }
for i = 0, 7999 do
  body{ shape = grain, material = "m", velocity = fast(),
        position = { i % side * 0.01, i // side % side * 0.01, i // (side * side) * 0.01 } }
end
""",
    "pour.lua": HEAD + """
ground{ material = "m" }
emitter{ region = { min = {0, 0, 0.22}, max = {0.2, 0.2, 0.26} }, rate = 40000, every = 0.0004, material = "m", shape = grain,
         velocity = {0.5, 0, -4} }
outlet{ region = { min = {0.02, 0, -1}, max = {1, 0.1, 0.02} }, every = 0.0006 }
for i = 0, 7999 do
  body{ shape = grain, material = "m", velocity = fast(),
        position = { i % side * 0.0101, i // side % side * 0.0101, 0.006 + i // (side * side) * 0.0101 } }
end
""",
}
# so many contacts that they are cut into domains; boxes slide across the cuts, are pushed, bounce and lie in each other
PILE = """
simulation{ step = 1 / 200, end_time = 0.04, tolerance = 1e-2 }
pair{ friction = 0.3, restitution = param("restitution", 0) }
ground{}
local b = box{ size = {0.2, 0.2, 0.2} }
body{ kind = "moving", shape = b, position = {-0.3, 0.9, 0.3}, velocity = {2, 0, 0} }
for i = 0, 1099 do
  body{ shape = b, position = { (i % 11) * 0.215, (i // 11 % 10) * 0.215, 0.1 + (i // 110) * 0.1999 },
        velocity = {math.random() - 0.5, math.random() - 0.5, 0} }
end
"""
# a pyramid under a solver that gives up soon, so that steps are made in pieces
PYRAMID = """
simulation{ step = 1 / 200, end_time = 0.02 }
pair{ friction = 0.5 }
ground{}
local b = box{ size = {0.2, 0.2, 0.2} }
for row = 1, 33 do
  for i = 1, 34 - row do body{ shape = b, position = { 0.25 * (i - 0.5 * (35 - row)), 0, 0.2 * row - 0.1 } } end
end
"""
GIVES_UP = ["--tolerance", "1e-7"]
for setting in ["sweeps", "guess_sweeps", "newton_steps", "interior_iterations", "polish_solves", "restarts", "proximal_solves", "last_sweeps",
                "last_solves", "warm_solves", "sweep_fraction"]:
    GIVES_UP += ["--solver-set", setting + "=0"]
FEW_COME = """
simulation{ step = 1e-4, end_time = 0.05 }
material{ name = "m", density = 2500 }
pair{ law = "hooke", friction = 0.4 }
ground{ material = "m" }
emitter{ region = { min = {0, 0, 0.1}, max = {0.1, 0.1, 0.15} }, rate = 2000, material = "m", shape = sphere{ radius = 0.004 },
         velocity = {0, 0, -1} }
"""


# rigid grains in a cell that a stress drives: computed by every process
RIGID_CELL = """
simulation{ step = 1e-3, end_time = 0.03 }
gravity{ 0, 0, 0 }
output{ energy_every = 1, paraview_every = 10 }
material{ name = "glass", density = 2500 }
pair{ law = "signorini_coulomb", friction = 0.5 }
cell{ size = {0.04, 0.04, 0.04} }
packing{ region = { min = {0.006, 0.006, 0.006}, max = {0.034, 0.034, 0.034} }, size = 0.01, material = "glass", method = "growth", count = 16 }
servo{ name = "x", cell = "x", stress = 1000, speed = 5 }
servo{ name = "z", cell = "z", stress = 1000, speed = 5 }
sensor{ name = "cell", region = "cell", quantity = "stress" }
"""


# what reads bodies and contacts after steps, between those that are shared: windows, events, and what ends the run
READS = """
measure{ name = "flow", region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.05} }, window = 0.0007, every = 7 }
measure{ name = "rows", region = { min = {0, 0, 0.02}, max = {0.1, 0.1, 0.06} } }
sensor{ name = "floor", body = "ground", quantity = "force", window = 0.0005, every = 11 }
fields{ name = "cells", min = {0, 0, 0}, max = {0.16, 0.16, 0.1}, cells = {3, 3, 2}, width = 0.02, window = 0.002, every = 20 }
change{ pair = {}, friction = 0.1, every = 0.0004, when = function(t, sensor) local x, y, z = sensor("floor") return t > 0.0015 and z < 0 end }
stop{ name = "enough", every = 0.0003, when = function(t, sensor) return t > 0.0041 and sensor("flow mass") > 0 end }
"""


def launch(folder, count, *words, timeout=300, delay=0):
    """Runs the command in several processes, each message of theirs held up by up to `delay` microseconds."""
    done = subprocess.run([*LAUNCH, "-n", str(count), PROGRAM, *words], cwd=folder.path, timeout=timeout, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, CAIRN_RANKS_DELAY=str(delay)))
    return Result(done)


def run_as(folder, count, scene, threads, *words):
    """A run in out/; the folder is then named after it."""
    words = ["run", scene, "--out", "out", "--hash", "out/hash.csv", "-j", str(threads), "--json", *words]
    done = launch(folder, count, *words, delay=200 if count == 3 else 0) if count > 1 else folder.cairn(*words)
    check_status(done, 0, f"{count} processes, {threads} threads, {scene}")
    name = f"{scene}-{count}-{threads}"
    os.rename(os.path.join(folder.path, "out"), os.path.join(folder.path, name))
    return name, done


def check_bits():
    with Folder() as folder:
        folder.write("bed.lua", BED)
        folder.write("few.lua", FEW)
        folder.write("come.lua", FEW_COME)
        folder.write("rigid.lua", RIGID_CELL)
        for scene, words, counts in [("bed.lua", ["--energy-every", "50", "--trajectory-every", "100"], [(2, 1), (3, 2), (7, 1)]),
                                     ("bed.lua", ["--set", "law=hertz_mindlin", "--energy-every", "64", "--trajectory-every", "150"], [(2, 2)]),
                                     ("few.lua", [], [(3, 1)]), ("come.lua", [], [(2, 1)]), ("rigid.lua", ["--trajectory-every", "10"], [(2, 1)]), ("chain", ["--until", "0.1"], [(2, 2)])]:
            one, alone = run_as(folder, 1, scene, 1, *words)
            for count, threads in counts:
                name, done = run_as(folder, count, scene, threads, *words)
                check_same(folder, one, name, f"{scene}, {count} processes")
                check(load(done.out)["state_hash"] == load(alone.out)["state_hash"], f"{scene}: state hash of {count}")
                shutil.rmtree(os.path.join(folder.path, name))
            shutil.rmtree(os.path.join(folder.path, one))


def check_more():
    """Walls of boxes and meshes, clumps, periodic cells, emitters and outlets: shared, without a gathering in every step as
    hashes need it, and then from 4 processes to 3 to 1 with hashes."""
    with Folder() as folder:
        for scene, text in SHARED.items():
            folder.write(scene, text)
            sets = [["--set", "rate=0"], []] if scene == "cell.lua" else [[]]
            words = ["--out", "out", "--energy-every", "80", "--trajectory-every", "0", "--paraview", "none"]
            for more in sets:
                check_status(folder.cairn("run", scene, *words, *more, "--quiet"), 0, scene)
                whole = {name: folder.read(f"out/{name}") for name in ("energy.csv", "bodies.csv")}
                for count, threads in [(2, 2), (7, 1)]:
                    done = launch(folder, count, "run", scene, *words, *more, "-j", str(threads), delay=100 if count == 2 else 0)
                    check_status(done, 0, f"{scene}, {count} processes")
                    found = re.search(r"(\d+) of 160 steps shared", done.err)
                    check(found is not None and int(found[1]) > 150, f"{scene}: shared by {count}", done)
                    for name, text in whole.items():
                        check(folder.read(f"out/{name}") == text, f"{scene}, {more}: {name} of {count} processes")
            check_goes_on(folder, scene, ["0.0005", "0.001"], [4, 3])


def check_reads():
    """Measures and fields with windows, events and stops leave the work shared, and read what one process reads."""
    with Folder() as folder:
        folder.write("bed.lua", BED.replace('ground{ material = "m" }', 'ground{ name = "ground", material = "m" }') + READS)
        folder.write("pile.lua", PILE + 'measure{ name = "m", region = { min = {0, 0, 0}, max = {2, 2, 1} }, window = 0.01, every = 1 }')
        for scene, least, total in (("bed.lua", 200, 430), ("pile.lua", 6, 9)):
            words = ["run", scene, "--out", "out", "--energy-every", "50", "--trajectory-every", "0", "--paraview", "none", "--accept-unsolved"]
            check_status(folder.cairn(*words, "--quiet"), 0, scene)
            whole = {name: folder.read(f"out/{name}") for name in folder.list("out") if name.endswith(".csv")}
            fields = {name: open(os.path.join(folder.path, "out/fields", name), "rb").read() for name in folder.list("out/fields")} if folder.has("out/fields") else {}
            check("measures.csv" in whole and whole["measures.csv"].count("\n") > 3, f"{scene}: measures {whole}")
            said = load(folder.read("out/summary.json"))
            for count, threads in [(2, 1), (3, 2)]:
                done = launch(folder, count, *words, "-j", str(threads))
                check_status(done, 0, f"{scene}, {count} processes")
                found = re.search(r"(\d+) of (\d+) steps shared", done.err)
                check(found is not None and int(found[1]) >= least, f"{scene}: shared by {count}", done)
                for name, text in whole.items():
                    check(folder.read(f"out/{name}") == text, f"{scene}: {name} of {count} processes")
                for name, data in fields.items():
                    check(open(os.path.join(folder.path, "out/fields", name), "rb").read() == data, f"{scene}: {name} of {count} processes")
                again = load(folder.read("out/summary.json"))
                check(all(again[key] == said[key] for key in ("state_hash", "steps", "time")) and again.get("stop") == said.get("stop"), f"{scene}: {again}")
            check(said["steps"] < total, f"{scene}: {said['steps']} steps")


def check_reads_are_told():
    """What is read after each step costs more than what is shared, and the run says so once; what is read now and then, and
    fields between their frames, send nothing."""
    window = 'measure{ name = "m", region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.1} }, window = 1e-3, every = %d }'
    cases = {"every step": (window % 1, True), "every tenth": (window % 10, False), "conditions": ("stop{ when = function() return false end, every = 1e-5 }", True),
             "frames": ("fields{ min = {0, 0, 0}, max = {0.1, 0.1, 0.1}, cells = {2, 2, 2}, width = 0.02, every = 20 }", False)}
    with Folder() as folder:
        for name, (text, told) in cases.items():
            folder.write("a.lua", BED + text)
            done = launch(folder, 2, "run", "a.lua", "--out", "out", "--until", "0.0004", "--paraview", "none", "--energy-every", "1000")
            check_status(done, 0, name)
            said = re.findall(r".*The state of all bodies goes from process to process.*", done.err)
            check(len(said) == int(told), f"{name}: {said}", done)
            sent = re.search(r"40 of 40 steps shared.* ([\d.e+]+) MB for lists and whole states", done.err)
            check(sent is not None and (float(sent[1]) > 10.0) == told, f"{name}: {done.err}")
            busy = re.search(r"processor time at work: ([-\d.e]+) ([-\d.e]+) s", done.err)
            check(busy is not None and all(float(value) >= 0.0 for value in busy.groups()), f"{name}: {done.err}")


def check_unshared():
    """Where nothing is shared the run says why, once and early."""
    cases = {"few bodies": (FEW, "no work is shared, because (nothing touches|there are contacts of explicit|there are too few contacts)"),
             "a load": (BED + 'load{ body = "ball", force = { 0, 0, function(t) return 0.01 end } }', "a load, a servo or a driven gravity acts in every step"),
             "joints": (FEW + 'joint{ kind = "ball", bodies = {"a", "b"}, at = {0, 0, 0.2} }', "there are joints or connectors")}
    with Folder() as folder:
        for name, (text, pattern) in cases.items():
            folder.write("a.lua", text.replace("local grain =", 'body{ name = "ball", shape = sphere{ radius = 0.005 }, material = "m", position = {0, 0, 0.4} }\nlocal grain ='))
            done = launch(folder, 2, "run", "a.lua", "--out", "out", "--until", "0.05" if "200" in text else "0.0001", "--paraview", "none")
            check_status(done, 0, name)
            said = re.findall(r".*work is shared, because .*", done.err)
            check(len(said) == 1 and re.search(pattern, said[0], re.I) and "2 processes" in said[0], f"{name}: {said}", done)


def check_goes_on(folder, scene, until, counts, *more):
    """A run that goes on with other numbers of processes, and last with one, has the hashes of one in every step."""
    words = ["--hash", "out/hash.csv", "--energy-every", "10", "--trajectory-every", "0", "--paraview", "none", "--quiet", *more]
    shutil.rmtree(os.path.join(folder.path, "out"), ignore_errors=True)
    check_status(folder.cairn("run", scene, "--out", "out", *words), 0, "whole")
    whole = {name: folder.read(f"out/{name}") for name in ("hash.csv", "bodies.csv")}
    shutil.rmtree(os.path.join(folder.path, "out"))
    again = []
    for end, count in zip(until, counts):
        check_status(launch(folder, count, "run", scene, "--out", "out", *again, "--until", end, *words), 0, f"{scene}: {count}")
        again = ["--restart", "out/checkpoint.h5"]
    check_status(folder.cairn("run", scene, "--out", "out", *again, *words), 0, "one goes on")
    for name, text in whole.items():
        check(folder.read(f"out/{name}") == text, f"{scene}: {name} of {counts} processes and then one")


def check_shared():
    """The bed is shared, and each process sends what the other's pairs need; hashes need all."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        done = launch(folder, 2, "run", "bed.lua", "--out", "out", "--energy-every", "1000", "--paraview", "none",
                      "--trajectory-every", "0")
        check_status(done, 0, "a shared bed")
        found = re.search(r"2 processes: (\d+) of 600 steps shared; the first one sent (\S+) kB a step, (\S+) of them .* and (\S+) MB "
                          r"for lists .*; (\d+) of its", done.err)
        check(found is not None, "what was shared is said", done)
        if found is None:
            return
        steps, sent, state, lists, slots = int(found[1]), float(found[2]), float(found[3]), float(found[4]), int(found[5])
        check(steps > 300 and 0 < slots < 2000, f"shared: {found[0]}")
        check(state <= sent < 1.3 * state, f"{sent} kB a step, where bodies at the border take {state}")
        check(0.5 < 1e3 * state / (96 * slots) < 2.0, f"{state} kB a step for {slots} slots")
        # the look for explosions every 64 steps takes no states: what is left are 5 lists or so, and the end
        check(lists < 10 * 2000 * 128e-6 + 2.5, f"{lists} MB for lists")


def check_pile():
    """The implicit law: shared, without a gathering in every step as hashes need it, and then from 4 processes to 3 to 1 with
    hashes; the residual that the run reports is that of the problems which the first process has written from all."""
    with Folder() as folder:
        folder.write("pile.lua", PILE)
        folder.write("pyramid.lua", PYRAMID)
        words = ["--out", "out", "--energy-every", "3", "--trajectory-every", "0", "--paraview", "none", "--accept-unsolved"]
        cases = [("pile", 6, [], 2, 1), ("pile", 6, ["--set", "restitution=0.4"], 3, 2), ("pyramid", 4, GIVES_UP, 2, 1)]
        for scene, least, more, count, threads in cases:
            check_status(folder.cairn("run", scene + ".lua", *words, *more, "--quiet"), 0, scene)
            whole = {name: folder.read(f"out/{name}") for name in ("energy.csv", "bodies.csv")}
            done = launch(folder, count, "run", scene + ".lua", *words, *more, "-j", str(threads), delay=50)
            check_status(done, 0, f"{scene}, {count} processes")
            found = re.search(r"(\d+) of \d+ steps shared", done.err)
            check(found is not None and int(found[1]) >= least, f"{scene}, shared by {count}", done)
            for name, text in whole.items():
                check(folder.read(f"out/{name}") == text, f"{scene}, {more}: {name} of {count} processes")
            divided = load(folder.read("out/summary.json"))["steps_divided"]
            check((divided > 0) == (more is GIVES_UP), f"{scene}: {divided} steps in pieces")
        check_goes_on(folder, "pile.lua", ["0.015", "0.03"], [4, 3], "--accept-unsolved")
        done = launch(folder, 2, "run", "pile.lua", *words, "--until", "0.02", "--fclib", "out/problems", "--json")
        check_status(done, 0, "problems of a pile")
        files = glob.glob(os.path.join(folder.path, "out", "problems", "*.hdf5"))
        found = max([load(folder.cairn("info", path, "--json").out)["solution_error"] for path in files], default=0)
        said = load(done.out)["error_max"]
        check(len(files) == 4 and abs(found - said) < 1e-6 * said, f"a pile: {found} in {len(files)} files, {said} in the run")


def check_residual():
    """What the run says of its steps is what `info` computes from the problems that the first process has written."""
    with Folder() as folder:
        for form in ("local", "global"):
            words = ["run", "box_stack", "--set", "boxes=6", "--until", "0.1", "--out", form, "--fclib", form + "/problems",
                     "--fclib-form", form, "--json"]
            done = launch(folder, 2, *words)
            check_status(done, 0, f"problems of two processes, {form}")
            files = sorted(glob.glob(os.path.join(folder.path, form, "problems", "*.hdf5")))
            found = [load(folder.cairn("info", path, "--json").out)["solution_error"] for path in files]
            said = load(done.out)
            check(len(files) == said["steps_solved"] > 10, f"{form}: {len(files)} problems of {said['steps_solved']} steps")
            check(abs(max(found, default=0) - said["error_max"]) < 1e-6 * said["error_max"],
                  f"{form}: {max(found, default=0)} in the files, {said['error_max']} in the run")


def check_restart():
    """From 3 processes to 2 to 1."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        check_goes_on(folder, "bed.lua", ["0.002", "0.004"], [3, 2])


def check_errors():
    with Folder() as folder:
        folder.write("bed.lua", BED)
        folder.write("bad.lua", "body{}\n")
        done = launch(folder, 3, "run", "bad.lua", "--out", "out")
        check(done.status == 3 and done.err.count("bad.lua:1:") == 1, "a wrong scene is told once", done)
        done = launch(folder, 2, "run", "bed.lua", "--until", "-1")
        check(done.status == 2, "a wrong option", done)
        done = launch(folder, 2, "run", "bed.lua", delay="1e3")
        check(done.status == 2 and "give whole microseconds" in done.err, "a wrong delay", done)


def begin(folder, *words):
    running = subprocess.Popen([*LAUNCH, "-n", "2", PROGRAM, "run", "bed.lua", "--until", "1", "--out", "out", "--checkpoint-steps",
                                "100", "--energy-every", "1000", "--quiet", *words], cwd=folder.path,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    path = os.path.join(folder.path, "out", "checkpoint.h5")
    until = time.monotonic() + 120
    while not os.path.exists(path) and running.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    return running


def children(parent):
    """Processes of the command below a launcher."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        if int(rest[1]) == parent and name.startswith("cairn"):
            found.append(int(text.split()[0]))
    return sorted(found)


def check_full_disk():
    """What the first process alone cannot write ends all of them, with its message."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        running = begin(folder, "--energy-every", "1")
        own = children(running.pid)
        size = os.path.getsize(os.path.join(folder.path, "out", "energy.csv")) + 100000
        if own:
            resource.prlimit(own[0], resource.RLIMIT_FSIZE, (size, size))
        _, text = running.communicate(timeout=240)
        check(running.returncode == 1 and re.search("could not be written|File too large", text) is not None,
              f"a full disk: {running.returncode} {text[-600:]}")
        check_status(folder.cairn("info", "out/checkpoint.h5"), 0, "the checkpoint before the disk was full")


def check_ends():
    """A signal to one process stops all with a checkpoint; a killed one ends all, and the last checkpoint is whole."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        for number, victim in [(signal.SIGTERM, 1), (signal.SIGKILL, 1), (signal.SIGKILL, 0)]:
            shutil.rmtree(os.path.join(folder.path, "out"), ignore_errors=True)
            running = begin(folder)
            own = children(running.pid)
            check(len(own) == 2, f"processes of the run: {own}")
            if len(own) == 2:
                os.kill(own[victim], number)
            _, text = running.communicate(timeout=120)
            check(running.returncode not in (0, None), f"{number} to process {victim}: status {running.returncode}")
            if number == signal.SIGTERM:
                check(running.returncode == 130 and "checkpoint.h5 goes on" in text, f"SIGTERM: {running.returncode} {text[-400:]}")
            done = folder.cairn("info", "out/checkpoint.h5")
            check_status(done, 0, f"the checkpoint after {number} to process {victim}")


def check_stopped():
    """A process that stops answering: the others end after a time that is set, with a message, and the last checkpoint is
    whole."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        for victim in (1, 0):
            shutil.rmtree(os.path.join(folder.path, "out"), ignore_errors=True)
            running = begin(folder, "--rank-timeout", "3")
            own = children(running.pid)
            if len(own) == 2:
                os.kill(own[victim], signal.SIGSTOP)
            _, text = running.communicate(timeout=240)
            check(running.returncode not in (0, None), f"process {victim} stopped: status {running.returncode}")
            check(re.search(r"has not answered process \d for 3 s; the last checkpoint is whole", text) is not None,
                  f"process {victim} stopped: {text[-600:]}")
            until = time.monotonic() + 60
            while any(os.path.exists(f"/proc/{pid}") for pid in own) and time.monotonic() < until:
                time.sleep(0.05)
            check(not any(os.path.exists(f"/proc/{pid}") for pid in own), f"process {victim} stopped: all have ended")
            check_status(folder.cairn("info", "out/checkpoint.h5"), 0, f"the checkpoint before process {victim} stopped")


if shutil.which("mpirun") is None or not os.path.exists(PROGRAM + "-mpi"):
    print("skipped: no launcher, or a build without MPI")
    sys.exit(77)
check_bits()
check_reads()
check_reads_are_told()
check_unshared()
check_more()
check_shared()
check_pile()
check_residual()
check_restart()
check_errors()
check_full_disk()
check_ends()
check_stopped()
finish()
