# SPDX-License-Identifier: Apache-2.0
# The scenes and commands of the documentation's pages run as they stand there.
"""usage: test_pages.py PROGRAM ROOT"""
import glob
import os
import sys

from command import ROOT, Folder, check, check_status, finish

sys.path.insert(0, ROOT + "/docs/tools")
import pages

ALL = pages.read_pages(ROOT + "/docs")


def expand(folder, words):
    """As a shell does with patterns."""
    found = []
    for word in words:
        matches = sorted(glob.glob(os.path.join(folder.path, word))) if "*" in word else []
        found += [os.path.relpath(match, folder.path) for match in matches] or [word]
    return found


def check_page(folder, name, text):
    for scene, lua in pages.scenes_of(text):
        folder.write(scene, lua)
    for words in pages.commands_of(text):
        result = folder.cairn(*expand(folder, words))
        check_status(result, 0, f"{name}: cairn {' '.join(words)}")
        check("unsolved" not in result.out and "warning" not in result.err,
              f"{name}: cairn {' '.join(words)}: no warning", result)
    for words in pages.renders_of(text):
        check(words[0].endswith(".lua") and folder.has(words[0]) or
              os.path.exists(f"{ROOT}/scenes/library/{words[0]}.lua"), f"{name}: no scene {words[0]}")


with Folder() as place:
    for page, content in ALL.items():
        check_page(place, page, content)
check(sum(len(pages.commands_of(text)) for text in ALL.values()) > 15, "commands were found")
finish()
