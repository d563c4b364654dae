# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy (the checks of .clang-tidy) or gcc -fanalyzer over the sources and tells what is not explained.
"""usage: deep_analysis.py tidy|gcc BUILD_FOLDER LIST [ROOM...]

BUILD_FOLDER has compile_commands.json. Lines of LIST "tidy CHECK:FILE" and "gcc WARNING:FILE" name findings that
are no faults. Exit status 1 where there are others.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOMS = ("base", "geometry", "contact", "engine", "scenes", "viewer", "cli")
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*) \[([^\]]+)\]$")


def commands(folder, rooms):
    """{source under the root: words of its compiler}, of the rooms."""
    root = os.path.dirname(os.path.abspath(folder))
    found = {}
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
            if path.split("/")[0] in rooms and path.endswith(".c"):
                found[path] = (entry["directory"], shlex.split(entry["command"]))
    return root, found


def run_tidy(root, folder, path, unused):
    done = subprocess.run(["clang-tidy", "-p", folder, "--quiet", path], cwd=root, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    # files are named as the compiler's commands name them, from the build folder
    return done.stdout, folder


def run_gcc(root, folder, path, command):
    directory, words = command
    if words[0].endswith("ccache"):
        words = words[1:]
    words = [word for word in words if word not in ("-MD", "-Werror")]
    for option in ("-o", "-MQ", "-MF"):
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    # paths of the allocators alone are worth it: deeper searches end without an answer
    words += ["-fanalyzer", "-fdiagnostics-plain-output", "-o", os.devnull]
    done = subprocess.run(words, cwd=directory, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr, directory


def main():
    kind, folder, explained_list = sys.argv[1:4]
    root, sources = commands(folder, sys.argv[4:] or ROOMS)
    with open(explained_list, encoding="utf-8") as file:
        explained = {line.split()[1] for line in file if line.startswith(kind + " ")}
    run = run_tidy if kind == "tidy" else run_gcc
    seen, used = set(), set()
    with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for text, place in pool.map(lambda path: run(root, os.path.abspath(folder), path, sources[path]), sorted(sources)):
            for line in text.splitlines():
                found = FINDING.match(line)
                if found is None or (kind == "gcc" and "-Wanalyzer" not in found[4]):
                    continue
                path = os.path.relpath(os.path.join(place, found[1]), root)
                if path.startswith("..") and not os.path.exists(os.path.join(place, found[1])):
                    sys.exit(f"{kind}: {found[1]}: named from another folder than {place}")
                keys = {f"{check}:{path}" for check in found[4].split(",")}
                used |= keys & explained
                if not keys & explained and not path.startswith(".."):
                    seen.add(f"{path}:{found[2]}: {found[4]}: {found[3]}")
    for line in sorted(seen):
        print(line)
    print(f"{kind}: {len(sources)} sources, {len(seen)} findings that are not explained, {len(used)} places explained")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
