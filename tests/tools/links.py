# SPDX-License-Identifier: Apache-2.0
# Every relative link in the Markdown pages leads to a file, or to a picture that the page itself
# asks the build of the documentation for.
"""usage: links.py ROOT"""
import os
import re
import sys

import tree

MADE = re.compile(r"<!-- (?:(?:render|plot): .*?|window: \S+ )(pictures/\S+)[^>]* -->")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def check_page(name, text, exists):
    """@param exists  tells whether a path relative to the root is there"""
    made = MADE.findall(text)
    return [f"{name}: no such file: {target}" for target in LINK.findall(text)
            if "://" not in target and not any(target.endswith(path) for path in made)
            and not exists(os.path.normpath(os.path.join(os.path.dirname(name), target)))]


if __name__ == "__main__":
    root = sys.argv[1]
    tree.finish([problem for name in tree.files(root, ".md")
                 for problem in check_page(name, tree.read(root, name), lambda path: os.path.exists(
                     os.path.join(root, path)))])
