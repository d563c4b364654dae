# SPDX-License-Identifier: Apache-2.0
# The files of the source tree, for the house checks.
import os
import subprocess
import sys

NOT_OURS = {".git", ".cache", "__pycache__", "third_party", "out", "shared"}


def _from_git(root):
    """Tracked files and new ones that are not ignored; None outside a repository."""
    try:
        listing = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in listing.decode().split("\0") if name]


def _from_walk(root):
    found = []
    for folder, folders, names in os.walk(root):
        if folder == root:
            folders[:] = [name for name in folders if not name.startswith("build")]
        folders[:] = [name for name in folders if name not in NOT_OURS]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def files(root, *endings):
    """Sorted paths relative to `root` of the project's own files with one of the endings."""
    listed = _from_git(root) if os.path.exists(os.path.join(root, ".git")) else None
    if listed is None:
        listed = _from_walk(root)
    return sorted(
        {name for name in listed
         if (not endings or name.endswith(endings))
         and not NOT_OURS.intersection(name.split("/"))
         and os.path.isfile(os.path.join(root, name))})


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def finish(problems):
    """Prints the problems and ends the script: 0 for none, 1 otherwise."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problem(s)")
    sys.exit(1 if problems else 0)
