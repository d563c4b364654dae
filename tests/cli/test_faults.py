# SPDX-License-Identifier: Apache-2.0
# What goes wrong around a run: a full disk, places that cannot be written, numbers that overflow,
# bounds that are left. One clear line, the right exit status, and what was written before stays.
"""usage: test_faults.py PROGRAM ROOT"""
import glob
import os
import resource
import subprocess

from command import PROGRAM, SMALL, Folder, Result, check, check_error, check_status, finish, load

RUN = ["run", "small.lua", "--out", "r", "--quiet", "--fclib", "r/fclib", "--fclib-form", "both",
       "--hash", "hash.csv", "--paraview-every", "1", "--trajectory-every", "1",
       "--checkpoint-steps", "2"]


def run_limited(folder, most, *words):
    """Files cannot grow beyond so many bytes; writing more fails, as on a full disk."""
    done = subprocess.run([PROGRAM, *words], cwd=folder.path, timeout=120, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          # the signal that goes with the limit stays ignored, as in this process
                          restore_signals=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    return Result(done)


def check_failed(result, what):
    """Status 1 and a line for each file that could not be written to its end."""
    check_status(result, 1, what)
    lines = result.err.strip().split("\n")
    check(all(line.startswith("cairn: error: ") for line in lines) and len(lines) < 5 and not result.out,
          f"{what}: messages", result)


def check_checkpoints(folder, what):
    for path in glob.glob(folder.path + "/r/checkpoint*.h5"):
        name = os.path.relpath(path, folder.path)
        check_status(folder.cairn("info", name), 0, f"{what}: {name} reads")


def check_frames_before():
    """Wherever in a frame there is no more room, the frames before it stay readable, and a run goes on with them."""
    check_limits(range(60000, 165000, 9000), "--contacts-every", "0")
    check_limits(range(160000, 520000, 60000))


def check_limits(limits, *options):
    found = set()
    for most in limits:
        with Folder() as folder:
            words = ["run", "box_stack", "--until", "0.1", "--out", "r", "--quiet", "--trajectory-every", "1", "--paraview", "none",
                     "--checkpoint-steps", "4", *options]
            result = run_limited(folder, most, *words)
            check(result.status == 1 and "trajectory.h5" in result.err, f"frames in {most} bytes", result)
            if not folder.has("r/trajectory.h5"):
                continue
            told = folder.cairn("info", "r/trajectory.h5", "--json")
            check_status(told, 0, f"frames before {most} bytes")
            found.add(load(told.out).get("frames"))
            if most % 4 == 0 and folder.has("r/checkpoint.h5"):
                again = folder.cairn(*words, "--restart", "r/checkpoint.h5")
                check_status(again, 0, f"on from {most} bytes")
    check(len(found) > len(limits) // 2 - 1, f"frames that were left: {found}")


def check_full_disk():
    failed = 0
    for most in (0, 10, 100, 500, 1000, 2000, 3000, 5000, 8000, 12000, 17000, 20000, 25000, 30000,
                 40000, 60000):
        with Folder() as folder:
            folder.write("small.lua", SMALL)
            result = run_limited(folder, most, *RUN)
            what = f"files of {most} bytes"
            if result.status == 0:
                continue
            failed += 1
            check_failed(result, what)
            check_checkpoints(folder, what)
    check(failed > 10, f"full disk: only {failed} of 16 failed")


def check_full_later():
    """A run that was fine and goes on with no room left keeps its last checkpoint."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        check_status(folder.cairn(*RUN, "--until", "0.02"), 0, "room at first")
        result = run_limited(folder, 6000, *RUN, "--restart", "r/checkpoint.h5")
        check(result.status in (1, 3), "no room later: it fails", result)
        check_checkpoints(folder, "no room later")
        check_status(folder.cairn(*RUN, "--out", "again", "--restart", "r/checkpoint.h5"), 0,
                     "no room later: the checkpoint still restarts")


def check_blocked():
    """Every writer's place is taken by a folder, or its folder by a file."""
    for name in ("summary.json.part", "resolved.json.part", "bodies.csv.part", "energy.csv",
                 "sensors.csv", "trajectory.h5.part", "checkpoint.h5.part"):
        with Folder() as folder:
            folder.write("small.lua", SMALL)
            folder.write(f"r/{name}/file", "")
            result = folder.cairn(*RUN)
            check_error(result, 1, name.replace(".part", "").replace(".", r"\."), f"blocked {name}")
    for name in ("r", "r/paraview", "r/fclib"):
        with Folder() as folder:
            folder.write("small.lua", SMALL)
            folder.write(name, "")
            check_error(folder.cairn(*RUN), 1, name, f"{name} is a file")
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        words = RUN[:]
        words[words.index("hash.csv")] = "none/hash.csv"
        check_error(folder.cairn(*words), 1, r"none/hash\.csv", "no folder for the hashes")
        check_error(folder.cairn("run", "small.lua", "--out", "/proc/none"), 1, "/proc/none",
                    "a folder that cannot be made")


def check_not_finite():
    head = 'material{ name = "s" }\nground{ material = "s" }\n'
    ball = head + 'body{ name = "fast", shape = sphere{ radius = 1 }, position = {0, 0, %s}, velocity = {%s} }'
    with Folder() as folder:
        folder.write("gone.lua", "simulation{ step = 10, end_time = 50 }\n" + ball % ("10", "1e308, 1e308, 0"))
        result = folder.cairn("run", "gone.lua", "--out", "r", "--quiet")
        check_error(result, 1, r'step 1, t = 0 s: body 1 \("fast"\) has a state that is not finite', "gone")
        check(load(folder.read("r/summary.json"))["status"] == "failed", "gone: summary")
        folder.write("hit.lua", ball % ("1", "1e300, 0, -1e308"))
        result = folder.cairn("run", "hit.lua", "--out", "h", "--quiet")
        check_error(result, 1, r'contact of body 0 \("ground"\) and body 1 \("fast"\)', "hit")
        check(glob.glob(folder.path + "/h/fclib/hit-local-*.hdf5"), "hit: the problem is kept")


def check_strict():
    with Folder() as folder:
        for scene in ("box_stack", "capsules", "chain", "kapla_tower", "sphere_heap"):
            few = ["--set", "spheres=60"] if scene == "sphere_heap" else []
            result = folder.cairn("run", scene, *few, "--until", "0.2", "--strict", "--out", "r_" + scene, "--quiet")
            check_status(result, 0, f"{scene} --strict")
        words = ["run", "sphere_heap", "--set", "spheres=60", "--until", "0.4", "--out", "r", "--quiet"]
        loose = ["--strict-energy", "1e-12", "--strict-penetration", "1e-12"]
        check_status(folder.cairn(*words, *loose), 0, "bounds without --strict")
        check_error(folder.cairn(*words, "--strict", *loose[:2]), 1, "do not add up.*--strict-energy", "energy")
        check_error(folder.cairn(*words, "--strict", *loose[2:]), 1, "overlap by.*--strict-penetration", "penetration")
        check(load(folder.read("r/summary.json"))["status"] == "failed", "--strict: status")
        check(load(folder.read("r/resolved.json"))["strict_penetration"] == 1e-12, "--strict: resolved")


INSIDE = """
ground{}
body{ name = "hall", shape = box{ size = {4, 4, 4} }, position = {0, 0, 2} }
body{ name = "pea", shape = sphere{ radius = %s }, position = {%s, 0, %s} }
"""


def check_overlaps_at_start():
    """Bodies in one another are warned of with what comes of it; --strict does not begin with them."""
    said = ': so deep a pair flies apart at once, or stays within one another; place the bodies apart'
    with Folder() as folder:
        for radius, x, z, deep in ((1, 0, 2, True), (0.01, 1.9, 2, True), (0.5, 2.4, 0.5, False)):
            folder.write("s.lua", INSIDE % (radius, x, z))
            words = ["run", "s.lua", "--until", "0.01", "--out", "r", "--quiet"]
            result = folder.cairn(*words)
            check_status(result, 0, "overlap without --strict")
            check(('"hall" and "pea" overlap by' in result.err) and (said in result.err) == deep, result.err)
            strict = ["--strict", "--strict-energy", "1"]
            if deep:
                check_error(folder.cairn(*words[:-2], "strict", *strict), 1,
                            r'"hall" and "pea" overlap by \S+ of the smaller one.s smallest size \(\S+ m\) at the start, '
                            r'more than 0.1 \(--strict-penetration\)', "strict")
                check(not os.path.exists(os.path.join(folder.path, "strict")), "a run that does not begin leaves no folder")
            check_status(folder.cairn(*words, *strict, "--strict-penetration", "1e9" if deep else "0.2"), 0, "a wider bound")


VICE = """
simulation{ step = 1/200, end_time = 0.23, max_iterations = 50 }
material{ name = "s", density = 2000 }
ground{ material = "s" }
local wall = box{ size = {0.1, 1, 1} }
body{ name = "left", kind = "moving", shape = wall, material = "s", position = {-0.3, 0, 0.5}, velocity = {0.5, 0, 0} }
body{ name = "right", kind = "moving", shape = wall, material = "s", position = {0.3, 0, 0.5}, velocity = {%s, 0, 0} }
body{ name = "nut", shape = box{ size = {0.3, 0.2, 0.2} }, material = "s", position = {0, 0, 0.1} }
"""


def check_jam():
    """Bodies that prescribed motions squeeze are named, once."""
    with Folder() as folder:
        folder.write("vice.lua", VICE % "-0.5")
        folder.write("train.lua", VICE % "0.5")
        result = folder.cairn("run", "vice.lua", "--accept-unsolved", "--out", "r", "--quiet")
        check_status(result, 0, "vice")
        check(result.err.count('"left", "right" and "nut" are jammed') == 1, "vice: says who, once", result)
        result = folder.cairn("run", "vice.lua", "--out", "s", "--quiet", "--strict")
        check(result.status == 1 and "are jammed" in result.err and "above the tolerance" in result.err,
              "vice --strict", result)
        result = folder.cairn("run", "vice.lua", "--out", "u", "--quiet", "--tolerance", "1e-3")
        check("are jammed" in result.err, "vice: with reactions that pass a loose tolerance", result)
        result = folder.cairn("run", "train.lua", "--out", "t", "--quiet")
        check(result.status == 0 and "jammed" not in result.err, "a train is no vice", result)


check_full_disk()
check_frames_before()
check_full_later()
check_blocked()
check_not_finite()
check_jam()
check_strict()
check_overlaps_at_start()
finish()
