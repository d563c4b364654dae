# SPDX-License-Identifier: Apache-2.0
# What an attack found of one command or file, tried on all others: closed descriptors and a full
# standard output with every subcommand, pipes, devices and links in every place where a file is
# read or written, times out of all proportion, and names that are no text.
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import PROGRAM, SMALL, Folder, Result, check, check_error, check_status, finish

BASE = ["box_stack", "--vary", "boxes=2,3", "--until", "0.01", "-q", "-o"]


def prepare(folder):
    """A run, a problem of it and a plan; the name of the problem."""
    folder.write("small.lua", SMALL)
    folder.write("plan.csv", "scene,until\nsmall.lua,0.02\n")
    folder.write("script", "quit\n")
    check_status(folder.cairn("run", "small.lua", "-q", "-o", "r", "--fclib", "f"), 0, "a run to look at")
    return "f/" + folder.list("f")[0]


def every_command(problem):
    return [
        ["run", "small.lua", "-q", "-o", "a"], ["run", "small.lua", "--help"], ["run", "nothing.lua"], ["run", "--bogus"],
        ["info", "small.lua"], ["info", "r"], ["info", "r/checkpoint.h5"], ["info", "r/trajectory.h5"], ["info", problem],
        ["solve", problem], ["solve", problem, "--write-solution", "a.hdf5"], ["check", problem], ["compare", "r", "r"],
        ["law", "hooke", "--set", "overlap=1e-4"], ["law", "hooke", "--sweep", "overlap=0:1e-3:3", "--svg", "a.svg"],
        ["list", "laws"], ["list", "scenes"], ["doctor"], ["help", "--man"], ["help", "--completion", "zsh"],
        ["bench", problem, "--solvers", "auto", "--csv", "a.csv", "--profile", "a.svg"],
        ["sweep", *BASE, "a"], ["collect", "plan.csv", "-o", "a", "-q"], ["--help"], ["--version"], [],
    ]


def clean(folder):
    shutil.rmtree(os.path.join(folder.path, "a"), ignore_errors=True)
    for name in ("a.hdf5", "a.svg", "a.csv", "a.png"):
        if os.path.lexists(os.path.join(folder.path, name)):
            os.unlink(os.path.join(folder.path, name))


def files_of(folder):
    found = []
    for place, _, names in os.walk(folder.path):
        found += [os.path.relpath(os.path.join(place, name), folder.path) for name in names]
    return sorted(found)


def run_in_shell(folder, line, words):
    return Result(subprocess.run(["sh", "-c", f'exec "$@" {line}', "sh", PROGRAM, *words], cwd=folder.path,
                                 text=True, timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE))


def check_descriptors():
    """Every command does the same with closed descriptors, or says that it could not print."""
    with Folder() as folder:
        problem = prepare(folder)
        for words in every_command(problem):
            name = " ".join(words)
            clean(folder)
            whole = folder.cairn(*words)
            left = files_of(folder)
            for line in (">&-", "<&- 2>&-", "<&- >&- 2>&-"):
                clean(folder)
                result = run_in_shell(folder, line, words)
                allowed = {whole.status, 1} if ">&-" in line.split() and whole.out else {whole.status}
                check(result.status in allowed, f"{name} {line}: status {result.status}, not {whole.status}", result)
                check(files_of(folder) == left, f"{name} {line}: other files than with all descriptors")
            if whole.out and whole.status == 0:
                clean(folder)
                result = run_in_shell(folder, ">/dev/full", words)
                check_status(result, 1, f"{name} to a full standard output")
                check("standard output" in result.err, f"{name} to a full standard output: message", result)


def put_special(path, kind):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            here = os.getcwd()
            os.chdir(os.path.dirname(path))
            one.bind(os.path.basename(path))
            os.chdir(here)
    else:
        os.symlink({"device": "/dev/zero", "circle": os.path.basename(path), "nowhere": "not there"}[kind], path)


def does_end(folder, words, what):
    try:
        return folder.cairn(*words, timeout=30)
    except subprocess.TimeoutExpired:
        check(False, f"{what}: {' '.join(words)} still waits after 30 s")
        return None


def check_readers():
    """What is no file, in the place of every file that a command reads."""
    readers = [
        ["run", "x.lua"], ["run", "m.lua"], ["run", "c.lua"], ["run", "t.lua"], ["run", "small.lua", "--restart", "x.h5"],
        ["run", "x.lua", "--help"], ["info", "x.lua"], ["info", "x.h5"], ["info", "x.hdf5"], ["solve", "x.hdf5"],
        ["solve", "x.dat"], ["check", "x.dat"], ["compare", "r", "x.h5"], ["law", "hooke", "--state", "x.json"],
        ["render", "x.h5", "-o", "a.png"], ["render", "small.lua", "-o", "a.png", "--view", "x.json"],
        ["bench", "f", "--solvers", "auto", "--external", "x.csv"], ["sweep", "small.lua", "x.csv", "-o", "a"],
        ["collect", "x.csv", "-o", "a"], ["view", "small.lua", "--hidden", "--script", "x.csv"],
    ]
    with Folder() as folder:
        prepare(folder)
        folder.write("m.lua", 'ground{}\nbody{ shape = polyhedron{ file = "x.obj" }, position = {0, 0, 1} }\n')
        folder.write("c.lua", 'ground{}\nbodies_from_csv{ file = "x.csv" }\n')
        folder.write("t.lua", 'ground{}\nlocal f = table("x.csv", "v")\n')
        for kind in ("pipe", "folder", "socket", "device", "circle", "nowhere"):
            for ending in ("lua", "h5", "hdf5", "json", "csv", "dat", "obj"):
                put_special(os.path.join(folder.path, "x." + ending), kind)
            for words in readers:
                result = does_end(folder, words, kind)
                if result is not None:
                    what = f"{' '.join(words)} where a {kind} lies"
                    check(result.status in (1, 2, 3, 4), f"{what}: exit status {result.status}", result)
                    check("error" in result.err, f"{what}: message", result)


def check_folders():
    """The folders of sweeps and collections, whoever made them."""
    inner = ["rows", "rows/0001", "rows/0001/claim", "rows/0001/row.csv", "rows/0001/output.txt", "rows/0001/summary.json",
             "rows/0001/run.lock", "plan.csv", "lock"]
    works = [(["sweep", *BASE, "a"], inner + ["table.csv", "table.csv.part"]),
             (["collect", "plan.csv", "-q", "-o", "a"], inner + ["problems", "index.csv", "rows/0001/fclib"])]
    with Folder() as folder:
        prepare(folder)
        for words, names in works:
            for name in names:
                clean(folder)
                put_special(os.path.join(folder.path, "a", name), "pipe")
                result = does_end(folder, [*words, "--retry"], f"a pipe at {name}")
                check(result is None or result.status in (0, 1, 2, 3), f"a pipe at {name}: exit status", result)
                is_folder = name in ("rows", "rows/0001", "problems", "rows/0001/fclib")
                for target in ("precious/folder",) if is_folder else ("precious/file", "precious/new"):
                    clean(folder)
                    shutil.rmtree(os.path.join(folder.path, "precious"), ignore_errors=True)
                    folder.write("precious/file", "kept\n")
                    folder.write("precious/folder/file", "kept\n")
                    os.makedirs(os.path.dirname(os.path.join(folder.path, "a", name)))
                    os.symlink(os.path.join(folder.path, target), os.path.join(folder.path, "a", name))
                    folder.cairn(*words)
                    check([folder.read("precious/" + each) for each in ("file", "folder/file")] == ["kept\n"] * 2 and
                          folder.list("precious") == ["file", "folder"] and folder.list("precious/folder") == ["file"],
                          f"{words[0]}: nothing is written through a link at {name} to {target}")


def check_pictures():
    """A picture is whole or not there, and not written through a link."""
    words = ["render", "r", "-o", "a.png", "--size", "300x300", "-q"]
    with Folder() as folder:
        prepare(folder)
        whole = folder.cairn(*words)
        if whole.status == 4:
            return
        check_status(whole, 0, "a picture")
        clean(folder)
        done = subprocess.run([PROGRAM, *words], cwd=folder.path, text=True, timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        check_error(Result(done), 1, "a.png: cannot be written", "a picture larger than files may be")
        check(not folder.has("a.png"), "half a picture does not stay")
        folder.write("precious", "kept\n")
        os.symlink("precious", os.path.join(folder.path, "a.png"))
        check_error(folder.cairn(*words), 1, "symbolic link", "a picture in the place of a link")
        check(folder.read("precious") == "kept\n", "a picture is not written through a link")


def check_times():
    with Folder() as folder:
        prepare(folder)
        folder.write("long.lua", SMALL.replace("end_time = 0.05", "end_time = 1e17"))
        cases = [(["small.lua", "-o", "a-%03d.png", "--from", "1e300"], "begins after its end"),
                 (["small.lua", "-o", "a-%03d.png", "--from", "0.04", "--until", "0.02"], "begins after its end"),
                 (["small.lua", "-o", "a-%03d.png", "--until", "1e300"], "can be counted"),
                 (["small.lua", "-o", "a.png", "--at", "1e300"], "can be counted"),
                 (["long.lua", "-o", "a.png"], "can be counted"),
                 (["small.lua", "-o", "a.png", "--at", "nan"], "--at"),
                 (["small.lua", "-o", "a.png", "--step", "1e-320"], "step|counted")]
        if folder.cairn("render", "small.lua", "-o", "b.png", "--size", "16x16", "-q").status == 4:
            cases = []
        for words, pattern in cases:
            result = does_end(folder, ["render", *words, "--size", "16x16", "-q"], "times")
            if result is not None:
                check_error(result, 2, pattern, " ".join(words))
        for option in ("--step", "--until"):
            for value in ("nan", "inf", "-1", "1e309", "1e300", "", "1e", "0x", "1,5"):
                result = does_end(folder, ["run", "small.lua", "-q", "-o", "a", option, value], "times")
                check(result is None or (result.status in (2, 3) and "error" in result.err) or
                      (option == "--step" and value == "1e300" and result.status == 0),
                      f"run {option} {value!r}", result)


def check_names():
    """Bytes that are no text, controls and direction marks: in paths, options and all that is read."""
    odd = b"\xff\x1b[31m\xc2\x9b\xe2\x80\xae x"
    controls = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
    with Folder() as folder:
        problem = prepare(folder)
        place = os.path.join(os.fsencode(folder.path), b"d" + odd)
        os.mkdir(place)
        inside = {b"s.lua": SMALL.encode(), b"bad.csv": b"a" + odd + b",b\n1,\xff\n", b"bad.json": b'{"a' + odd + b'": 1}',
                  b"bad.lua": b"x" + odd, b"bad.dat": b"3\n" + odd, b"bad.h5": b"\x89HDF\r\n\x1a\n" + 99 * odd,
                  b"bad.obj": b"v 1 2 " + odd + b"\n", b"c.lua": b'ground{}\nbodies_from_csv{ file = "bad.csv" }\n',
                  b"m.lua": b'ground{}\nbody{ shape = polyhedron{ file = "bad.obj" } }\n',
                  b"br/summary.json": b'{"scene": "' + odd + b'", "law": "' + odd + b'", "status": "' + odd + b'"}',
                  b"br/summary.txt": odd + b"\n", b"br/energy.csv": b"step,time [s],a" + odd + b"\n0,0,1\n1,1,3\n"}
        os.mkdir(os.path.join(place, b"br"))
        for name, text in inside.items():
            with open(os.path.join(place, name), "wb") as file:
                file.write(text)
        here = lambda name: os.path.join(b"d" + odd, name)
        shutil.copy(os.path.join(folder.path, problem), os.path.join(place, b"p.hdf5"))
        words = [
            ["run", here(b"s.lua"), "-o", here(b"o"), "--json"], ["run", here(b"no.lua")], ["run", here(b"bad.lua")],
            ["run", here(b"m.lua")], ["run", here(b"c.lua")], ["info", here(b"p.hdf5"), "--json"], ["info", here(b"p.hdf5")],
            ["info", here(b"bad.h5")], ["info", here(b"bad.dat")], ["solve", here(b"p.hdf5"), "--json"],
            ["solve", here(b"bad.dat")], ["check", here(b"p.hdf5"), "--json"], ["compare", "r", here(b"br")],
            ["compare", here(b"br"), here(b"br"), "--json"], ["info", here(b"br")], ["info", here(b"br"), "--json"],
            ["law", "hooke", "--state", here(b"bad.json")], ["law", odd], ["law", "hooke", "--set", b"x" + odd + b"=1"],
            ["law", "hooke", "--set", b"overlap=" + odd], ["bench", here(b"p.hdf5"), "--solvers", "auto", "--json"],
            ["bench", problem, "--solvers", odd], ["bench", problem, "--solvers", "auto", "--external", here(b"bad.csv")],
            ["sweep", here(b"s.lua"), here(b"bad.csv"), "-o", here(b"sw")], ["collect", here(b"bad.csv"), "-o", here(b"co")],
            ["run", b"--" + odd], [odd], ["help", odd], ["list", odd], ["run", "small.lua", "--set", b"z" + odd + b"=1"],
            ["run", "small.lua", "--law", odd], ["run", "small.lua", "--restart", here(b"bad.h5")],
            ["run", "small.lua", "--fclib-when", odd], ["run", "small.lua", "--simulation-set", odd + b"=1"],
            ["run", "small.lua", "--step", odd], ["render", "r", "-o", here(b"a.x")],
            ["view", "small.lua", "--hidden", "--script", here(b"bad.csv")],
        ]
        for line in words:
            done = subprocess.run([PROGRAM, *line], cwd=folder.path, capture_output=True, timeout=120,
                                  stdin=subprocess.DEVNULL)
            check(done.returncode >= 0, f"{line}: ended by a signal")
            for text in (done.stdout, done.stderr):
                try:
                    found = controls.search(text.decode())
                    check(found is None, f"{line}: a control reaches the terminal in {text[:300]}")
                except UnicodeDecodeError as problem_found:
                    check(False, f"{line}: not UTF-8: {problem_found} in {text[:300]}")
            for text in done.stdout.splitlines() if "--json" in line else []:
                json.loads(text)


check_descriptors()
check_readers()
check_folders()
check_pictures()
check_times()
check_names()
finish()
