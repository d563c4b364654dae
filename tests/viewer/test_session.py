# SPDX-License-Identifier: Apache-2.0
# Sessions of the live window played by script: every key of the table, mouse, files, other scenes.
"""usage: test_session.py PROGRAM ROOT"""
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
QUIT_KEYS = {"Q", "Ctrl+Q"}
SCENE = """
title "session"
simulation{ step = 1 / 200, end_time = 1 }
material{ name = "m", density = 1000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "m" }
body{ name = "box", shape = box{ size = {0.4, 0.4, 0.4} }, material = "m", position = {0, 0, 0.2} }
"""
failures = []


def check(held, what):
    if not held:
        failures.append(what)
        print("FAILED:", what)


def cairn(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True,
                          timeout=590)


def play(folder, script, *words):
    with open(os.path.join(folder, "script.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(script) + "\n")
    return cairn(folder, "view", "one.lua", "--hidden", "--size", "320x240", "--script",
                 "script.txt", "-o", "out", *words)


def listed_keys(folder):
    text = cairn(folder, "view", "--help").stdout.split("keys and mouse:")[1].split("mouse:")[0]
    rows = re.findall(r"^  (\S.*?)\s{2,}\S|^  (\S{22,}(?:, \S+)*) ", text, re.M)
    keys = []
    for row in rows:
        keys += re.split(r", (?=\S)", (row[0] or row[1]).strip())
    return [key for key in keys if key not in QUIT_KEYS]


def check_every_key(folder):
    keys = listed_keys(folder)
    check(len(keys) > 50, f"{len(keys)} keys")
    script = ["wait 3"]
    for key in keys:
        script += [f"key {key}", "wait 1"]
    # the film that V began ends before the window closes
    done = play(folder, script + ["wait 2", "key V", "wait 1", "key Q"])
    check(done.returncode == 0, f"every key: status {done.returncode}, {done.stderr[-600:]}")
    names = os.listdir(os.path.join(folder, "out"))
    check(any(name.endswith(".png") for name in names), f"a picture: {names}")
    check(any(name.endswith(".txt") for name in names), f"its note: {names}")


def check_manual(folder):
    """Help, manual page and docs have the same table of keys."""
    table = cairn(folder, "view", "--help").stdout.split("keys and mouse:\n\n")[1].strip("\n")
    check(table in cairn(folder, "help", "--man").stdout, "the manual page has the table of keys")
    with open(os.path.join(ROOT, "docs", "viewer.md"), encoding="utf-8") as page:
        check(table in page.read(), "docs/viewer.md has the table of keys")


def check_story(folder):
    done = play(folder, [
        "wait 3", "key Space", "wait 2", "key .", "key Shift+.", "wait 3", "key Left", "wait 2",
        "click 160 120", "key E", "key M", "key Tab", "wait 3", "key F10", "wait 3", "key Space",
        "drag 160 120 200 60 ctrl", "wait 3", "drag 160 120 200 60", "drag 20 20 60 60 right",
        "wheel 2", "wait 2", "key ]", "wait 3", "key R", "wait 3", "drop two.lua", "wait 2",
        "drop nothing.lua", "wait 2", "key F12", "wait 2", "quit"])
    check(done.returncode == 0, f"story: status {done.returncode}, {done.stderr[-600:]}")
    for said in [r"wrote \S*one-001\.hdf5", r"nothing\.lua", r"wrote \S*two-001\.png"]:
        check(re.search(said, done.stderr), f"story: /{said}/ in {done.stderr[-900:]}")
    with open(os.path.join(folder, "out", "one-001.hdf5"), "rb") as file:
        check(file.read(4) == b"\x89HDF", "the problem is an HDF5 file")


def check_mistakes(folder):
    done = play(folder, ["kye Space"])
    check(done.returncode == 2 and "line 1 of the script" in done.stderr, f"script: {done.stderr}")
    bare = {name: value for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    done = subprocess.run([PROGRAM, "view", "one.lua"], cwd=folder, capture_output=True, text=True,
                          timeout=60, env=dict(bare, SDL_VIDEODRIVER="offscreen"))
    check(done.returncode == 4 and "no display" in done.stderr, f"no display: {done.stderr}")
    done = cairn(folder, "view", ".")
    check(done.returncode == 4 and "is a folder" in done.stderr, f"folder: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ["one.lua", "two.lua"]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(SCENE)
        first = play(folder, ["wait 1", "quit"])
        if first.returncode == 4:
            print("skipped:", first.stderr.strip())
            return 77
        check(first.returncode == 0, f"open and close: {first.stderr}")
        check_manual(folder)
        check_story(folder)
        check_every_key(folder)
        check_mistakes(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
