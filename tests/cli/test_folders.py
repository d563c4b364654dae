# SPDX-License-Identifier: Apache-2.0
# The folder of a run: one run at a time, nothing of an earlier one among its files, and what was
# there stays where a run does not begin.
import glob
import os
import signal
import subprocess
import time

from command import PROGRAM, SMALL, Folder, check, check_error, check_status, finish, load

LONG = SMALL.replace("end_time = 0.05", "end_time = 100000")
FALL = SMALL.replace("{0, 0, 0.05}", "{0, 0, 0.06}")


def contents(folder, name):
    """Names and bytes of all files below a folder."""
    found = {}
    for root, _, files in os.walk(os.path.join(folder.path, name)):
        for file in files:
            path = os.path.join(root, file)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, os.path.join(folder.path, name))] = stream.read()
    return found


def start(folder, *words):
    return subprocess.Popen([PROGRAM, "run", *words], cwd=folder.path, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def wait_for(folder, name, run):
    while not folder.has(name) and run.poll() is None:
        time.sleep(0.02)


def check_second_run():
    with Folder() as folder:
        folder.write("long.lua", LONG)
        folder.write("small.lua", SMALL)
        first = start(folder, "long.lua", "--out", "r", "--quiet")
        wait_for(folder, "r/energy.csv", first)
        for words in (("--out", "r"), ("--out", "./r/."), ("--out", "other", "--fclib", "r")):
            result = folder.cairn("run", "small.lua", *words)
            check_error(result, 1, rf"another run.*process {first.pid} on .* since 20", f"a second run, {words}")
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)
        check(first.returncode == 130, f"the first run: exit status {first.returncode}")
        rows = folder.read("r/energy.csv").splitlines()
        check([int(row.split(",")[0]) for row in rows[1:]] == list(range(len(rows) - 1)), "its table is its own")
        check(not folder.has("r/run.lock"), "no lock stays")


def check_owner_gone():
    with Folder() as folder:
        folder.write("long.lua", LONG)
        folder.write("small.lua", SMALL)
        first = start(folder, "long.lua", "--out", "r", "--quiet")
        wait_for(folder, "r/energy.csv", first)
        first.kill()
        first.communicate(timeout=60)
        check(folder.has("r/run.lock"), "a killed run leaves its lock file")
        result = folder.cairn("run", "small.lua", "--out", "r", "--json")
        check_status(result, 0, "the folder of a run that was killed")
        check(len(folder.read("r/energy.csv").splitlines()) == 12, "the table has the new run's rows alone")


def check_simultaneous_starts():
    with Folder() as folder:
        folder.write("long.lua", LONG)
        for attempt in range(3):
            runs = [start(folder, "long.lua", "--out", f"r{attempt}", "--quiet") for _ in range(6)]
            wait_for(folder, f"r{attempt}/energy.csv", runs[0])
            deadline = time.monotonic() + 60
            while sum(run.poll() is None for run in runs) > 1 and time.monotonic() < deadline:
                time.sleep(0.02)
            left = [run for run in runs if run.poll() is None]
            check(len(left) == 1, f"of six simultaneous starts {len(left)} run")
            for run in left:
                run.send_signal(signal.SIGTERM)
            statuses = []
            for run in runs:
                run.communicate(timeout=60)
                statuses.append(run.returncode)
            check(sorted(statuses) == [1] * 5 + [130], f"six simultaneous starts: {statuses}")


def check_earlier_results():
    """Everything of the earlier run goes, and nothing else."""
    with Folder() as folder:
        folder.write("fall.lua", FALL)
        folder.write("small.lua", SMALL.replace('sensor{', '--sensor{'))
        folder.write("r/notes.txt", "mine")
        folder.write("r/paraview/view.pvsm", "mine")
        folder.write("r/fclib/mine.hdf5", "mine")
        words = ("--out", "r", "--checkpoint-steps", "2", "--checkpoint-keep", "4")
        first = folder.cairn("run", "fall.lua", *words, "--until", "0.2", "--paraview-every", "1", "-q")
        check_status(first, 0, "the first run")
        check_status(folder.cairn("run", "fall.lua", "--out", "p", "--fclib", "r/fclib", "-q"), 0, "problems")
        before = contents(folder, "r")
        check(any("bodies_000030.vtp" in name for name in before), f"frames of the first run: {len(before)}")
        second = folder.cairn("run", "small.lua", "--out", "r", "--paraview-every", "0", "--trajectory-every", "0")
        check_status(second, 0, "the second run")
        check("replaces the results of scene fall" in second.err, "the second run says whose results go", second)
        check(sorted(contents(folder, "r")) ==
              ["bodies.csv", "checkpoint.h5", "energy.csv", "fclib/mine.hdf5", "notes.txt", "paraview/view.pvsm",
               "resolved.json", "summary.json", "summary.txt"], f"after the second run: {sorted(contents(folder, 'r'))}")


def check_problems_of_earlier_run():
    with Folder() as folder:
        folder.write("fall.lua", FALL)
        folder.write("other.lua", FALL)
        check_status(folder.cairn("run", "other.lua", "--fclib", "p", "-q"), 0, "problems of another scene")
        others = set(folder.list("p"))
        check_status(folder.cairn("run", "fall.lua", "--fclib", "p", "-q"), 0, "problems")
        check_status(folder.cairn("run", "fall.lua", "--fclib", "p", "--fclib-every", "100", "-q"), 0, "no problems")
        check(set(folder.list("p")) == others, f"problems of another scene alone stay: {folder.list('p')}")


def check_failed_start():
    """What was there stays to the byte where a run cannot begin."""
    with Folder() as folder:
        folder.write("fall.lua", FALL)
        words = ("--out", "r", "-q", "--fclib", "r/fclib", "--paraview-every", "1")
        check_status(folder.cairn("run", "fall.lua", *words), 0, "the first run")
        before = contents(folder, "r")
        # places of files that are taken: the opening fails at each in turn
        for name in ("energy.csv", "sensors.csv", "trajectory.h5", "resolved.json"):
            path = os.path.join(folder.path, "r", name)
            os.rename(path, path + ".saved")
            os.makedirs(path + "/full")
            result = folder.cairn("run", "fall.lua", "--out", "r", "-q")
            check(result.status == 1, f"{name} is a folder: exit status {result.status}", result)
            os.rmdir(path + "/full")
            os.rmdir(path)
            os.rename(path + ".saved", path)
            check(contents(folder, "r") == before, f"{name} is a folder: all others are what they were")
        bad = folder.cairn("run", "fall.lua", "--out", "r", "--hash", "no/such/folder/hashes")
        check_error(bad, 1, "no/such/folder", "hashes that cannot be written")
        check(contents(folder, "r") == before, "hashes that cannot be written: all is what it was")
        # a process that was killed while it opened its files
        os.makedirs(os.path.join(folder.path, "r/.earlier/paraview"))
        os.rename(os.path.join(folder.path, "r/energy.csv"), os.path.join(folder.path, "r/.earlier/energy.csv"))
        folder.write("r/energy.csv", "half of a row")
        bad = folder.cairn("run", "fall.lua", "--out", "r", "--hash", "no/such/folder/hashes")
        check(contents(folder, "r").get("energy.csv") == before["energy.csv"], "a start that was killed is undone", bad)


def check_end_before_restart():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        check_status(folder.cairn("run", "small.lua", "--out", "r", "-q"), 0, "a run")
        before = contents(folder, "r")
        result = folder.cairn("run", "small.lua", "--out", "r", "--restart", "r/checkpoint.h5", "--until", "0.02")
        check_error(result, 2, r"--until 0\.02.*0\.05", "--until before the restart's time")
        check(contents(folder, "r") == before, "--until before the restart's time: nothing changes")
        again = folder.cairn("run", "small.lua", "--out", "r", "--restart", "r/checkpoint.h5", "--json")
        check_status(again, 0, "--restart at the end")
        check(load(again.out)["steps"] == 10, "--restart at the end: nothing is left to do", again)


check_second_run()
check_owner_gone()
check_simultaneous_starts()
check_earlier_results()
check_problems_of_earlier_run()
check_failed_start()
check_end_before_restart()
finish()
