# SPDX-License-Identifier: Apache-2.0
# House rules: licence line, purpose line, no leftovers, no machine's paths; long files and large folders are told.
"""usage: house.py ROOT"""
import collections
import posixpath
import re
import sys

import tree

COMMENT = {".c": "//", ".h": "//", ".lua": "--", ".py": "#", ".sh": "#", ".js": "//"}
TEXT = (".build", ".md", ".txt", ".json", ".csv", ".cff", ".yml", ".yaml", ".glsl", ".options")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# beyond these a file or a folder is worth a look, and no offence: it ends where its idea ends
LINES_MAX = 800
# in one folder, meson.build apart
FILES_MAX = 30
ROOMS = set(".ci .github assets base bench cli contact debian docs engine examples geometry include python scenes scripts tests "
            "subprojects third_party viewer web".split())
# written in halves, so that this file passes its own check
MARKS = re.compile(r"\b(" + "|".join(["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK", "TB" "D"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.\-])/(?:home|root|work|Users)/\w")


def comment_of(name):
    if name == ".ci/run":
        return "#"
    return next((mark for ending, mark in COMMENT.items() if name.endswith(ending)), None)


def check_head(name, lines, comment):
    """The licence in the first line, the purpose in the second; a #! line may stand before both."""
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    if not lines or lines[0] != f"{comment} {LICENCE}":
        return [f'{name}:1: the first line is not "{comment} {LICENCE}"']
    purpose = lines[1] if len(lines) > 1 else ""
    if not purpose.startswith(comment) or len(purpose[len(comment):].split()) < 3:
        return [f"{name}:2: the second line does not say what the file is for"]
    return []


def check_lines(name, lines):
    problems = []
    for number, line in enumerate(lines, 1):
        if MARKS.search(line):
            problems.append(f"{name}:{number}: a leftover mark: {MARKS.search(line).group()}")
        if MACHINE_PATH.search(line):
            problems.append(f"{name}:{number}: a path of one machine: {line.strip()[:60]}")
        if line != line.rstrip():
            problems.append(f"{name}:{number}: white space at the end of the line")
    return problems


def check_file(name, text):
    """Problems of one file. Scenes under tests/ may be wrong on purpose: no head asked of them."""
    problems = []
    comment = comment_of(name)
    lines = text.split("\n")
    if comment:
        if not (name.startswith("tests/") and name.endswith(".lua")):
            problems += check_head(name, lines, comment)
        if text and not text.endswith("\n"):
            problems.append(f"{name}: no newline at the end")
    return problems + check_lines(name, lines)


def advise(names, lines_of):
    """Long files and large folders.

    @param lines_of  tells the number of lines of a file
    """
    counts = collections.Counter(posixpath.dirname(name) for name in names
                                 if posixpath.basename(name) != "meson.build")
    long = {name: lines_of(name) for name in names if comment_of(name)}
    return [f"{folder or 'the root'}: {count} files, more than {FILES_MAX}"
            for folder, count in sorted(counts.items()) if count > FILES_MAX] + \
           [f"{name}: {count} lines, more than {LINES_MAX}" for name, count in long.items() if count > LINES_MAX]


def check_rooms(names):
    """What a script left at the top by mistake is no folder of the project."""
    rooms = {name.split("/")[0] for name in names if "/" in name}
    return [f"{room}: no folder of the project" for room in sorted(rooms - ROOMS)]


def check(root):
    names = tree.files(root)
    problems = check_rooms(names)
    for name in names:
        if comment_of(name) or name.endswith(TEXT):
            problems += check_file(name, tree.read(root, name))
    return problems


if __name__ == "__main__":
    for line in advise(tree.files(sys.argv[1]), lambda name: tree.read(sys.argv[1], name).count("\n") + 1):
        print("advice:", line)
    tree.finish(check(sys.argv[1]))
