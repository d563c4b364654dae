# SPDX-License-Identifier: Apache-2.0
# Files on which HDF5 1.10 crashes: every command that reads says so in one line and goes on living.
"""usage: test_damaged.py PROGRAM ROOT"""
import os
import shutil

from command import ROOT, SMALL, Folder, check, check_error, check_status, finish, load

DAMAGED = os.path.join(ROOT, "tests/cli/damaged")
REFUSED = r"damaged \(HDF5 could not read it\)$"
try:
    import h5py
    if not h5py.version.hdf5_version.startswith("1.10."):
        # another version of the library may refuse by itself what 1.10 crashes on
        REFUSED = ": "
except ImportError:
    REFUSED = ": "
WITH_OPTIONS = ["--json"]


def kept(name):
    return os.path.join(DAMAGED, name)


def check_problem(folder):
    path = kept("problem.hdf5")
    for words in (["info"], ["solve"], ["check"]):
        for more in ([], WITH_OPTIONS):
            result = folder.cairn(*words, path, *more)
            check_error(result, 3, REFUSED, f"{words[0]} of a damaged problem", told=bool(more))
            check("problem.hdf5" in result.err, f"{words[0]} names the file", result)
    # what else there is to solve is solved
    good = os.path.join(ROOT, "tests/fuzz/corpus/problem/local.hdf5")
    result = folder.cairn("solve", path, good, "--json")
    check(result.status in (3, 5) and '"status"' in result.out, "solve goes on with the next file", result)
    result = folder.cairn("bench", path, good, "--solvers", "gauss_seidel", "--quiet")
    check(result.status in (0, 5), "bench goes on with the next file", result)


def check_checkpoint(folder):
    path = kept("checkpoint.h5")
    check_error(folder.cairn("info", path), 3, REFUSED, "info of a damaged checkpoint")
    check_error(folder.cairn("run", "small.lua", "--restart", path, "--out", "none"), 3, REFUSED,
                "--restart from a damaged checkpoint")
    check(not folder.has("none"), "--restart from a damaged checkpoint leaves no folder")


def check_trajectory(folder):
    path = kept("trajectory.h5")
    check_error(folder.cairn("info", path), 3, REFUSED, "info of a damaged trajectory")
    result = folder.cairn("render", path, "-o", "a.png")
    check(result.status in (3, 4) and len(result.err.strip().split("\n")) == 1,
          "render of a damaged trajectory", result)
    # a run that goes on with one keeps what is there
    run = ["run", "small.lua", "--out", "r", "--quiet", "--trajectory-every", "1"]
    check_status(folder.cairn(*run, "--until", "0.02"), 0, "a run")
    info = load(folder.cairn("info", "r/trajectory.h5", "--json").out)
    check(info["kind"] == "trajectory" and info["frames"] == 5 and info["bodies"] == 2
          and info["scene"] == "small" and abs(info["until"] - 0.02) < 1e-12, f"info of a trajectory: {info}")
    text = folder.cairn("info", "r/trajectory.h5").out
    check("5, from 0 to 0.02 s" in text and "cairn run small.lua" in text, f"info of a trajectory: {text}")
    # what a file is called does not matter
    shutil.copy(os.path.join(ROOT, "tests/fuzz/corpus/problem/local.hdf5"), folder.path + "/problem.h5")
    check("contact problem" in folder.cairn("info", "problem.h5").out, "info of a problem in a .h5 file")
    shutil.copy(path, os.path.join(folder.path, "r/trajectory.h5"))
    check_error(folder.cairn(*run, "--restart", "r/checkpoint.h5"), 1, REFUSED,
                "going on with a damaged trajectory")
    check_status(folder.cairn("info", "r/checkpoint.h5"), 0, "the checkpoint is still there")
    check_status(folder.cairn(*run, "--out", "fresh", "--restart", "r/checkpoint.h5"), 0,
                 "going on in a folder of its own")


with Folder() as folder:
    folder.write("small.lua", SMALL)
    check_problem(folder)
    check_checkpoint(folder)
    check_trajectory(folder)
finish()
