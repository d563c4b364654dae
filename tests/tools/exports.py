# SPDX-License-Identifier: Apache-2.0
# The shared library exports what the public headers declare, and nothing else.
"""usage: exports.py ROOT LIBRARY.so

A header that declares more than the library has is an error as soon as the library has any of the
functions that this header declares.
"""
import re
import subprocess
import sys

import tree

PUBLIC_FOLDER = "include/cairn/"
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DECLARATION = re.compile(r"\bCAIRN_API\b[^;{]*?\b(\w+)\s*\(")


def declared_in(text):
    text = "\n".join(line for line in COMMENTS.sub("", text).split("\n")
                     if not line.lstrip().startswith("#"))
    return set(DECLARATION.findall(text))


def exported_by(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", "-P", library], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in listing.splitlines() if line.strip()}


def check(declared, exported):
    """@param declared  {header: names}; @param exported  names"""
    problems = []
    promised = set().union(*declared.values())
    for name in sorted(exported):
        if not name.startswith("cairn_"):
            problems.append(f"exported, but not a cairn_ name: {name}")
        elif name not in promised:
            problems.append(f"exported, but in no public header: {name}")
    for header, names in declared.items():
        if names & exported:
            problems += [f"{header} declares it, but the library lacks it: {name}"
                         for name in sorted(names - exported)]
    return problems or ([] if exported else ["the library exports nothing"])


if __name__ == "__main__":
    tree.finish(check({header: declared_in(tree.read(sys.argv[1], header))
                       for header in tree.files(sys.argv[1], ".h")
                       if header.startswith(PUBLIC_FOLDER)}, exported_by(sys.argv[2])))
