# SPDX-License-Identifier: Apache-2.0
# Every plot of the documentation that needs no run is drawn, and no two pages ask for one picture.
"""usage: plots.py ROOT        status 77 where Matplotlib is missing"""
import os
import sys
import tempfile

import tree

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "docs/tools"))
try:
    import make_pictures
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import pages

source = os.path.join(root, "docs")
problems, asked_by, drawn = [], {}, 0
with tempfile.TemporaryDirectory() as folder:
    for page, text in pages.read_pages(source).items():
        for picture in pages.pictures_of(text):
            if picture in asked_by:
                problems.append(f"{page}: {picture} is a picture of {asked_by[picture]} too")
            asked_by[picture] = page
        for words in pages.plots_of(text):
            path = os.path.join(folder, f"{drawn}.png")
            if make_pictures.draw_kept(source, words, path):
                drawn += 1
                with open(path, "rb") as file:
                    if file.read(8) != b"\x89PNG\r\n\x1a\n":
                        problems.append(f"{page}: plot {words[0]} is no picture")
if drawn < len(make_pictures.KEPT):
    problems.append(f"{drawn} plots were drawn, and {len(make_pictures.KEPT)} kinds of them are known")
tree.finish(problems)
