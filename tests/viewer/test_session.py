# SPDX-License-Identifier: Apache-2.0
# Sessions of the window played by script: every key of the table, mouse, files, other scenes, runs;
# in the offscreen driver, and in a window of Xvfb where that is installed.
"""usage: test_session.py PROGRAM ROOT"""
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading

import png

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# drivers of OpenGL leak; in a build with sanitizers what is ours is looked for in the report
os.environ.setdefault("LSAN_OPTIONS", "exitcode=0")
QUIT_KEYS = {"Q", "Ctrl+Q"}
SCENE = """
title "session"
simulation{ step = 1 / 200, end_time = 1 }
material{ name = "m", density = 1000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "m" }
body{ name = "box", shape = box{ size = {0.4, 0.4, 0.4} }, material = "m", position = {0, 0, 0.2} }
sensor{ name = "ground", body = "ground", quantity = "force" }
"""
PARAMETERS = """
local height = param("height", 0.2, "m", { min = 0.2, max = 1 })
local boxes = param("boxes", 1, "", { integer = true, min = 1, max = 5 })
title("height " .. height .. ", boxes " .. boxes)
simulation{ step = 1 / 200, end_time = 1 }
material{ name = "m", density = 1000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "m" }
for i = 1, boxes do
    body{ shape = box{ size = {0.4, 0.4, 0.4} }, material = "m", position = {0, i, height} }
end
"""
failures = []


def check(held, what):
    if not held:
        failures.append(what)
        print("FAILED:", what)


def cairn(folder, *words, env=None):
    # small pictures of scenes are kept there, and not in the home folder
    env = dict(env or os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True,
                          timeout=590, env=env)
    ours = re.findall(r"#\d+ 0x\w+ in \S+ \.\./(?!\.\./).*", done.stderr)
    check(not ours, f"{words}: leaks {ours[:6]}")
    return done


def play(folder, script, *words, what="one.lua", display=None):
    """Plays a session; without a display in the offscreen driver."""
    with open(os.path.join(folder, "script.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(script) + "\n")
    env = dict(os.environ, DISPLAY=display, SDL_VIDEODRIVER="x11") if display else None
    return cairn(folder, "view", what, *([] if display else ["--hidden"]), "--size", "320x240",
                 "--script", "script.txt", "-o", "out", *words, env=env)


def listed_keys(folder):
    text = cairn(folder, "view", "--help").stdout.split("keys and mouse:")[1].split("mouse:")[0]
    rows = re.findall(r"^  (\S.*?)\s{2,}\S|^  (\S{22,}(?:, \S+)*) ", text, re.M)
    keys = []
    for row in rows:
        keys += re.split(r", (?=\S)", (row[0] or row[1]).strip())
    return [key for key in keys if key not in QUIT_KEYS]


def check_every_key(folder, what, display=None):
    keys = listed_keys(folder)
    check(len(keys) > 50, f"{len(keys)} keys")
    script = ["wait 3"]
    for key in keys:
        # a problem is there after a step
        script += ["key .", "wait 3"] if key == "F10" else []
        script += [f"key {key}", "wait 1"]
        # what is typed next would go to the list
        script += ["key Escape", "wait 1"] if key == "Ctrl+O" else []
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    # the film that V began ends before the window closes
    done = play(folder, script + ["wait 2", "key V", "wait 1", "key Ctrl+Q"], what=what,
                display=display)
    where = f"every key, {what}, {display}"
    check(done.returncode == 0, f"{where}: status {done.returncode}, {done.stderr[-600:]}")
    check(display is None or "offscreen" not in done.stderr, f"{where}: {done.stderr[:300]}")
    names = os.listdir(os.path.join(folder, "out"))
    for ending in [".png", ".txt"] + ([".hdf5"] if what.endswith(".lua") else []):
        check(any(name.endswith(ending) for name in names), f"{where}: {ending} in {names}")


def check_in_window(folder):
    """The same with a real window: Xvfb gives the display."""
    if shutil.which("Xvfb") is None:
        print("Xvfb is not installed: no session in a window")
        return
    end, other = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(other), "-screen", "0", "800x600x24",
                           "-nolisten", "tcp"], pass_fds=[other],
                          stderr=subprocess.DEVNULL) as server:
        os.close(other)
        with os.fdopen(end, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        try:
            if number:
                check_every_key(folder, "one.lua", display=":" + number)
                check_story(folder, display=":" + number)
            else:
                print("Xvfb does not start: no session in a window")
        finally:
            server.terminate()


def check_panels(folder):
    """Settings changed by sliders and buttons are said once, in the log."""
    done = play(folder, ["wait 3", "key Space", "key I", "wait 2", "press 169 105", "wait 2",
                         "move 200 105", "wait 2", "move 230 105", "wait 2", "release 230 105",
                         "wait 2", "key E", "key M", "key .", "wait 3",
                         "key Ctrl+O", "wait 2", "key T", "key W", "wait 2", "key Return",
                         "wait 4", "key F12", "wait 2", "key Q"])
    check(done.returncode == 0, f"panels: status {done.returncode}, {done.stderr[-600:]}")
    check(len(re.findall("the time step is", done.stderr)) == 1, f"time step: {done.stderr}")
    check(re.search(r"wrote \S*two-\d+\.png", done.stderr), f"list of scenes: {done.stderr}")


def check_small_pictures(folder):
    """The list draws its scenes in processes of their own, keeps the pictures, and shows them."""
    kept = os.path.join(folder, "cache", "cairn", "scenes")
    shutil.rmtree(kept, ignore_errors=True)
    own = os.path.join(folder, "list")
    os.makedirs(own, exist_ok=True)
    for name, text in [("one.lua", SCENE), ("broken.lua", "body{}"), ("-odd name.lua", SCENE)]:
        write_scene(own, name, text)
    # one comes with its picture, as the built-in scenes do: all of them, of the size that the list takes
    library, ready = os.path.join(ROOT, "scenes/library"), os.path.join(own, "sketches")
    write_scene(own, "ready.lua", SCENE)
    os.makedirs(ready, exist_ok=True)
    shutil.copy(os.path.join(library, "sketches/arch.png"), os.path.join(ready, "ready.png"))
    for name in (name[:-4] for name in os.listdir(library) if name.endswith(".lua")):
        with open(os.path.join(library, "sketches", name + ".png"), "rb") as file:
            check(struct.unpack(">II", file.read(24)[16:]) == (192, 120), f"the picture of {name}")
    env = dict(os.environ, CAIRN_SCENES=own, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    with open(os.path.join(own, "script.txt"), "w", encoding="utf-8") as file:
        file.write("wait 2\nkey Ctrl+O\nwait 2\nkey F12\nwait 600\nkey F12\nwait 2\nkey Escape\nwait 2\nquit\n")
    pictures, times = [], []
    for _ in range(2):
        done = subprocess.run([PROGRAM, "view", "one.lua", "--hidden", "--paused", "--size", "640x480", "--script",
                               "script.txt", "-o", "out"], cwd=own, capture_output=True, text=True, timeout=590, env=env)
        check(done.returncode == 0, f"small pictures: status {done.returncode}, {done.stderr[-600:]}")
        files = sorted(name for name in os.listdir(kept) if name.endswith(".png"))
        pictures.append(files)
        times.append([os.stat(os.path.join(kept, name)).st_mtime_ns for name in files])
    # two scenes get a picture, the broken one none, and that which has one is not drawn; what was kept is not drawn again
    check(len(pictures[0]) == 2 and pictures[0] == pictures[1] and times[0] == times[1],
          f"small pictures: {pictures} {times}")
    # below the title and what the window says
    before, after = [png.read(os.path.join(own, "out", f"one-00{number}.png"))[120:400] for number in (1, 2)]
    changed = (abs(before - after).max(axis=2) > 20).sum()
    check(changed > 5000, f"small pictures: {changed} pixels of the list have changed")


def read_target(folder, number, key="target"):
    with open(os.path.join(folder, f"out/fall-00{number}.txt"), encoding="utf-8") as file:
        return [float(word) for word in re.search(key + r" (.*) m\n", file.read()).group(1).split()]


def check_handles(folder):
    """An arrow of the handles moves the chosen body along its axis, a circle turns it where it is."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    write_scene(folder, "fall.lua", SCENE.replace("position = {0, 0, 0.2}", "position = {0, 0, 3}"))
    # F looks at the centre of the chosen body, and the text beside a picture tells where that is
    look = ["wait 3", "key F", "wait 2", "key F12", "wait 2"]
    done = play(folder, ["wait 3", "key Shift+G", "wait 1", "click 640 360", "wait 2"] + look
                + ["drag 640 255 640 195"] + look + ["drag 775 360 760 324"] + look + ["quit"], "--paused",
                "--size", "1280x720", what="fall.lua")
    check("click one" in done.stderr, f"handles: {done.stderr}")
    start, moved, turned = [read_target(folder, number) for number in (1, 2, 3)]
    # 60 of 360 pixels, seen at 18.3 degrees above the horizon with an opening of 0.62 rad
    way = read_target(folder, 1, "distance")[0] * 60 / 360 * math.tan(0.31) / math.cos(math.radians(18.33))
    check(abs(moved[2] - start[2] - way) < 0.15 * way, f"handles: {start} {moved}, {way}")
    check(abs(moved[0] - start[0]) + abs(moved[1] - start[1]) < 1e-6, f"handles: {start} {moved}")
    check(max(abs(a - b) for a, b in zip(moved, turned)) < 1e-6, f"handles: {moved} {turned}")
    hashes = []
    for number in (1, 2, 3):
        with open(os.path.join(folder, f"out/fall-00{number}.txt"), encoding="utf-8") as file:
            hashes.append(re.search(r"hash of positions (\w+)", file.read()).group(1))
    check(len(set(hashes)) == 3, f"handles: {hashes}")


def check_following(folder):
    """The camera goes with the chosen body, or with the one that --follow names."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    write_scene(folder, "fall.lua", SCENE.replace("position = {0, 0, 0.2}", "position = {0, 0, 3}"))
    done = play(folder, ["wait 3", "key Shift+F", "wait 1", "click 160 120", "wait 2", "key F12", "wait 2", "key Shift+F",
                         "wait 2"] + ["key Shift+.", "wait 3"] * 4
                + ["key F12", "wait 2", "key Shift+F", "wait 2", "key Shift+.", "wait 3", "key F12", "wait 2", "quit"],
                "--paused", what="fall.lua")
    for said in ["choose a body first", "goes with box", "stands still"]:
        check(said in done.stderr, f"following: no {said!r} in {done.stderr}")
    before, after, later = [read_target(folder, number) for number in (1, 2, 3)]
    fallen = 0.5 * 9.81 * (40 / 200) ** 2
    check(abs(before[2] - after[2] - fallen) < 0.02 * fallen, f"following: {before} {after}, {fallen}")
    check(after == later, f"following: the camera that stands still went from {after} to {later}")
    done = cairn(folder, "render", "fall.lua", "--from", "0", "--until", "0.2", "--frame-rate", "5", "--follow", "box",
                 "--size", "64x64", "--no-ground", "--no-caption", "-q", "-o", "f-%d.png")
    check(done.returncode == 0, f"render --follow: {done.stderr}")
    done = cairn(folder, "render", "fall.lua", "--at", "0", "--follow", "nobody", "-o", "f.png")
    check(done.returncode == 2 and 'no body is named "nobody"' in done.stderr, f"--follow: {done.stderr}")


def check_contacts(folder):
    done = play(folder, ["wait 10", "key Space", "wait 2", "key Tab", "wait 1", "click 160 120",
                         "wait 2", "key Tab", "key Tab", "key Shift+Tab", "wait 2", "key C",
                         "wait 2", "key .", "wait 2", "key F12", "wait 2", "quit"])
    check(done.returncode == 0, f"contacts: status {done.returncode}, {done.stderr[-600:]}")
    check("choose a body first" in done.stderr, f"contacts: {done.stderr}")
    check("touches nothing" not in done.stderr, f"contacts: {done.stderr}")


def write_scene(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def check_bar(folder):
    """A typed value, buttons of the bar, and the end of a scene."""
    write_scene(folder, "sliders.lua", PARAMETERS)
    typed = ["key 0", "key .", "key 4", "key 5"]
    done = play(folder, ["wait 3", "key I", "wait 2", "click 300 376", "wait 2"] + 8 * ["key Backspace"] + typed
                + ["wait 1", "key Return", "wait 5", "quit"], "--paused", "--size", "640x600", what="sliders.lua")
    check("height 0.45, boxes" in done.stderr, f"a typed value: {done.stderr[-400:]}")
    # the words of the bar: a menu, and the help, which a click closes before the key that it would hide
    done = play(folder, ["wait 3", "click 20 10", "wait 30", "quit"], "--paused", "--size", "640x600", what="short.lua")
    check("the end time of the scene, 0.02 s, is reached" in done.stderr, f"the end: {done.stderr[-400:]}")


def check_moved_panels(folder):
    """The ends of the colours are typed into a panel, it goes with its upper edge, and a slider there is found."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    # 1.5 is typed where the brightest colour stands, and saved with the view
    typed = ["click 290 397", "wait 2"] + 8 * ["key Backspace"] + ["key 1", "key .", "key 5", "wait 1", "key Return"]
    # moved by 200 and 20, the slider of the time step lies at y = 125
    moved = ["press 150 41", "wait 1", "move 200 50", "wait 1", "move 350 61", "wait 1", "release 350 61", "wait 2",
             "press 369 125", "wait 2", "move 420 125", "wait 2", "release 420 125"]
    done = play(folder, ["wait 3", "key Space", "key I", "key B", "key B", "wait 2"] + typed + ["wait 2", "key F9"] + moved
                + ["wait 2", "quit"], "--size", "640x600")
    check(len(re.findall("the time step is", done.stderr)) == 1, f"a slider of a moved panel: {done.stderr[-400:]}")
    with open(os.path.join(folder, "out", "one-001.view.json"), encoding="utf-8") as file:
        view = json.load(file)
    check((view["colour_from"], view["colour_to"]) == (0, 1.5), f"the range of the colours: {view}")


def check_joints(folder):
    """A slider turns the arm of a hinge."""
    write_scene(folder, "arm.lua", SCENE + """
body{ name = "arm", shape = box{ size = {1, 0.1, 0.1} }, material = "m", position = {0.5, 0, 3} }
joint{ kind = "hinge", name = "elbow", bodies = {"arm"}, at = {0, 0, 3}, axis = {0, 1, 0} }
""")
    done = play(folder, ["wait 3", "key I", "wait 2", "key F12", "wait 2", "press 169 391", "wait 2", "move 244 391",
                         "wait 4", "release 244 391", "wait 4", "key F12", "wait 2", "quit"], "--paused", "--size",
                "640x600", what="arm.lua")
    check(done.returncode == 0, f"joints: status {done.returncode}, {done.stderr[-400:]}")
    turns = []
    for wrote in re.findall(r"wrote (\S+)\.png", done.stderr):
        with open(os.path.join(folder, wrote + ".txt"), encoding="utf-8") as file:
            turns.append(re.search("hash of positions .*", file.read()).group())
    check(len(set(turns)) == 2, f"the arm was turned: {turns}")


def check_parameters(folder):
    """A slider of a parameter builds the scene anew, once, when it is let go; a reset keeps it."""
    write_scene(folder, "sliders.lua", PARAMETERS)
    # the panel is as in check_panels; the sliders of parameters come below its settings
    done = play(folder, ["wait 3", "key I", "wait 2", "press 20 391", "wait 2", "move 169 391",
                         "wait 2", "release 169 391", "wait 3", "press 20 425", "wait 2",
                         "move 318 425", "wait 2", "release 318 425", "wait 3", "key R", "wait 2",
                         "quit"], "--paused", "--size", "640x600", what="sliders.lua")
    titles = re.findall(r"height (\S+), boxes (\d)", done.stderr)
    check(done.returncode == 0, f"parameters: status {done.returncode}, {done.stderr[-600:]}")
    check(len(titles) == 3, f"parameters: three builds in {done.stderr[-900:]}")
    if len(titles) == 3:
        check(titles[0][1] == "1" and 0.5 < float(titles[0][0]) < 0.7, f"height: {titles}")
        check(titles[1] == (titles[0][0], "5") and titles[2] == titles[1], f"boxes: {titles}")
    done = play(folder, ["wait 2", "key I", "wait 2", "key R", "wait 2", "quit"], "--set",
                "height=0.25", "--paused", what="sliders.lua")
    check("height 0.25, boxes 1" in done.stderr, f"--set: {done.stderr}")


def check_reload(folder):
    """A scene file that is written again is shown as it is now; one with a mistake is not."""
    write_scene(folder, "edited.lua", SCENE)
    write_scene(folder, "script.txt", "wait 100000\n")
    with subprocess.Popen([PROGRAM, "view", "edited.lua", "--hidden", "--paused", "--size",
                           "160x120", "--script", "script.txt"], cwd=folder, text=True,
                          stderr=subprocess.PIPE) as window:
        said = window.stderr.readline()
        for text, answer in [(SCENE.replace("session", "edited title"), "edited title"),
                             (SCENE.replace("density", "desnity"), "desnity"),
                             (SCENE.replace("session", "mended title"), "mended title")]:
            write_scene(folder, "edited.lua", text)
            timer = threading.Timer(60.0, window.kill)
            timer.start()
            while answer not in said:
                line = window.stderr.readline()
                said += line
                if line == "":
                    break
            timer.cancel()
            check(answer in said, f"reload: \"{answer}\" in {said[-600:]}")
        window.send_signal(signal.SIGINT)
        window.communicate(timeout=60)
    check(window.returncode == 130, f"reload: status {window.returncode}")


def check_saved_view(folder):
    """F9 saves what is seen; --view shows the same picture again, and names what is wrong."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    done = play(folder, ["wait 2", "drag 160 120 220 100", "wheel 2", "key C", "key B", "key G",
                         "wait 2", "key F9", "key F12", "wait 2", "quit"], "--paused")
    saved = os.path.join("out", "one-001.view.json")
    check(done.returncode == 0, f"saved view: status {done.returncode}, {done.stderr[-600:]}")
    done = play(folder, ["wait 2", "key F9", "key F12", "wait 2", "quit"], "--paused", "--view",
                saved)
    with open(os.path.join(folder, saved), encoding="utf-8") as one:
        with open(os.path.join(folder, "out", "one-002.view.json"), encoding="utf-8") as two:
            first, second = json.load(one), json.load(two)
    check(first.keys() == second.keys(), f"saved view: {first} and {second}")
    for key, value in first.items():
        same = (abs(value - second[key]) < 1e-9 if key in ("azimuth", "elevation")
                else value == second[key])
        check(same, f"saved view: {key} {value} and {second.get(key)}")
    check(first["contacts"] == "points" and first["colours"] == "material" and
          first["ground"] is False, f"saved view: {first}")
    done = cairn(folder, "render", "one.lua", "--at", "0", "--view", saved, "--size", "320x240",
                 "-o", "seen.png", "-q")
    check(done.returncode == 0, f"render --view: {done.stderr}")
    for text, answer in [('{"zom": 1}', '"zom"'), ('{"colours": "loud"}', "neighbours"),
                         ('{"distance": 1}', "go together"), ("[1]", "no view"),
                         ('{"elevation": 100}', "-89 to 89"), ('{"ground": 1}', "true or false"),
                         ('{"target": [1, 2], "distance": 1}', "3 numbers")]:
        write_scene(folder, "wrong.json", text)
        done = cairn(folder, "render", "one.lua", "--at", "0", "--view", "wrong.json", "-o",
                     "wrong.png")
        check(done.returncode == 3 and answer in done.stderr and "wrong.json" in done.stderr,
              f"--view {text}: status {done.returncode}, {done.stderr}")
    check(not os.path.exists(os.path.join(folder, "wrong.png")), "a wrong view draws nothing")


def check_contents(folder):
    """A click in the list of contents chooses a body; the wheel moves the list."""
    write_scene(folder, "many.lua", PARAMETERS.replace("i = 1, boxes", "i = 1, 60"))
    done = play(folder, ["wait 2", "key F3", "wait 2", "move 600 226", "wheel -5", "wait 2",
                         "click 600 176", "wait 2", "key Tab", "wait 2", "quit"], "--paused",
                "--size", "640x480", what="many.lua")
    check(done.returncode == 0, f"contents: status {done.returncode}, {done.stderr[-600:]}")
    check("choose a body first" not in done.stderr, f"contents: {done.stderr}")


def check_sets_and_marks(folder):
    """Shift and a click make a set that can be hidden; marked instants are come back to."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    done = play(folder, ["wait 10", "key Space", "wait 3", "drag 160 120 160 120 shift", "wait 2", "key Shift+H", "wait 2",
                         "key Shift+H", "wait 2", "key Shift+H", "wait 2", "key Shift+M", "wait 2", "key F12", "wait 2"]
                + ["key .", "wait 2"] * 5
                + ["key F12", "wait 2", "key Shift+Home", "wait 4", "key F12", "wait 2", "key Shift+M", "wait 2",
                   "key Shift+Home", "wait 2", "quit"])
    for said in ["1 body hidden", "all bodies are shown", "choose bodies by Shift and a click first", "marked ",
                 "taken away", "no instant is marked"]:
        check(said in done.stderr, f"sets and marks: no {said!r} in {done.stderr}")
    steps = []
    for number in (1, 2, 3):
        with open(os.path.join(folder, f"out/one-00{number}.txt"), encoding="utf-8") as file:
            steps.append(int(re.search(r"step\D+(\d+)", file.read()).group(1)))
    check(steps[1] == steps[0] + 5 and steps[2] == steps[0], f"sets and marks: steps {steps}")


def check_runs(folder):
    """Runs are replayed from their folder or file, opened by a drop, and cannot be changed."""
    for name in ["run_a", "run_b"]:
        done = cairn(folder, "run", "one.lua", "--until", "0.3", "--out", name, "-q", "--contacts-every", "0")
        check(done.returncode == 0, f"run: {done.stderr}")
    done = play(folder, ["wait 3", "key End", "wait 2", "key Home", "wait 2", "key Shift+Right",
                         "wait 2", "key Y", "key Space", "wait 20", "key Y", "drag 20 211 200 211", "wait 2", "click 160 120", "key Tab",
                         "wait 2", "key I", "key E", "key M", "key F10", "wait 2", "key ]",
                         "wait 2", "drop two.lua", "wait 2", "drop run_a", "wait 2",
                         "drop out", "wait 2", "quit"], what="run_a")
    check(done.returncode == 0, f"replay: status {done.returncode}, {done.stderr[-600:]}")
    for said in ["not changed", "kept no contacts in this frame", "replay: session",
                 "out is a folder without trajectory.h5"]:
        check(said in done.stderr, f"replay: \"{said}\" in {done.stderr[-900:]}")
    check_every_key(folder, os.path.join("run_a", "trajectory.h5"))
    # pictures of a run lie in its folder, whichever way it was named
    with open(os.path.join(folder, "script.txt"), "w", encoding="utf-8") as file:
        file.write("wait 2\nkey F12\nwait 2\nquit\n")
    for what in ["run_b", os.path.join("run_b", "trajectory.h5")]:
        done = cairn(folder, "view", what, "--hidden", "--size", "64x64", "--script", "script.txt")
        check(done.returncode == 0 and "wrote run_b/" in done.stderr, f"picture of a run: {done.stderr}")
    done = cairn(folder, "view", "run_a", "--step", "0.1")
    check(done.returncode == 2 and "is a run" in done.stderr, f"run, --step: {done.stderr}")


def check_manual(folder):
    """Help, manual page and docs have the same table of keys."""
    table = cairn(folder, "view", "--help").stdout.split("keys and mouse:\n\n")[1].strip("\n")
    check(table in cairn(folder, "help", "--man").stdout, "the manual page has the table of keys")
    with open(os.path.join(ROOT, "docs", "notes", "viewer.md"), encoding="utf-8") as page:
        check(table in page.read(), "docs/notes/viewer.md has the table of keys")


def check_story(folder, display=None):
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    done = play(folder, [
        "wait 3", "key Space", "wait 2", "key .", "key Shift+.", "wait 3", "key Left", "wait 2",
        "click 160 120", "key E", "key M", "key I", "wait 3", "key F10", "wait 3", "key Space",
        "drag 160 120 200 60 ctrl", "wait 3",
        "drag 160 120 200 60 alt", "wait 3", "drag 160 120 200 60 turn", "wait 3", "drag 160 120 200 60", "drag 20 20 60 60 right",
        "wheel 2", "wait 2", "key ]", "wait 3", "key R", "wait 3", "drop two.lua", "wait 2",
        "drop nothing.lua", "wait 2", "key F12", "wait 2", "quit"], display=display)
    check(done.returncode == 0, f"story: status {done.returncode}, {done.stderr[-600:]}")
    for said in [r"wrote \S*one-001\.hdf5", r"nothing\.lua", r"wrote \S*two-001\.png"]:
        check(re.search(said, done.stderr), f"story: /{said}/ in {done.stderr[-900:]}")
    with open(os.path.join(folder, "out", "one-001.hdf5"), "rb") as file:
        check(file.read(4) == b"\x89HDF", "the problem is an HDF5 file")


def check_mistakes(folder):
    for line in ["kye Space", "key Nosuch", "key Shift+", "wait 3 x", "drag 1 2 3 4 up", "move 1", "drop"]:
        done = play(folder, ["wait 2", line])
        check(done.returncode == 2 and f'line 2 of the script is not understood: "{line}"' in done.stderr,
              f"script: {done.stderr}")
    # a hidden session ends with its script, and is not begun without one
    done = play(folder, ["wait 2", "key F12"])
    check(done.returncode == 0 and "wrote" in done.stderr, f"a script without its end: {done.stderr}")
    done = cairn(folder, "view", "one.lua", "--hidden")
    check(done.returncode == 2 and "--hidden goes with --script" in done.stderr, f"--hidden: {done.stderr}")
    bare = {name: value for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    done = subprocess.run([PROGRAM, "view", "one.lua"], cwd=folder, capture_output=True, text=True,
                          timeout=60, env=dict(bare, SDL_VIDEODRIVER="offscreen"))
    check(done.returncode == 4 and "no display" in done.stderr, f"no display: {done.stderr}")
    done = cairn(folder, "view", ".")
    check(done.returncode == 3 and "not that of a run" in done.stderr, f"folder: {done.stderr}")


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
        check_panels(folder)
        check_small_pictures(folder)
        check_following(folder)
        check_handles(folder)
        check_parameters(folder)
        write_scene(folder, "short.lua", "simulation{ step = 0.005, end_time = 0.02 }\nground{}\n"
                    "body{ shape = sphere{ radius = 1 }, position = { 0, 0, 2 } }\n")
        check_bar(folder)
        check_moved_panels(folder)
        check_joints(folder)
        check_reload(folder)
        check_saved_view(folder)
        check_contents(folder)
        check_sets_and_marks(folder)
        check_contacts(folder)
        check_every_key(folder, "one.lua")
        check_in_window(folder)
        check_runs(folder)
        check_mistakes(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
