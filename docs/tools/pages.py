# SPDX-License-Identifier: Apache-2.0
# What the pages of the documentation ask for: scenes to save, commands to run, pictures and plots.
"""The pages are Markdown. Comments in them, invisible to the reader, tell what stands beside them:

    <!-- scene: NAME.lua -->           the Lua block that follows is the file NAME.lua
    <!-- file: NAME -->               the block that follows, of text or csv, is the file NAME
    <!-- run -->                       the indented `cairn ...` commands that follow are run as they stand
    <!-- render: SCENE ARGUMENTS -->   cairn render SCENE ARGUMENTS makes a picture of the page
    <!-- window: SCENE FILE LINES -->  the window of SCENE after a session of LINES, parted by semicolons
    <!-- plot: SCENE "COLUMN" FILE --> a sensor's column of the run of SCENE over time
    <!-- plot: profile WHICH FILE -->  performance profile from a kept table, profiles.py
    <!-- plot: law NAME FILE -->      forces of a contact law, laws.py
    <!-- plot: sketch NAME FILE -->   a drawing of sketches.py
    <!-- plot: study SCENE FILE -->    speed over angle of the sweep of step 8 of the tutorial
    <!-- plot: verify NAME FILE -->    a case of verification.py, with its row in the table of figures
    <!-- plot: triaxial FILE -->      friction angle and porosity of the built-in triaxial test
    <!-- plot: shear FILE -->         effective friction of the built-in simple shear over its rate
    <!-- plot: drum FILE -->          a plot of the built-in drum; tube, penetration, wall, mill and cones likewise
    <!-- plot: classics FILE -->       figures over bounds of the table of all classics
    <!-- plot: hopper FILE -->         a table of the page of classics; column FILE is another
"""
import os
import re
import shlex

SCENE = re.compile(r"<!-- scene: (\S+) -->\n```lua\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"<!-- file: (\S+) -->\n```(?:text|csv)\n(.*?)^```$", re.M | re.S)
RUN = re.compile(r"<!-- run -->\n((?:    .*\n|\n(?=    ))+)")
RENDER = re.compile(r"<!-- render: (.+?) -->")
WINDOW = re.compile(r"<!-- window: (\S+) (\S+) (.+?) -->")
PLOT = re.compile(r"<!-- plot: (.+?) -->")


def read_pages(folder):
    """{path relative to the folder: text} of all pages, generated ones left out."""
    pages = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("_"))
        for name in sorted(names):
            if name.endswith(".md"):
                path = os.path.join(root, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, folder)] = file.read()
    return pages


def scenes_of(text):
    """[(file name, text)] of the scenes and of the files that they read"""
    return SCENE.findall(text) + FILE.findall(text)


def commands_of(text):
    """Word lists of the commands to run, without the leading `cairn`."""
    found = []
    for block in RUN.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                if words[0] != "cairn":
                    raise ValueError(f"not a cairn command: {line!r}")
                found.append(words[1:])
    return found


def renders_of(text):
    return [shlex.split(words) for words in RENDER.findall(text)]


def windows_of(text):
    """[(scene, picture, lines of the session)]"""
    return [(scene, picture, [line.strip() for line in lines.split(";")])
            for scene, picture, lines in WINDOW.findall(text)]


def plots_of(text):
    return [shlex.split(words) for words in PLOT.findall(text)]


def pictures_of(text):
    """Names of the pictures that the page asks for."""
    return ([words[words.index("-o") + 1] for words in renders_of(text)] +
            [picture for _, picture, _ in windows_of(text)] + [words[-1] for words in plots_of(text)])
