# SPDX-License-Identifier: Apache-2.0
# Colours, camera and light of a scene are in its pictures, live and of its runs, and change no run.
"""usage: test_looks.py PROGRAM ROOT"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import png
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
PLAIN = """simulation{ step = 1 / 200, end_time = 0.2 }
material{ name = "paper" }
material{ name = "paint" }
ground{ material = "paper" }
body{ name = "wall", kind = "fixed", shape = box{ size = { 4, 0.1, 4 } }, position = { 0, -1, 2 } }
for i = 0, 3 do
  body{ shape = box{ size = { 1, 1, 1 } }, material = i == 1 and "paint" or "paper", position = { 0, 0, 0.5 + i } }
end
"""
LOOKS = {
    'name = "paint" }': 'name = "paint", colour = { 0, 0, 1 } }',
    'material = "paper" }\nbody': 'material = "paper", colour = "#206020" }\nbody',
    'name = "wall", ': 'name = "wall", colour = { 1, 1, 1, 0 }, ',
    'box{ size = { 1, 1, 1 } }, material': 'box{ size = { 1, 1, 1 } }, colour = i == 3 and "#ff0000" or nil, material',
}
CAMERA = "camera{ azimuth = -90, elevation = 0, min = { -2, -2, 0 }, max = { 2, 2, 4 }, parallel = true }\n"
failures = []


def check(held, what):
    if not held:
        failures.append(what)
        print("FAILED:", what)


def cairn(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=240)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def picture(folder, subject, *words):
    out = os.path.join(folder, "out.png")
    done = cairn("render", subject, "--size", "96x96", "--no-caption", "-q", "-o", out, *words)
    if done.returncode == 4:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"{subject}: {done.stderr}")
    return png.read(out).astype(int)


def is_mostly(pixels, channel):
    """Whether one channel is far above both others."""
    others = [k for k in range(3) if k != channel]
    return bool(numpy.mean(pixels[..., channel] > 1.3 * pixels[..., others].max(axis=-1)) > 0.9)


def dressed():
    text = CAMERA + PLAIN
    for old, new in LOOKS.items():
        check(text.count(old) == 1, f"the scene has one {old}")
        text = text.replace(old, new)
    return text


def check_colours(seen):
    # the four boxes stand in the middle column, each a quarter of the picture's inner part
    check(is_mostly(seen[12:20, 46:50], 0), f"the upper box is red: {seen[16, 48]}")
    check(is_mostly(seen[54:62, 46:50], 2), f"the box of paint is blue: {seen[58, 48]}")
    check(not is_mostly(seen[34:40, 46:50], 0), "the box between has a colour of its own")


def check_scene(folder, scene, plain):
    check_colours(picture(folder, scene, "--at", "0.1"))
    above = picture(folder, scene, "--at", "0.1", "--elevation", "60")
    check(is_mostly(above[-6:, :6], 1), f"the ground is green: {above[-3, 3]}")

    # a run keeps its looks, and has the same state without them
    hashes = []
    for name in (plain, scene):
        run = os.path.join(folder, "run_" + os.path.basename(name))
        done = cairn("run", name, "--out", run, "--json")
        hashes.append(json.loads(done.stdout)["state_hash"])
    check(hashes[0] == hashes[1], "colours and cameras change no state")
    os.remove(scene)
    check_colours(picture(folder, run, "--at", "0.1"))

    # options go before the scene's camera
    turned = picture(folder, run, "--at", "0.1", "--azimuth", "0")
    check(numpy.abs(turned - picture(folder, run, "--at", "0.1")).mean() > 1.0,
          "an option goes before the scene's camera")


def check_light(folder):
    day = picture(folder, write(folder, "day.lua", PLAIN), "--at", "0")
    low = picture(folder, write(folder, "low.lua", "light{ azimuth = 10, elevation = 20 }\n" + PLAIN), "--at", "0")
    dull = picture(folder, write(folder, "dull.lua", "light{ shadows = false }\n" + PLAIN), "--at", "0")
    check(numpy.abs(day - low).mean() > 1.0, "the sun stands where light says")
    check(dull.mean() > day.mean(), "there are no shadows where light says so")


def check_motion(folder):
    """Two pictures have one camera where a body goes away."""
    slide = write(folder, "slide.lua", "simulation{ step = 0.01, end_time = 1 }\ngravity{ 0, 0, 0 }\n"
                  'body{ shape = box{ size = { 1, 1, 1 } }, velocity = { 3, 0, 0 }, colour = "#ff0000" }\n')
    views = [picture(folder, slide, "--at", at, "--azimuth", "-90") for at in ("0.01", "1")]
    places = [numpy.argwhere(view[..., 0] > 1.5 * view[..., 1]).mean(axis=0) for view in views]
    check(places[1][1] - places[0][1] > 10, f"a body that goes away is seen to go: {places}")


def check_mistakes(folder):
    out = os.path.join(folder, "wrong")
    for wrong, word in (('colour = "rde"', "neither"), ("colour = 3", "colour must be"),
                        ("colour = { 1, 0 }", "colour must be"), ("colour = { 1, 0, 2 }", "out of range")):
        path = write(folder, "wrong.lua", f"ground{{}}\nbody{{ shape = sphere{{ radius = 1 }}, {wrong} }}\n")
        done = cairn("run", path, "--out", out)
        check(done.returncode == 3 and "wrong.lua:2:" in done.stderr and word in done.stderr,
              f"{wrong}: {done.returncode} {done.stderr}")
    for wrong in ("camera{ min = { 0, 0, 0 } }", "camera{ elevation = 90 }", "light{ sun = 1 }",
                  "camera{ min = { 1, 0, 0 }, max = { 0, 1, 1 } }"):
        done = cairn("run", write(folder, "wrong.lua", wrong + "\nground{}\n"), "--out", out)
        check(done.returncode == 3 and "wrong.lua:1:" in done.stderr, f"{wrong}: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_scene(folder, write(folder, "dressed.lua", dressed()), write(folder, "plain.lua", PLAIN))
        check_light(folder)
        check_motion(folder)
        check_mistakes(folder)
    print(len(failures), "failures")
    return 1 if failures else 0


sys.exit(main())
