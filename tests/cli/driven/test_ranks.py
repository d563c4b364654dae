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

LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
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
POUR = """
simulation{ step = 1e-4, end_time = 0.05 }
material{ name = "m", density = 2500 }
pair{ law = "hooke", friction = 0.4 }
ground{ material = "m" }
emitter{ region = { min = {0, 0, 0.1}, max = {0.1, 0.1, 0.15} }, rate = 2000, material = "m", shape = sphere{ radius = 0.004 },
         velocity = {0, 0, -1} }
"""


def launch(folder, count, *words, timeout=120, delay=0):
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
        folder.write("pour.lua", POUR)
        for scene, words, counts in [("bed.lua", ["--energy-every", "50", "--trajectory-every", "100"], [(2, 1), (3, 2), (7, 1)]),
                                     ("bed.lua", ["--set", "law=hertz_mindlin", "--energy-every", "64", "--trajectory-every", "150"], [(2, 2)]),
                                     ("few.lua", [], [(3, 1)]), ("pour.lua", [], [(2, 1)]), ("chain", ["--until", "0.1"], [(2, 2)])]:
            one, alone = run_as(folder, 1, scene, 1, *words)
            for count, threads in counts:
                name, done = run_as(folder, count, scene, threads, *words)
                check_same(folder, one, name, f"{scene}, {count} processes")
                check(load(done.out)["state_hash"] == load(alone.out)["state_hash"], f"{scene}: state hash of {count}")
                shutil.rmtree(os.path.join(folder.path, name))
            shutil.rmtree(os.path.join(folder.path, one))


def check_shared():
    """The bed is shared, and each process sends what the other's pairs need; hashes need all."""
    with Folder() as folder:
        folder.write("bed.lua", BED)
        done = launch(folder, 2, "run", "bed.lua", "--out", "out", "--energy-every", "1000", "--paraview", "none",
                      "--trajectory-every", "0")
        check_status(done, 0, "a shared bed")
        found = re.search(r"2 processes: (\d+) of 600 steps shared; the first one sent (\S+) kB a step, .*; (\d+) of its", done.err)
        check(found is not None, "what was shared is said", done)
        if found is None:
            return
        steps, sent, slots = int(found[1]), 1e3 * float(found[2]), int(found[3])
        # half of 4000 slots in chunks of 128, some 140 bytes each for sums
        check(steps > 300 and 0 < slots < 2000, f"shared: {found[0]}")
        check(sent < 96 * 1.3 * 2 * slots + 16 * 200, f"{sent} bytes a step for {slots} slots")


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
        words = ["--hash", "out/hash.csv", "--energy-every", "10", "--quiet"]
        check_status(folder.cairn("run", "bed.lua", "--out", "out", *words), 0, "whole")
        os.rename(os.path.join(folder.path, "out"), os.path.join(folder.path, "whole"))
        check_status(launch(folder, 3, "run", "bed.lua", "--out", "out", "--until", "0.002", *words), 0, "three")
        again = ["run", "bed.lua", "--out", "out", "--restart", "out/checkpoint.h5", *words]
        check_status(launch(folder, 2, *again, "--until", "0.004"), 0, "two go on")
        check_status(folder.cairn(*again), 0, "one goes on")
        check(folder.read("whole/hash.csv") == folder.read("out/hash.csv"), "hashes of every step, 3, 2 and 1 processes")
        check(folder.read("whole/bodies.csv") == folder.read("out/bodies.csv"), "bodies.csv, 3, 2 and 1 processes")


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


if shutil.which("mpirun") is None or not os.path.exists(PROGRAM + "-mpi"):
    print("skipped: no launcher, or a build without MPI")
    sys.exit(77)
check_bits()
check_shared()
check_residual()
check_restart()
check_errors()
check_full_disk()
check_ends()
finish()
