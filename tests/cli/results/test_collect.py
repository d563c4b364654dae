# SPDX-License-Identifier: Apache-2.0
# cairn collect: problems of several runs, near copies, interruption, wrong plans.
"""usage: test_collect.py PROGRAM ROOT"""
import csv
import io
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import PROGRAM, ROOT, Folder, check, check_error, check_status, finish, load

# two blocks that slide with other friction, and come to rest
SLIDE = """
local mu = param("mu", 0.5, "friction", {min = 0, max = 2})
simulation{ step = 1 / 400, end_time = 0.2 }
material{ name = "stone", density = 2000 }
pair{ friction = mu }
ground{ material = "stone" }
for i = 1, 2 do
    body{ name = "block" .. i, shape = box{ size = {0.2, 0.2, 0.1} }, material = "stone",
          position = {i, 0, 0.05}, velocity = {0.3 * i, 0, 0} }
end
"""
PLAN = """scene,mu,every,when,until
slide.lua,0.2,10,contacts > 3,
slide.lua,0.6,10,contacts > 3,0.1
slide.lua,,20,contacts > 100,
"""


def index_of(folder, name):
    return list(csv.DictReader(io.StringIO(folder.read(name + "/index.csv"))))


def check_collection(folder):
    result = folder.cairn("collect", "plan.csv", "-o", "all", "--json", "--likeness", "0")
    check_status(result, 0, "collection")
    said = load(result.out)
    rows = index_of(folder, "all")
    check((said["rows"], said["done"], said["failed"]) == (3, 3, 0), f"rows: {said}")
    check(said["problems"] == len(rows) and len(rows) >= 8, f"problems: {said}")
    check(sorted(row["file"] for row in rows) == folder.list("all/problems"), "files of the index")
    for row in rows:
        check(row["scene"] == "slide" and row["contacts"] == "8" and row["existence"] == "exists",
              f"row {row}")
        check(row["solve"] == "solved" and float(row["error"]) <= 1e-8, f"solve {row}")
        check(float(row["friction_maximum"]) == {"1": 0.2, "2": 0.6}[row["row"]], "friction")
        # what the index says holds for the file
        told = load(folder.cairn("solve", "all/problems/" + row["file"], "--json").out)
        check(told["status"] == "solved" and str(told["contacts"]) == row["contacts"], "solve")
    info = folder.cairn("info", "all/problems/" + rows[0]["file"]).out
    check("mu=0.2" in info and "existence: exists" in info and rows[0]["difficulty"] in info,
          f"provenance: {info}")
    empty = folder.read("all/rows/0003/row.csv").splitlines()
    check(empty[1] == "3,empty,", f"a run without such steps: {empty[1:]}")
    # again: nothing to do, same index
    before = folder.read("all/index.csv")
    again = folder.cairn("collect", "plan.csv", "-o", "all", "--json", "--likeness", "0")
    check(load(again.out)["problems"] == len(rows), "again")
    check(folder.read("all/index.csv") == before, "the same index again")
    other = folder.cairn("collect", "plan.csv", "-o", "all", "--most", "3")
    check_error(other, 2, "another sweep", "other options")
    scene = next(name for name in folder.names() if name.endswith(".lua"))
    text = folder.read(scene)
    folder.write(scene, text + "\n")
    changed = folder.cairn("collect", "plan.csv", "-o", "all", "--likeness", "0")
    check_error(changed, 2, "has been changed since", "another scene of that name")
    folder.write(scene, text)


# sliding and resting blocks differ; steps of a slide under the same friction are alike but for the
# speed, which a coarse look does not see
def check_copies(folder):
    result = folder.cairn("collect", "plan.csv", "-o", "few", "--json", "--likeness", "1")
    said = load(result.out)
    check(said["problems"] == 2 and said["copies"] >= 6, f"copies: {said}")
    check(len(folder.list("few/problems")) == 2, "files of copies are removed")
    rows = index_of(folder, "few")
    check([row["row"] for row in rows] == ["1", "2"], "the first of each friction stays")


def without_times(text):
    return [[value for name, value in row.items() if name != "microseconds"]
            for row in csv.DictReader(io.StringIO(text))]


def check_interrupted(folder):
    folder.write("long.csv", "scene,mu,every,until\n" + "".join(
        f"slide.lua,0.{k},10,{1 + k}\n" for k in range(1, 7)))
    check_status(folder.cairn("collect", "long.csv", "-o", "whole", "--quiet"), 0, "whole")
    for stop in (signal.SIGINT, signal.SIGKILL):
        name = f"cut{int(stop)}"
        process = subprocess.Popen([PROGRAM, "collect", "long.csv", "-o", name, "--quiet"],
                                   cwd=folder.path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not folder.has(name + "/rows/0002/row.csv"):
            time.sleep(0.01)
        process.send_signal(stop)
        status = process.wait()
        check(status in ((130, 0) if stop == signal.SIGINT else (-9, 0)), f"ended with {status}")
        check_status(folder.cairn("collect", "long.csv", "-o", name, "--quiet"), 0, "goes on")
        check(without_times(folder.read(name + "/index.csv")) ==
              without_times(folder.read("whole/index.csv")), "the index of an undisturbed one")
        check(folder.list(name + "/problems") == folder.list("whole/problems"), "its files")


def check_wrong(folder):
    check_error(folder.cairn("collect", "absent.csv", "-o", "x"), 3, "absent.csv", "no plan")
    folder.write("nameless.csv", "mu,every\n0.3,10\n")
    check_error(folder.cairn("collect", "nameless.csv", "-o", "x"), 3, "row 1 names no scene", "plan without scenes")
    check_error(folder.cairn("collect", "plan.csv", "-o", "x", "--fclib-form", "both"), 2, "both", "form")
    folder.write("wrong.csv", "scene,until\nnowhere.lua,0.1\nslide.lua,0.05\n")
    result = folder.cairn("collect", "wrong.csv", "-o", "wrong", "--json")
    said = load(result.out)
    check(result.status == 1 and (said["done"], said["failed"]) == (1, 1), f"wrong: {said}")
    check("nowhere" in folder.read("wrong/rows/0001/row.csv"), "the reason is in row.csv")
    folder.write("nowhere.lua", SLIDE)
    check_error(folder.cairn("collect", "wrong.csv", "-o", "wrong"), 2, "has been changed since", "a scene that came")
    check_status(folder.cairn("collect", "wrong.csv", "-o", "wrong", "--retry"), 0, "retry")


# every row of the built-in plan names a scene that is there
def check_built_in():
    folder = os.path.join(ROOT, "scenes/library/collection")
    with open(os.path.join(folder, "plan.csv")) as file:
        rows = list(csv.DictReader(file))
    check(len(rows) >= 150, "rows of the built-in plan")
    for row in rows:
        here = os.path.join(folder, row["scene"])
        there = os.path.join(ROOT, "scenes/library", row["scene"] + ".lua")
        check(os.path.exists(here) or os.path.exists(there), f"scene {row['scene']}")


def main():
    with Folder() as folder:
        folder.write("slide.lua", SLIDE)
        folder.write("plan.csv", PLAN)
        check_collection(folder)
        check_copies(folder)
        check_interrupted(folder)
        check_wrong(folder)
    check_built_in()


main()
finish()
