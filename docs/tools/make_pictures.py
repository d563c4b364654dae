# SPDX-License-Identifier: Apache-2.0
# Makes the pictures, plots and generated pages of the documentation.
"""usage: make_pictures.py [--no-films] CAIRN DOCS_SOURCE BUILD_FOLDER

BUILD_FOLDER is a copy of the pages' folder; pictures/ and _generated/ are written into it.
"""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import grains
import laws
import notebook_pages
import pages
import profiles
import sketches
import verification


def run(program, words, folder):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"cairn {' '.join(words)}: exit status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def finish_plot(path):
    plt.tight_layout()
    plt.savefig(path, dpi=110)
    plt.close()


def draw_sensor(program, work, scene, column, path):
    run(program, ["run", scene, "--out", "plotted", "--quiet"], work)
    with open(os.path.join(work, "plotted/sensors.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    plt.figure(figsize=(7, 3.5))
    plt.plot([float(row["time [s]"]) for row in rows], [float(row[column]) for row in rows])
    plt.xlabel("time [s]")
    plt.ylabel(column)
    finish_plot(path)


def draw_study(program, work, scene, path):
    run(program, ["sweep", scene, "--vary", "angle=5:45:9", "--vary", "friction=0.2,0.4,0.6", "-o",
                  "plotted_study", "--quiet"], work)
    with open(os.path.join(work, "plotted_study/table.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    plt.figure(figsize=(7, 4))
    for friction in ["0.2", "0.4", "0.6"]:
        mine = [row for row in rows if row["friction"] == friction]
        angles = [float(row["angle"]) for row in mine]
        speeds = [math.hypot(float(row["brick velocity x [m/s]"]),
                             float(row["brick velocity z [m/s]"])) for row in mine]
        plt.plot(angles, speeds, "o", label="friction " + friction)
        fine = [0.1 * i for i in range(451)]
        plt.plot(fine, [9.81 * max(0.0, math.sin(math.radians(a)) -
                                   float(friction) * math.cos(math.radians(a))) for a in fine],
                 "-", color=plt.gca().lines[-1].get_color(), linewidth=1)
    plt.xlabel("angle of the slope [degrees]")
    plt.ylabel("speed after 1 s [m/s]")
    plt.legend()
    finish_plot(path)


def verify(program, name, path, work):
    """Draws a case of the verification manual and adds its row to the table of figures."""
    def run_scene(scene, words):
        run(program, ["run", scene, *words, "--out", "verified", "--quiet", "--paraview", "none"], work)
        return os.path.join(work, "verified")

    row = verification.make(name, run_scene, path)
    table = os.path.join(os.path.dirname(work), "_generated/verification_figures.md")
    begin = "" if os.path.exists(table) else "| case | compared | bound | largest difference |\n|---|---|---|---|\n"
    with open(table, "a", encoding="utf-8") as file:
        file.write(begin + row + "\n")


def make_classics(source, out):
    """The figures of the classics, one row a line of the kept table, in a table for each command that makes them."""
    with open(os.path.join(source, "tables", "verification.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    lines = ["## All classics", ""]
    for command in dict.fromkeys(row["command"] for row in rows):
        lines += [f"`{command}`:", "", "| figure | quantity | bound | measured | met |", "|---" * 5 + "|"]
        for row in rows:
            if row["command"] == command:
                unit = "" if row["unit"] == "1" else " " + row["unit"]
                quantity = row["classic"] + ": " + row["quantity"] + (f" ({row['note']})" if row["note"] else "")
                cells = [f"`{row['name']}`", quantity, row["bound"] + unit, row["measured"], row["met"]]
                lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    with open(os.path.join(out, "_generated/verification_table.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def shoot_window(program, work, scene, lines, path):
    """A picture of the window at the end of a session; small pictures of its list go to a folder of their own."""
    shots = os.path.join(work, "window")
    os.environ["XDG_CACHE_HOME"] = os.path.join(work, "cache")
    with open(os.path.join(work, "session.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["key F12", "wait 2", "quit"]) + "\n")
    run(program, ["view", scene, "--hidden", "--paused", "--size", "1280x720", "--script", "session.txt", "-o", "window", "--quiet"],
        work)
    picture = [name for name in os.listdir(shots) if name.endswith(".png")]
    os.replace(os.path.join(shots, picture[0]), path)
    shutil.rmtree(shots)


def draw_classics(source, path):
    """Of each row of the table how its figure compares with its bound, on a logarithmic axis."""
    with open(os.path.join(source, "tables", "verification.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    shares = [float(row["measured"]) / float(row["bound"]) for row in rows]
    plt.figure(figsize=(7, 0.2 * len(rows) + 1))
    for i, (row, share) in enumerate(zip(rows, shares)):
        colour = "#2e7d4f" if row["met"] == "yes" else "#c0392b"
        plt.plot([1, share], [-i, -i], color=colour, linewidth=1)
        plt.plot(share, -i, "o", color=colour, markersize=4)
    plt.axvline(1.0, color="black", linewidth=0.8)
    plt.xscale("log")
    plt.yticks([-i for i in range(len(rows))], [row["name"] for row in rows], fontsize=7)
    plt.ylim(-len(rows), 1)
    plt.xlabel("figure over bound: left of the line it is met")
    finish_plot(path)


# plots of tables that the page of classics keeps, since their runs take minutes
KEPT = ("hopper", "column", "drum", "tube", "penetration", "mill")


def draw_kept(source, words, path):
    """Draws what needs no run of its own: @return whether it was such a plot"""
    if words[0] in KEPT:
        with open(os.path.join(source, "classics.md"), encoding="utf-8") as file:
            getattr(grains, "draw_" + words[0])(file.read(), path)
    elif words[0] == "classics":
        draw_classics(source, path)
    elif words[0] == "profile":
        profiles.draw(source, words[1], path)
    elif words[0] == "sketch":
        getattr(sketches, "draw_" + words[1])(path)
    else:
        return False
    return True


def make_page(program, text, work, source, out):
    for name, scene in pages.scenes_of(text):
        with open(os.path.join(work, name), "w", encoding="utf-8") as file:
            file.write(scene)
    for words in pages.renders_of(text):
        at = words.index("-o") + 1
        words[at] = os.path.join(out, words[at])
        run(program, ["render", *words], work)
    for scene, picture, lines in pages.windows_of(text):
        shoot_window(program, work, scene, lines, os.path.join(out, picture))
    for words in pages.plots_of(text):
        path = os.path.join(out, words[-1])
        if words[0] == "study":
            draw_study(program, work, words[1], path)
        elif words[0] == "verify":
            verify(program, words[1], path, work)
        elif words[0] == "law":
            laws.draw(lambda given: run(program, given, work), words[1], path)
        elif draw_kept(source, words, path):
            continue
        elif hasattr(grains, "draw_" + words[0]):
            getattr(grains, "draw_" + words[0])(lambda given: run(program, given, work), work, path)
        else:
            draw_sensor(program, work, words[0], words[1], path)


def opening_comment(text):
    """The lines of the comment at the head of a scene, without the licence."""
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("--"):
            break
        lines.append(line)
    return lines


def make_film(program, stem, end, scenes, out):
    """The lines that show a film of six seconds of a scene, and say what it cost."""
    name = f"films/{stem}.mp4"
    os.makedirs(os.path.join(out, "_static/films"), exist_ok=True)
    said = json.loads(run(program, ["render", stem, "--size", "640x360", "--frame-rate", "15", "--speed",
                                    str(end / 6.0), "--until", str(end), "-o",
                                    os.path.join(out, "_static", name), "--json"], scenes))
    return [f"{end:g} s, {said['seconds_stepping']:.1f} s of computing on the machine that made this page.", "",
            f'<video controls loop muted preload="none" width="640" '
            f'poster="_images/scene_{stem}.png" src="_static/{name}"></video>', ""]


def make_gallery(program, source, out, films):
    """A section a built-in scene: picture, title, opening comment, parameters."""
    scenes = os.path.join(os.path.dirname(source), "scenes/library")
    lines = []
    for name in sorted(os.listdir(scenes)):
        if not name.endswith(".lua"):
            continue
        stem = name[:-4]
        with open(os.path.join(scenes, name), encoding="utf-8") as file:
            text = file.read()
        comment = [line.lstrip("-").strip() for line in opening_comment(text)]
        said = json.loads(run(program, ["info", name[:-4], "--json"], scenes))
        end = said.get("end_time", 1.0)
        run(program, ["render", stem, "--at", str(0.6 * end), "--size", "800x450", "-o",
                      os.path.join(out, f"pictures/scene_{stem}.png")], scenes)
        film = make_film(program, stem, end, scenes, out) if films else []
        parameters = re.findall(r"(?m)^  --set (\w+) +(.*)$", run(program, ["run", stem, "--help"],
                                                                 scenes))
        lines += [f"## {stem}", "", f"![{stem}](pictures/scene_{stem}.png)", "", *comment, "",
                  f"    cairn run {stem}", "", *film]
        if parameters:
            lines += ["| parameter | meaning |", "|---|---|"]
            lines += [f"| `{name}` | {meaning} |" for name, meaning in parameters] + [""]
    with open(os.path.join(out, "_generated/gallery.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def make_laws(program, work, out):
    """A table of parameters a law."""
    for name, table in laws.tables(lambda words: run(program, words, work)).items():
        with open(os.path.join(out, f"_generated/law_{name}.md"), "w", encoding="utf-8") as file:
            file.write(table)


def make_headers(source, out):
    """A section a public header, which Breathe fills from the comments that Doxygen has read."""
    folder = os.path.join(os.path.dirname(source), "include/cairn")
    lines = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            purpose = next(line for line in file.read().splitlines()[1:] if line.startswith("//"))
        lines += [f"## `<cairn/{name}>`", "", purpose[2:].strip(), "", "```{eval-rst}",
                  f".. doxygenfile:: {name}",
                  "   :sections: briefdescription detaileddescription innerclass public-attrib enum typedef func define",
                  "```", ""]
    with open(os.path.join(out, "_generated/c_headers.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


PYTHON_REFERENCE = """```{eval-rst}
.. autofunction:: cairn.load

.. autoclass:: cairn.World
   :members:

.. autoclass:: cairn.Table
   :members:

.. autoclass:: cairn.Body
   :members:

.. autoclass:: cairn.Joint
   :members:

.. autoclass:: cairn.Problem
   :members:

.. autoclass:: cairn.Run
   :members:

.. autofunction:: cairn.solve

.. autofunction:: cairn.check

.. autofunction:: cairn.project

.. autofunction:: cairn.read_fclib

.. autofunction:: cairn.write_fclib

.. autofunction:: cairn.read_packing

.. autofunction:: cairn.plugins
```
"""


def make_python(program, source, out):
    """What autodoc is to list, and the notebooks; a sentence where the build has no Python package."""
    try:
        import cairn
        text = PYTHON_REFERENCE if cairn.World else ""
    except ImportError:
        text = "The build of this site had no Python package.\n"
    with open(os.path.join(out, "_generated/python_reference.md"), "w", encoding="utf-8") as file:
        file.write(text)
    if text is PYTHON_REFERENCE:
        notebook_pages.make(program, source, out)
    else:
        os.remove(os.path.join(out, "notebooks/index.md"))


def main():
    films = "--no-films" not in sys.argv and shutil.which("ffmpeg") is not None
    program, source, out = (os.path.abspath(path) for path in sys.argv[-3:])
    work = os.path.join(out, "_work")
    for folder in ("pictures", "_generated", "_work"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    for name, text in pages.read_pages(source).items():
        print("pictures:", name, flush=True)
        make_page(program, text, work, source, out)
    make_classics(source, out)
    make_laws(program, work, out)
    make_gallery(program, source, out, films)
    make_headers(source, out)
    make_python(program, source, out)


if __name__ == "__main__":
    main()
