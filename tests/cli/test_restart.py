# SPDX-License-Identifier: Apache-2.0
# Runs that are interrupted, killed or cut in two end as those that were not, file for file.
"""usage: test_restart.py PROGRAM ROOT"""
import json
import os
import random
import signal
import subprocess
import time

from command import PROGRAM, Folder, check, check_error, check_status, finish
from readable import check_readable
from same import check_same, h5py

HEAP = """
title "heap"
simulation{ step = 1 / 500, end_time = 2 }
material{ name = "stone", density = 2000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "stone" }
for i = 0, 19 do
  body{ name = "block" .. i, shape = box{ size = {0.2, 0.2, 0.1} }, material = "stone",
        position = {0.03 * (i % 3), 0.02 * (i % 2), 0.06 + 0.11 * i} }
end
sensor{ name = "floor", body = "ground", quantity = "force" }
"""


def words(scene, out, until, *more):
    return ["run", scene, "--until", str(until), "--out", out, "--hash", out + "/hash.csv",
            "--fclib", out + "/fclib", "--fclib-every", "5", "--quiet", *more]


def prepare(folder, out):
    os.makedirs(os.path.join(folder.path, out))


def check_scene(folder, scene, *more):
    """A run against one in three parts, by other numbers of threads."""
    a, b = (f"runs/{'_'.join([scene, *more])}/{part}" for part in "ab")
    prepare(folder, a)
    prepare(folder, b)
    check_status(folder.cairn(*words(scene, a, 0.16, *more)), 0, scene)
    check_status(folder.cairn(*words(scene, b, 0.08, *more)), 0, scene)
    for threads, until in ((2, 0.12), (3, 0.16)):
        check_status(folder.cairn(*words(scene, b, until, "--threads", str(threads), "--restart",
                                         b + "/checkpoint.h5", *more)), 0, scene)
    check_same(folder, a, b, " ".join([scene, *more]))
    return b


def check_automatic(folder):
    """--step auto chooses the same step again when a run goes on, and no other goes on with it."""
    for law in ("hooke", "hertz_mindlin"):
        few = ["--set", "spheres=40", "--law", law]
        out = check_scene(folder, "sphere_heap", *few, "--step", "auto")
        other = folder.cairn("run", "sphere_heap", *few, "--restart", out + "/checkpoint.h5")
        check(other.status == 3 and "settings of the step" in other.err,
              f"{law}: another step", other)


def start(folder, *arguments):
    return subprocess.Popen([PROGRAM, *arguments], cwd=folder.path, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path, process):
    for _ in range(2000):
        if os.path.exists(path) or process.poll() is not None:
            return
        time.sleep(0.005)


def check_interrupt(folder, number):
    """A signal ends the run with status 130 and a checkpoint, from which it goes on."""
    out = f"stop{number}"
    prepare(folder, out)
    running = start(folder, *words("heap.lua", out, 2))
    wait_for(os.path.join(folder.path, out, "resolved.json"), running)
    time.sleep(0.05)
    running.send_signal(number)
    _, text = running.communicate(timeout=60)
    if running.returncode == 0:
        print("the run was over before the signal came")
    else:
        check(running.returncode == 130, f"signal {number}: status {running.returncode}: {text}")
        check("checkpoint.h5 goes on" in text, f"signal {number}: {text}")
        check_status(folder.cairn(*words("heap.lua", out, 2, "--restart", out + "/checkpoint.h5")),
                     0, "after a signal")
    check_same(folder, "whole", out, f"signal {number}")


def check_asked(folder):
    """SIGUSR1 asks for a checkpoint of a run that goes on."""
    out = "asked"
    prepare(folder, out)
    running = start(folder, *words("heap.lua", out, 2, "--checkpoint-every", "0"))
    wait_for(os.path.join(folder.path, out, "resolved.json"), running)
    time.sleep(0.05)
    if h5py and running.poll() is None:
        with h5py.File(os.path.join(folder.path, out, "trajectory.h5"), swmr=True) as file:
            check(file["time"].shape[0] > 0 and "box" in file["scene_text"][()].decode(),
                  "the trajectory of a run that goes on")
    running.send_signal(signal.SIGUSR1)
    _, text = running.communicate(timeout=60)
    check(running.returncode == 0, f"SIGUSR1: status {running.returncode}: {text}")
    check_same(folder, "whole", out, "SIGUSR1")


def check_killed(folder):
    """Killed again and again, a run that saves at every few steps still comes to the same end; what
    it left reads each time."""
    rng = random.Random(5)
    out = "killed"
    every = ["--trajectory-every", "1", "--paraview-every", "2"]
    prepare(folder, out)
    prepare(folder, "unkilled")
    begun = time.monotonic()
    check_status(folder.cairn(*words("heap.lua", "unkilled", 1, *every)), 0, "unkilled")
    whole = time.monotonic() - begun
    checkpoint = os.path.join(folder.path, out, "checkpoint.h5")
    kills = 0
    for _ in range(12):
        more = ["--restart", out + "/checkpoint.h5"] if os.path.exists(checkpoint) else []
        running = start(folder, *words("heap.lua", out, 1, "--checkpoint-steps", "3", *every, *more))
        try:
            _, text = running.communicate(timeout=whole * (0.05 + 0.2 * rng.random()))
            check(running.returncode == 0, f"after {kills} kills: {text}")
            break
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            kills += 1
            check_readable(folder, out, f"kill {kills}", parts=True)
    else:
        check_status(folder.cairn(*words("heap.lua", out, 1, *every, "--restart",
                                         out + "/checkpoint.h5")), 0, "after the kills")
    print(f"{kills} kills")
    check(kills > 2, f"only {kills} kills")
    check_same(folder, "unkilled", out, f"{kills} kills")


def check_wrong(folder):
    check_error(folder.cairn("run", "heap.lua", "--step", "0.001", "--restart",
                             "whole/checkpoint.h5"), 3, "settings of the step", "other step")
    check_error(folder.cairn("run", "chain", "--restart", "whole/checkpoint.h5"), 3,
                "is of a world with other", "other scene")
    data = open(os.path.join(folder.path, "whole/checkpoint.h5"), "rb").read()
    folder.write("cut.h5", data[:-100])
    check_error(folder.cairn("run", "heap.lua", "--restart", "cut.h5"), 3, "cut short", "cut")
    folder.write("bad.h5", data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])
    check_error(folder.cairn("info", "bad.h5"), 3, "checksum", "changed")
    folder.write("short/energy.csv", "step\n")
    check_error(folder.cairn("run", "heap.lua", "--restart", "whole/checkpoint.h5", "--out",
                             "short"), 1, "of another run", "files of another run")
    info = folder.cairn("info", "whole/checkpoint.h5", "--json")
    check_status(info, 0, "info")
    check(json.loads(info.out)["steps"] == 1000, "info of a checkpoint", info)


def check_kept(folder):
    check_status(folder.cairn("run", "heap.lua", "--until", "0.1", "--checkpoint-steps", "10",
                              "--checkpoint-keep", "3", "--out", "kept", "--quiet"), 0, "keep")
    steps = [json.loads(folder.cairn("info", f"kept/{name}", "--json").out)["steps"]
             for name in ("checkpoint.h5", "checkpoint.1.h5", "checkpoint.2.h5")]
    check(steps == [50, 40, 30] and not folder.has("kept/checkpoint.3.h5"), f"kept: {steps}")
    # in a folder of its own a restarted run begins new files at the checkpoint
    check_status(folder.cairn("run", "heap.lua", "--until", "0.12", "--restart",
                              "kept/checkpoint.h5", "--out", "fresh", "--quiet"), 0, "fresh folder")
    rows = folder.read("fresh/energy.csv").splitlines()
    check([int(row.split(",")[0]) for row in rows[1:]] == list(range(50, 61)), "fresh: rows")


def main():
    with Folder() as folder:
        check_automatic(folder)
        folder.write("heap.lua", HEAP)
        prepare(folder, "whole")
        check_status(folder.cairn(*words("heap.lua", "whole", 2)), 0, "whole")
        check_interrupt(folder, signal.SIGINT)
        check_interrupt(folder, signal.SIGTERM)
        check_asked(folder)
        check_killed(folder)
        check_wrong(folder)
        check_kept(folder)
    finish()


if __name__ == "__main__":
    main()
