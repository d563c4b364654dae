# SPDX-License-Identifier: Apache-2.0
# Checks that the C files are formatted by clang-format 14; skipped where that is not installed.
"""usage: format.py ROOT"""
import re
import shutil
import subprocess
import sys

import tree

SKIP = 77
VERSION = "14"


def find_formatter():
    for name in ("clang-format-" + VERSION, "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return path
    return None


def main():
    formatter = find_formatter()
    if formatter is None:
        print(f"clang-format {VERSION} is not installed")
        return SKIP
    names = tree.files(sys.argv[1], ".c", ".h")
    return subprocess.run([formatter, "--dry-run", "-Werror", "--style=file", *names],
                          cwd=sys.argv[1]).returncode


if __name__ == "__main__":
    sys.exit(main())
