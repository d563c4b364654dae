# SPDX-License-Identifier: Apache-2.0
# Every relative link in the Markdown pages leads to a file, or to a picture that a page asks the
# build of the documentation for, and to a heading of the page that it names.
"""usage: links.py ROOT"""
import os
import re
import sys

import tree

MADE = re.compile(r"<!-- (?:(?:render|plot): .*?|window: \S+ )(pictures/\S+)[^>]* -->")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.M)
LABEL = re.compile(r"^\(([^)]+)\)=$", re.M)


def anchors_of(text):
    """What `#...` may follow the page's name: headings as the site and the usual hosts of repositories call them."""
    text = FENCED.sub("", text)
    found = set(LABEL.findall(text))
    for heading in HEADING.findall(text):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = 0
        while slug + (f"-{count}" if count else "") in found:
            count += 1
        found.add(slug + (f"-{count}" if count else ""))
    return found


def check_page(name, text, page_of, exists):
    """
    @param page_of  gives the text of a page by its path relative to the root, None for other files
    @param exists   tells whether a path relative to the root is there
    """
    made = MADE.findall(text)
    problems = []
    for target, anchor in LINK.findall(FENCED.sub("", text)):
        if "://" in target + anchor or any(target.endswith(path) for path in made):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        if not exists(path):
            problems.append(f"{name}: no such file: {target}")
        elif anchor and page_of(path) is not None and anchor not in anchors_of(page_of(path)):
            problems.append(f"{name}: {path} has no heading for #{anchor}")
    return problems


if __name__ == "__main__":
    root = sys.argv[1]
    pages = {name: tree.read(root, name) for name in tree.files(root, ".md")}
    pictures = {"docs/" + picture for text in pages.values() for picture in MADE.findall(text)}
    tree.finish([problem for name, text in pages.items()
                 for problem in check_page(name, text, pages.get, lambda path: path in pictures or os.path.exists(
                     os.path.join(root, path)))])
