# SPDX-License-Identifier: Apache-2.0
# What a process inherits, and files that are none: closed standard descriptors, a limit on the size
# of files, pipes, devices and symbolic links where files are expected.
import os
import resource
import signal
import subprocess

from command import PROGRAM, SMALL, Folder, Result, check, check_error, check_status, finish, load

# the two walls close on the block, which makes a warning in the middle of the run
JAM = """
simulation{ step = 1/200, end_time = 0.3 }
gravity{0, 0, 0}
body{ name = "l", kind = "moving", shape = box{size = {0.1, 1, 1}}, position = {-0.2, 0, 0}, velocity = {1, 0, 0} }
body{ name = "r", kind = "moving", shape = box{size = {0.1, 1, 1}}, position = {0.2, 0, 0}, velocity = {-1, 0, 0} }
body{ name = "m", shape = box{size = {0.2, 0.2, 0.2}}, position = {0, 0, 0} }
sensor{ name = "s", body = "m" }
"""
RUN_FILES = ["bodies.csv", "energy.csv", "sensors.csv", "trajectory.h5", "checkpoint.h5"]


def run_closed(folder, closed, *words):
    """The command with some of its three descriptors closed, by the shell as a user would."""
    shut = " ".join({0: "<&-", 1: ">&-", 2: "2>&-"}[k] for k in closed)
    line = f'exec "$@" {shut}'
    done = subprocess.run(["sh", "-c", line, "sh", PROGRAM, *words], cwd=folder.path, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return Result(done)


def check_closed_descriptors():
    with Folder() as folder:
        folder.write("jam.lua", JAM)
        check_status(folder.cairn("run", "jam.lua", "--accept-unsolved", "--out", "whole", "--quiet"), 0, "a run with all descriptors")
        for closed in [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]:
            out = "closed" + "".join(map(str, closed))
            result = run_closed(folder, closed, "run", "jam.lua", "--accept-unsolved", "--out", out, "--quiet")
            check_status(result, 0, f"descriptors {closed} closed")
            for name in ["bodies.csv", "energy.csv", "sensors.csv"]:
                check(folder.read(f"{out}/{name}") == folder.read(f"whole/{name}"),
                      f"descriptors {closed} closed: {name} is that of a run with all")
            same = folder.cairn("compare", "whole", out, "--tolerance", "0")
            check_status(same, 0, f"descriptors {closed} closed: the same run")
            check_status(folder.cairn("info", f"{out}/trajectory.h5"), 0, f"descriptors {closed} closed: trajectory")
            check_status(folder.cairn("info", f"{out}/checkpoint.h5"), 0, f"descriptors {closed} closed: checkpoint")
        # what cannot be told is an error where telling it was the point
        result = run_closed(folder, (1,), "run", "jam.lua", "--accept-unsolved", "--out", "mute", "--json")
        check_status(result, 1, "--json to a closed standard output")
        check("standard output" in result.err, "--json to a closed standard output: message", result)


def check_file_size_limit():
    """A limit on the size of files is a message and exit status 1, not a signal."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        for limit in (0, 100, 5000, 20000):
            done = subprocess.run([PROGRAM, "run", "small.lua", "--quiet"], cwd=folder.path, text=True, timeout=120,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            result = Result(done)
            check_status(result, 1, f"files of at most {limit} bytes")
            check("cairn: error:" in result.err, f"files of at most {limit} bytes: message", result)


def check_pipes_and_devices():
    """No command waits for the other end of a pipe, or reads a device."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        folder.write("mesh.lua", 'ground{}\nbody{ shape = polyhedron{ file = "pipe.obj" }, position = {0, 0, 1} }\n')
        folder.write("csv.lua", 'ground{}\nbodies_from_csv{ file = "pipe.csv" }\n')
        for name in ("pipe", "pipe.hdf5", "pipe.h5", "pipe.lua", "pipe.json", "pipe.obj", "pipe.csv"):
            os.mkfifo(os.path.join(folder.path, name))
        os.makedirs(os.path.join(folder.path, "odd"))
        for name in ("summary.json", "trajectory.h5", "energy.csv", "resolved.json"):
            os.mkfifo(os.path.join(folder.path, "odd", name))
        commands = [
            ("run", "pipe.lua"), ("run", "pipe"), ("run", "mesh.lua"), ("run", "csv.lua"),
            ("run", "small.lua", "--restart", "pipe.h5"), ("run", "small.lua", "--help", "pipe.lua"),
            ("info", "pipe"), ("info", "pipe.hdf5"), ("info", "pipe.lua"), ("info", "odd"),
            ("solve", "pipe.hdf5"), ("check", "pipe.hdf5"), ("compare", "odd", "odd"),
            ("law", "hooke", "--state", "pipe.json"), ("render", "pipe.h5", "-o", "a.png"), ("render", "odd", "-o", "a.png"),
            ("info", "/dev/zero"), ("solve", "/dev/zero"), ("check", "/dev/zero"), ("run", "/dev/zero"),
            ("law", "hooke", "--state", "/dev/zero"),
            ("bench", "pipe.hdf5", "--solvers", "nsgs"),
        ]
        for words in commands:
            try:
                result = folder.cairn(*words, timeout=30)
            except subprocess.TimeoutExpired:
                check(False, f"{' '.join(words)}: still waits after 30 s")
                continue
            check(result.status in (1, 2, 3, 4), f"{' '.join(words)}: exit status {result.status}", result)
            check("error" in result.err, f"{' '.join(words)}: message", result)


def check_nothing_takes_their_place():
    """What a command is told to write does not take the place of a pipe, a device or a folder."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        check_status(folder.cairn("run", "small.lua", "-o", "run"), 0, "a run")
        sweep = ("law", "hooke", "--sweep", "overlap=0:1e-4:5", "--svg")
        check_status(folder.cairn(*sweep, "new.svg"), 0, "a sweep's picture")
        for kind in ("pipe", "device"):
            for words in (("export", "run", "-o", "x.html"), ("export", "run", "-o", "x.glb"), (*sweep, "x.svg")):
                path = os.path.join(folder.path, words[-1])
                os.mkfifo(path) if kind == "pipe" else os.symlink("/dev/null", path)
                before = os.lstat(path)
                check_error(folder.cairn(*words), 1, words[-1] + ": not a regular file", f"{words[0]} on to a {kind}")
                after = os.lstat(path)
                check((after.st_mode, after.st_ino) == (before.st_mode, before.st_ino), f"{words[0]} on to a {kind}: it stays")
                os.unlink(path)


def check_links():
    """Symbolic links among a run's own files are not written through."""
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        folder.write("precious", "kept\n")
        os.makedirs(os.path.join(folder.path, "elsewhere"))
        names = ["energy.csv", "sensors.csv", "bodies.csv", "summary.json", "resolved.json", "trajectory.h5",
                 "checkpoint.h5", "summary.json.part", "resolved.json.part", "bodies.csv.part", "trajectory.h5.part",
                 "checkpoint.h5.part"]
        os.makedirs(os.path.join(folder.path, "r"))
        for name in names:
            os.symlink("../precious", os.path.join(folder.path, "r", name))
        check_status(folder.cairn("run", "small.lua", "--out", "r", "--quiet"), 0, "a run where links lie")
        check(folder.read("precious") == "kept\n", "the target of the links is what it was")
        for name in RUN_FILES:
            check(not os.path.islink(os.path.join(folder.path, "r", name)), f"{name} is a file of its own")
        os.makedirs(os.path.join(folder.path, "s"))
        for name in ("paraview", "fclib"):
            os.symlink("../elsewhere", os.path.join(folder.path, "s", name))
        for words in (("--paraview-every", "1"), ("--paraview-every", "0", "--set", "x=1")):
            folder.cairn("run", "small.lua", "--out", "s", "--quiet", *words)
        check_error(folder.cairn("run", "small.lua", "--out", "s", "--quiet"), 1, "symbolic link", "a folder that is a link")
        check(os.listdir(os.path.join(folder.path, "elsewhere")) == [], "nothing was written through a folder's link")


def check_signal_while_loading():
    """A request for a checkpoint while the scene loads ends nothing; an interrupt ends with 130."""
    with Folder() as folder:
        slow = "local x = 0\nfor i = 1, 4e7 do x = x + i end\n" + SMALL
        folder.write("slow.lua", slow)
        for number, status in ((signal.SIGUSR1, 0), (signal.SIGINT, 130), (signal.SIGTERM, 130)):
            run = subprocess.Popen([PROGRAM, "run", "slow.lua", "--json"], cwd=folder.path, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # the program is in the scene's loop when its handlers are there: it is asked until then
            while run.poll() is None and not caught(run.pid, number):
                pass
            run.send_signal(number)
            out, err = run.communicate(timeout=120)
            check(run.returncode == status, f"signal {number} while loading: exit status {run.returncode} {err}")
            if status == 0:
                check(load(out)["steps"] == 10, "SIGUSR1 while loading: the run goes on")


def caught(pid, number):
    try:
        with open(f"/proc/{pid}/status") as file:
            masks = [line.split()[1] for line in file if line.startswith("SigCgt")]
    except OSError:
        return True
    return bool(masks) and bool(int(masks[0], 16) >> (number - 1) & 1)


check_closed_descriptors()
check_file_size_limit()
check_pipes_and_devices()
check_nothing_takes_their_place()
check_links()
check_signal_while_loading()
finish()
