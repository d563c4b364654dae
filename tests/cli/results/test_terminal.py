# SPDX-License-Identifier: Apache-2.0
# What the command prints on terminals of 80 and 200 columns, in pipes, and as JSON.
"""usage: test_terminal.py PROGRAM ROOT"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

PROGRAM = os.path.abspath(sys.argv[1])
PROBLEM = os.path.join(sys.argv[2], "tests/fuzz/corpus/problem/local.hdf5")
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
SCENE = "param(\"n\", 1)\nsimulation{ step = 0.01, end_time = %s }\nground{}\nbody{ shape = sphere{ radius = 1 }, position = { 0, 0, 1 } }\n"
failures = []


def check(held, what):
    if not held:
        failures.append(what)
        print("FAILED:", what)


def on_terminal(columns, *words, **environment):
    """What a command writes on a terminal, standard output and error together."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([PROGRAM, *words], stdin=inner, stdout=inner, stderr=inner,
                               env={**os.environ, "TERM": "xterm", **environment})
    os.close(inner)
    seen = b""
    while True:
        try:
            piece = os.read(outer, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    process.wait()
    os.close(outer)
    return seen.decode("utf-8")


def piped(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def longest(text):
    return max(len(ESCAPES.sub("", piece)) for piece in re.split(r"[\r\n]+", text))


def check_widths(folder):
    for columns in (80, 200):
        for words in (("list", "laws"), ("list", "solvers"), ("list", "scenes"), ("run", "--help"),
                      ("sweep", "--help"), ("bench", "--help")):
            width = longest(on_terminal(columns, *words))
            check(width <= columns, f"{words} takes {width} of {columns} columns")
    # a pipe has whole sentences, each on its line
    scenes = piped("list", "scenes").stdout
    check("\n " not in scenes and all(line.endswith(".") for line in scenes.splitlines()),
          "scenes in a pipe are whole sentences, one line each")

    # the bar of the progress stays on one line of a narrow terminal
    scene = os.path.join(folder, "long.lua")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE % 400)
    seen = on_terminal(40, "run", scene, "--out", os.path.join(folder, "long"))
    bars = [piece for piece in re.split(r"[\r\n]+", seen) if piece.startswith("[")]
    check(all(len(ESCAPES.sub("", bar)) < 40 for bar in bars), f"progress is cut: {bars[:1]}")


def check_colours():
    check("\x1b[1;31merror" in on_terminal(80, "run", "nosuch"), "an error is red on a terminal")
    check("\x1b" not in on_terminal(80, "run", "nosuch", NO_COLOR="1"), "NO_COLOR is obeyed")
    check("\x1b" not in on_terminal(80, "run", "nosuch", TERM="dumb"), "a dumb terminal has no colours")
    check("\x1b" not in piped("run", "nosuch").stderr, "a pipe has no colours")


def check_json(folder):
    run = os.path.join(folder, "run")
    scene = os.path.join(folder, "short.lua")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE % 0.1)
    done = piped("run", scene, "--out", run, "--json")
    check(json.loads(done.stdout)["kind"] == "run", "a run says that it is one")
    check(json.loads(piped("info", run, "--json").stdout)["kind"] == "run", "so does info of it")
    for what in ("laws", "solvers", "locals", "scenes", "shapes"):
        lines = piped("list", what, "--json").stdout.splitlines()
        check(lines and all("kind" in json.loads(line) for line in lines), f"list {what} says what each is")
    copy, table = os.path.join(folder, "copy.html"), os.path.join(folder, "bench.csv")
    for words in (("doctor",), ("law", "hooke"), ("law", "hooke", "--sweep", "overlap=0:1e-3:3"),
                  ("law", "hooke", "--conformance"), ("compare", run, run), ("export", run, "-o", copy),
                  ("info", os.path.join(run, "energy.csv")), ("info", os.path.join(run, "trajectory.h5")),
                  ("info", os.path.join(run, "resolved.json")), ("bench", PROBLEM, "--solvers", "auto", "--csv", table),
                  ("solve", PROBLEM), ("check", PROBLEM), ("info", PROBLEM),
                  ("sweep", scene, "--until", "0.01", "--vary", "n=1,2", "-o", os.path.join(folder, "sweep"))):
        lines = piped(*words, "--json").stdout.splitlines()
        check(lines and all("kind" in json.loads(line) for line in lines), f"{words} says what each object is of: {lines}")
    for words, status in ((("run", "nosuch"), 3), (("info", "nosuch"), 3), (("run", scene, "--set", "x=1"), 2),
                          (("run", scene, "--nonsense"), 2), (("solve", "nosuch.hdf5"), 3)):
        done = piped(*words, "--json")
        check(done.returncode == status, f"{words}: status {done.returncode}")
        try:
            said = json.loads(done.stdout)
        except json.JSONDecodeError:
            check(False, f"{words} prints an object: {done.stdout!r}")
            continue
        if said.get("kind") == "failure":
            check(said["exit_status"] == status and said["message"] in done.stderr, f"{words}: {said}")
        else:
            check("kind" in said, f"{words}: {said}")
    check("trajectory.h5" in piped("run", scene, "--out", run).stdout, "all files of a run are named")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_widths(folder)
        check_colours()
        check_json(folder)
    print(len(failures), "failures")
    return 1 if failures else 0


sys.exit(main())
