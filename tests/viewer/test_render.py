# SPDX-License-Identifier: Apache-2.0
# Pictures of the scenes against reference pictures, by similarity; skipped without OpenGL.
"""usage: test_render.py PROGRAM ROOT [--write]   (--write makes the reference pictures anew)"""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import png
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
REFERENCES = os.path.join(ROOT, "tests", "viewer", "reference")
WIDTH, HEIGHT = 320, 180
PICTURES = {
    "chain": ["chain", "--at", "0.3"],
    "capsules": ["capsules", "--set", "capsules=27", "--at", "0.4"],
    "box_stack": ["box_stack", "--set", "boxes=12", "--at", "0.2"],
    "kapla_tower": ["kapla_tower", "--at", "0.2"],
    "arch": ["arch", "--set", "ratio=0.98", "--at", "1.2"],
    "billiards": ["billiards", "--at", "0.6"],
    "brick_wall": ["brick_wall", "--at", "0.01"],
    "domino": ["domino", "--set", "dominoes=20", "--set", "bend=90.0", "--at", "0.3"],
    "granular_column": ["granular_column", "--set", "length=10.0", "--at", "0.1"],
    "hopper": ["hopper", "--set", "depth=4.0", "--at", "0.02"],
    "mixer": ["mixer", "--set", "grains=60", "--set", "fill=0.25", "--at", "0.2", "--colours", "material"],
    "rockfall": ["rockfall", "--at", "1"],
    "chain_with_ball": ["chain_with_ball", "--at", "0.5"],
    "four_bar": ["four_bar", "--at", "0.3"],
    "newton_cradle": ["newton_cradle", "--at", "0.45"],
    "pendulum": ["pendulum", "--set", "bars=4", "--at", "0.7"],
    "rag_dolls": ["rag_dolls", "--at", "0.9"],
    "slider_crank": ["slider_crank", "--at", "0.03"],
    "contact_status": ["chain", "--set", "links=3", "--at", "0.3", "--contacts", "status"],
    "contact_forces": ["box_stack", "--set", "boxes=4", "--at", "0.2", "--contacts", "forces"],
    "parallel": ["kapla_tower", "--at", "0.1", "--parallel", "--elevation", "60", "--colours",
                 "material", "--no-caption"],
}
SIMILARITY_LEAST, COLOUR_MOST = 0.85, 5.0
failures = []


def check(held, what):
    if not held:
        failures.append(what)
        print("FAILED:", what)


def cairn(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=240)


def render(words, out):
    return cairn("render", *words, "--size", f"{WIDTH}x{HEIGHT}", "-q", "-o", out)


def skip_without_gl(folder):
    first = render(PICTURES["chain"], os.path.join(folder, "first.png"))
    if first.returncode == 4:
        print("skipped:", first.stderr.strip())
        sys.exit(77)
    check(first.returncode == 0, f"cairn render: {first.stderr}")


def compare(folder):
    seen = {}
    for name, words in PICTURES.items():
        path = os.path.join(folder, name + ".png")
        done = render(words, path)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        picture, reference = png.read(path), png.read(os.path.join(REFERENCES, name + ".png"))
        check(picture.shape == (HEIGHT, WIDTH, 3), f"{name}: size {picture.shape}")
        alike, off = png.similarity(picture, reference), png.colour_difference(picture, reference)
        print(f"{name:16} similarity {alike:.4f}, colours off by {off:.2f}")
        check(alike >= SIMILARITY_LEAST and off <= COLOUR_MOST, f"{name} looks different")
        seen[name] = picture
    # the measure tells pictures apart
    for a in seen:
        for b in seen:
            check(a == b or png.similarity(seen[a], seen[b]) < SIMILARITY_LEAST,
                  f"the measure takes {a} for {b}")


def check_films(folder):
    series = os.path.join(folder, "s-%03d.png")
    done = cairn("render", "chain", "--until", "0.1", "--frame-rate", "20", "--size", "64x48", "-q",
                 "-o", series)
    check(done.returncode == 0, f"series: {done.stderr}")
    names = sorted(name for name in os.listdir(folder) if name.startswith("s-"))
    check(names == ["s-001.png", "s-002.png", "s-003.png"], f"series: {names}")
    film = os.path.join(folder, "film.mp4")
    if shutil.which("ffmpeg"):
        done = cairn("render", "chain", "--until", "0.1", "--size", "65x49", "-q", "-o", film)
        check(done.returncode == 0 and os.path.getsize(film) > 500, f"film: {done.stderr}")


def spoil(path, spoilt, change):
    shutil.copytree(path, spoilt)
    name = os.path.join(spoilt, "trajectory.h5")
    with open(name, "rb") as file:
        data = file.read()
    with open(name, "wb") as file:
        file.write(change(data))


def check_runs(folder):
    """A picture of a run is that of the scene; a damaged run is refused."""
    run, picture = os.path.join(folder, "run"), os.path.join(folder, "replay.png")
    words = ["box_stack", "--set", "boxes=12"]
    done = cairn("run", *words, "--until", "0.4", "--out", run, "-q")
    check(done.returncode == 0, f"run: {done.stderr}")
    for name in [run, os.path.join(run, "trajectory.h5")]:
        done = render([name, "--at", "0.2"], picture)
        check(done.returncode == 0, f"replay: {done.stderr}")
        off = png.colour_difference(png.read(picture),
                                    png.read(os.path.join(folder, "box_stack.png")))
        check(off < 0.01, f"replay of {name}: colours off by {off}")
    # without resolved.json the parameters are those of the command in the trajectory
    os.rename(os.path.join(run, "resolved.json"), os.path.join(folder, "kept.json"))
    done = render([run, "--at", "0.3"], picture)
    check(done.returncode == 0, f"replay without resolved.json: {done.stderr}")
    os.rename(os.path.join(folder, "kept.json"), os.path.join(run, "resolved.json"))
    series = os.path.join(folder, "r-%03d.png")
    done = cairn("render", run, "--from", "0.1", "--until", "0.3", "--frame-rate", "20", "--size",
                 "64x48", "-q", "-o", series)
    check(done.returncode == 0 and os.path.exists(os.path.join(folder, "r-005.png")),
          f"series of a run: {done.stderr}")
    done = render([run, "--contacts", "forces"], picture)
    check(done.returncode == 0 and "none are shown" not in done.stderr, f"contacts: {done.stderr}")
    bare = os.path.join(folder, "bare")
    done = cairn("run", *words, "--until", "0.1", "--contacts-every", "0", "--out", bare, "-q")
    done = render([bare, "--contacts", "forces"], picture)
    check(done.returncode == 0 and "none are shown" in done.stderr, f"no contacts: {done.stderr}")
    spoil(run, run + "-cut", lambda data: data[:len(data) // 2])
    spoil(run, run + "-blank", lambda data: b"")
    spoil(run, run + "-foreign", lambda data: b"\x89HDF\r\n\x1a\n" + data[8:100])
    spoil(run, run + "-other", lambda data: data)
    name = os.path.join(run + "-other", "resolved.json")
    with open(name, encoding="utf-8") as file:
        text = file.read()
    with open(name, "w", encoding="utf-8") as file:
        file.write(text.replace('"boxes": 12', '"boxes": 11'))
    for ending, message in [("-cut", "trajectory"), ("-blank", "trajectory"),
                            ("-foreign", "trajectory"), ("-other", "bodies")]:
        done = render([run + ending], picture)
        check(done.returncode == 3 and message in done.stderr,
              f"{ending}: status {done.returncode}, {done.stderr}")
    for more, status, message in [(["--at", "9"], 2, "not in the run"),
                                  (["--set", "boxes=3"], 2, "is a run"),
                                  (["--solver", "gauss_seidel"], 2, "is a run")]:
        done = render([run, *more], picture)
        check(done.returncode == status and message in done.stderr,
              f"{more}: status {done.returncode}, {done.stderr}")


GLASS = """
simulation{ end_time = 0.1 }
body{ kind = "fixed", shape = plane{}, position = {0, -0.5, 0}, rotation = {axis = {1, 0, 0}, angle = -90} }
%s
for i = 1, 20 do body{ shape = sphere{ radius = 0.02 }, position = {-0.4 + 0.04 * i, 0, 0.6} } end
"""


def check_glass_behind_plane(folder):
    """A container behind a half-space is seen from the half-space's back as from its front."""
    body = 'body{ kind = "fixed", shape = box{ size = {1, 0.6, 1} } }'
    for azimuth in ("-90", "90"):
        seen = []
        for name, text in (("with", GLASS % body), ("without", GLASS % "")):
            scene = os.path.join(folder, name + ".lua")
            with open(scene, "w", encoding="utf-8") as file:
                file.write(text)
            picture = os.path.join(folder, name + ".png")
            done = render([scene, "--at", "0", "--azimuth", azimuth, "--elevation", "10", "--zoom", "0.5",
                           "--no-caption"], picture)
            check(done.returncode == 0, f"glass: {done.stderr}")
            seen.append(png.read(picture))
        check(png.colour_difference(*seen) > 0.5, f"glass from azimuth {azimuth} is not seen")


def check_mistakes(folder):
    for words, status, message in [
            (["chain"], 2, "wants -o"),
            (["chain", "-o", "x.jpg"], 2, ".png"),
            (["chain", "-o", "x.png", "--size", "12"], 2, "--size"),
            (["chain", "-o", "x.png", "--contacts", "all"], 2, "is not one of"),
            (["chain", "-o", "x.png", "--until", "0.1"], 2, "a picture has --at"),
            (["chain", "-o", "x.png", "--from", "0.1"], 2, "a picture has --at"),
            (["chain", "-o", "x-%d.png", "--at", "0.1"], 2, "--from and --until"),
            (["no_such_scene", "-o", "x.png"], 3, "no_such_scene"),
            (["chain", "--at", "0", "-o", folder + "/none/x.png"], 1, "cannot be written"),
            ([folder, "-o", "x.png"], 3, "not that of a run")]:
        done = cairn("render", *words)
        check(done.returncode == status and message in done.stderr,
              f"{words}: status {done.returncode}, {done.stderr}")


def check_links(folder):
    """A picture takes the place of a name: what others have under another one stays."""
    kept, picture, link = (os.path.join(folder, name) for name in ("kept.txt", "linked.png", "soft.png"))
    with open(kept, "w", encoding="ascii") as file:
        file.write("kept")
    os.link(kept, picture)
    os.symlink(kept, link)
    done = render(PICTURES["chain"], picture)
    check(done.returncode == 0 and os.stat(picture).st_nlink == 1, f"a hard link: {done.stderr}")
    done = render(PICTURES["chain"], link)
    check(done.returncode == 1 and os.path.islink(link), f"a symbolic link: {done.returncode}, {done.stderr}")
    with open(kept, encoding="ascii") as file:
        check(file.read() == "kept", "what a link leads to is written through")
    check(not [name for name in os.listdir(folder) if name.endswith(".part")], "half a picture is left")


def main():
    if "--write" in sys.argv:
        os.makedirs(REFERENCES, exist_ok=True)
        for name, words in PICTURES.items():
            print(name, render(words, os.path.join(REFERENCES, name + ".png")).returncode)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        skip_without_gl(folder)
        compare(folder)
        check_films(folder)
        check_runs(folder)
        check_glass_behind_plane(folder)
        check_mistakes(folder)
        check_links(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
