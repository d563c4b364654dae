# SPDX-License-Identifier: Apache-2.0
# cairn sweep: plans, merged tables, failed rows, and sweeps that are killed and shared.
"""usage: test_sweep.py PROGRAM ROOT"""
import csv
import io
import math
import os
import random
import re
import signal
import subprocess
import time

from command import PROGRAM, Folder, check, check_error, check_status, finish, load

SLOPE = """
local angle = param("angle", 20.5, "slope in degrees", {min = 0, max = 60})
local mu = param("mu", 0.5, "friction", {min = 0, max = 2})
local parts = param("parts", 1, "bricks", { integer = true, min = 1, max = 3})
simulation{ step = 1 / 400, end_time = 0.5 }
material{ name = "stone", density = 2400 }
pair{ "stone", "stone", friction = mu }
local tilt = {axis = {0, 1, 0}, angle = angle}
local normal = {math.sin(math.rad(angle)), 0, math.cos(math.rad(angle))}
body{ name = "slope", kind = "fixed", shape = plane{}, material = "stone", rotation = tilt }
for i = 1, parts do
    body{ name = "brick" .. i, shape = box{ size = {0.2, 0.1, 0.05} }, material = "stone",
          position = {0.025 * normal[1], i - 1, 0.025 * normal[3]}, rotation = tilt }
end
sensor{ name = "speed", body = "brick1", quantity = "velocity" }
"""
GRID = ["sweep", "slope.lua", "--vary", "angle=5:40:8", "--vary", "mu=0.2,0.4,0.9"]


def rows_of(folder, name):
    return list(csv.DictReader(io.StringIO(folder.read(name + "/table.csv"))))


def without_times(text):
    """The table without the columns of times, which stand last."""
    rows = list(csv.reader(io.StringIO(text)))
    kept = [i for i, name in enumerate(rows[0]) if not name.startswith("seconds")]
    return [[row[i] for i in kept] for row in rows]


def check_grid(folder):
    result = folder.cairn(*GRID, "-o", "grid", "--json")
    check_status(result, 0, "grid")
    said = load(result.out)
    check((said["rows"], said["done"], said["failed"]) == (24, 24, 0), f"grid: {said}")
    rows = rows_of(folder, "grid")
    check([row["row"] for row in rows] == [str(i + 1) for i in range(24)], "grid: order")
    check([float(row["angle"]) for row in rows] == [5 + 5 * (i // 3) for i in range(24)],
          "grid: the first parameter changes slowest")
    check([row["mu"] for row in rows] == ["0.2", "0.4", "0.9"] * 8, "grid: words as given")
    for row in rows:
        alpha, mu = math.radians(float(row["angle"])), float(row["mu"])
        a = 9.81 * (math.sin(alpha) - mu * math.cos(alpha))
        speed = math.hypot(float(row["speed velocity x [m/s]"]),
                           float(row["speed velocity z [m/s]"]))
        # the last row of the sensor is that of the end, 0.5 s
        check(abs(speed - max(a, 0.0) * 0.5) < 1e-6, f"grid: speed {speed} in {row['row']}")
        check(row["status"] == "done" and row["message"] == "", "grid: status")
    single = folder.cairn("run", "slope.lua", "--set", "angle=40", "--set", "mu=0.2", "--json")
    check(load(single.out)["state_hash"] == rows[21]["state_hash"], "grid: as cairn run")


def check_average(folder):
    check_status(folder.cairn("sweep", "slope.lua", "--vary", "angle=40", "--set", "mu=0.2", "-o",
                              "mean", "--average-from", "0.25"), 0, "average")
    table = folder.read("mean/rows/0001/sensors.csv").splitlines()
    names = next(csv.reader([table[0]]))
    at, when = names.index("speed velocity x [m/s]"), names.index("time [s]")
    values = [row for row in csv.reader(table[1:]) if float(row[when]) >= 0.25]
    mean = sum(float(row[at]) for row in values) / len(values)
    got = float(rows_of(folder, "mean")[0]["speed velocity x [m/s]"])
    check(len(values) > 10 and abs(got - mean) < 1e-12, f"average: {got}, expected {mean}")


def check_latin(folder):
    words = ["sweep", "slope.lua", "--latin", "20", "--vary", "angle=10:30", "--vary",
             "mu=0.1:1:log", "--vary", "parts=1:3", "--until", "0.02"]
    check_status(folder.cairn(*words, "-o", "latin"), 0, "latin")
    rows = rows_of(folder, "latin")
    strata = sorted(int((float(row["angle"]) - 10) // 1) for row in rows)
    check(strata == list(range(20)), f"latin: one sample a stratum: {strata}")
    strata = sorted(int(20 * math.log(float(row["mu"]) / 0.1) / math.log(10)) for row in rows)
    check(strata == list(range(20)), f"latin: logarithmic strata: {strata}")
    check(all(float(row["parts"]) in (1, 2, 3) for row in rows), "latin: whole numbers")
    check_status(folder.cairn(*words, "-o", "other", "--seed", "7"), 0, "latin, other seed")
    check([r["angle"] for r in rows_of(folder, "other")] != [r["angle"] for r in rows],
          "latin: the seed changes the samples")


def check_failures(folder):
    folder.write("t.csv", "angle,mu\n10,0.1\n70,0.2\nword,1\n20,0.4\n")
    result = folder.cairn("sweep", "slope.lua", "t.csv", "-o", "fails", "--until", "0.02")
    check_status(result, 1, "failed rows")
    rows = rows_of(folder, "fails")
    check([row["status"] for row in rows] == ["done", "failed", "failed", "done"],
          "failed rows: status")
    check("angle = 70 is out of range" in rows[1]["message"] and rows[1]["steps"] == "",
          f"failed rows: message {rows[1]['message']!r}")
    before = os.stat(folder.path + "/fails/rows/0001/summary.json").st_mtime_ns
    check_status(folder.cairn("sweep", "slope.lua", "t.csv", "-o", "fails", "--until", "0.02",
                              "--retry"), 1, "retry")
    check(os.stat(folder.path + "/fails/rows/0001/summary.json").st_mtime_ns == before,
          "retry: rows that are done are left alone")


def check_refusals(folder):
    folder.write("short.csv", "angle,mu\n10\n")
    folder.write("twice.csv", "angle,angle\n10,20\n")
    folder.write("empty.csv", "angle\n")
    for words, status, what in [
            (["--vary", "angl=1,2"], 2, 'no parameter "angl" (it has: angle, mu, parts)'),
            (["--vary", "angle=1:2"], 2, "from:to:points"),
            (["--vary", "angle=1:2:0"], 2, "whole number from 1"),
            (["--vary", "angle=0:2:3:log"], 2, "same sign"),
            (["--vary", "angle=1,,2"], 2, "a value is empty"),
            (["--vary", "angle=0:1:5000", "--vary", "mu=0:1:5000"], 2, "at most 10 million"),
            ([], 2, "either a table of parameters or --vary"),
            (["short.csv"], 3, "short.csv:2: "),
            (["twice.csv"], 3, "twice.csv:1: "),
            (["empty.csv"], 3, "no rows"),
            (["none.csv"], 3, "none.csv"),
            (["--vary", "angle=1", "--shard", "3/2"], 2, "--shard 3/2"),
            (["--vary", "angle=1", "--until", "soon"], 2, "--until")]:
        result = folder.cairn("sweep", "slope.lua", *words, "-o", "refused")
        check_error(result, status, re.escape(what), " ".join(words))
    check(not folder.has("refused/rows"), "refused sweeps start nothing")
    check_error(folder.cairn(*GRID, "-o", "grid", "--until", "0.1"), 2, "holds another sweep",
                "another plan in the folder")
    folder.write("a_file", "")
    check_error(folder.cairn(*GRID, "-o", "a_file"), 1, "not a folder", "a file in the folder's place")


FED = """local a = param("a", 1)
simulation{ step = 0.01, end_time = 0.02 }
local x = require("part")
body{ name = "b", shape = sphere{ radius = 0.1 }, position = {a, x, 0} }
sensor{ name = "p", body = "b", quantity = "position" }
"""


def check_changes(folder):
    """Rows of a scene that has changed since are none of the sweep: the program, or what it reads."""
    words = ["sweep", "fed.lua", "--vary", "a=1,2", "-o", "fed", "--quiet"]
    folder.write("part.lua", "return 1\n")
    folder.write("fed.lua", FED)
    check_status(folder.cairn(*words), 0, "a scene and a file")
    check_status(folder.cairn(*words), 0, "again")
    for name, text in (("fed.lua", FED.replace("0.1 }", "0.2 }")), ("part.lua", "return 2\n")):
        before = folder.read(name)
        folder.write(name, text)
        check_error(folder.cairn(*words), 2, "has been changed since", f"{name} has changed")
        again = folder.cairn(*words, "--retry")
        check_status(again, 0, "rows that failed alone")
        check("rows that are done are of the scene as it was" in again.err, "--retry warns", again)
        folder.write(name, before)
        check_error(folder.cairn(*words), 2, "has been changed since", f"{name} has changed back")
        check_status(folder.cairn(*words, "--retry"), 0, "back")
    check_status(folder.cairn(*words), 0, "as it was")
    # one that is edited while it runs: the second row says so, and is run again
    slow = FED.replace("0.02", "400")
    folder.write("fed.lua", slow)
    words[5:] = ["edited", "--quiet", "--jobs", "1"]
    process = subprocess.Popen([PROGRAM, *words], cwd=folder.path, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not folder.has("edited/rows/0001/energy.csv"):
        time.sleep(0.01)
    folder.write("fed.lua", FED)
    process.wait()
    table = folder.read("edited/table.csv")
    check("the scene was changed while the sweep ran" in table, f"an edited scene: {table}")


def start(folder, *words):
    return subprocess.Popen([PROGRAM, *GRID, *words, "-o", "killed", "--quiet"], cwd=folder.path,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def check_killed(folder):
    """Two shards at once, killed at random moments, then left to end; a third one helps."""
    chance = random.Random(20261122)
    for _ in range(6):
        both = [start(folder, "--jobs", "2", "--shard", f"{i}/2") for i in (1, 2)]
        time.sleep(chance.uniform(0.02, 0.4))
        for process in both:
            process.send_signal(signal.SIGKILL)
            process.wait()
    both = [start(folder, "--jobs", "1") for _ in (1, 2)]
    check([process.wait(timeout=120) for process in both] == [0, 0], "killed: both end well")
    check(without_times(folder.read("killed/table.csv")) ==
          without_times(folder.read("grid/table.csv")), "killed: the table of an undisturbed sweep")
    # killed between a result and the end of its claim
    stale = f"killed/rows/{folder.list('killed/rows')[0]}/claim"
    folder.write(stale, f"{os.uname().nodename} 4194304 1\n")
    check(start(folder, "--jobs", "1").wait(timeout=120) == 0 and not folder.has(stale), "killed: a claim of nobody goes")
    left = [name for row in folder.list("killed/rows") for name in folder.list("killed/rows/" + row)
            if name == "claim" or name.endswith(".part")]
    check(not left, f"killed: nothing is left behind: {left}")


def check_interrupted(folder):
    long = ["sweep", "slope.lua", "--vary", "mu=0.1,0.2,0.3,0.4", "--until", "400", "-o", "long",
            "--jobs", "2"]
    process = subprocess.Popen([PROGRAM, *long], cwd=folder.path, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not folder.has("long/rows/0002/energy.csv"):
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    check(process.wait(timeout=60) == 130, "interrupted: exit status")
    check(folder.has("long/rows/0001/checkpoint.h5") and not folder.has("long/rows/0001/row.csv") and
          not folder.has("long/rows/0001/claim"), "interrupted: a checkpoint, no result, no claim")


with Folder() as place:
    place.write("slope.lua", SLOPE)
    check_grid(place)
    check_average(place)
    check_latin(place)
    check_failures(place)
    check_refusals(place)
    check_changes(place)
    check_killed(place)
    check_interrupted(place)
finish()
