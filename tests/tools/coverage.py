# SPDX-License-Identifier: Apache-2.0
# A table of lines and branches that ran, by room, and the files where most did not.
"""usage: coverage.py BUILD_FOLDER [NUMBER_OF_FILES]

BUILD_FOLDER was built with -Db_coverage=true, and tests have run in it. Objects of one source (library, command) are
counted as one: what ran in any of them ran.
"""
import json
import os
import subprocess
import sys

ROOMS = ("base", "geometry", "contact", "engine", "scenes", "viewer", "cli")


def counted_objects(build):
    for place, _, names in os.walk(build):
        if os.path.basename(place).startswith(("libcairn", "cairn")):
            yield from (os.path.abspath(os.path.join(place, name)) for name in names if name.endswith(".gcno"))


def read(build):
    """{source: ({line: ran}, {(line, branch): ran})}"""
    root, sources = os.path.dirname(os.path.abspath(build)), {}
    objects = sorted(counted_objects(build))
    for first in range(0, len(objects), 20):
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *objects[first:first + 20]],
                              cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        for text in done.stdout.splitlines():
            for each in json.loads(text)["files"] if text else []:
                name = os.path.relpath(os.path.join(os.path.abspath(build), each["file"]), root)
                if name.split("/")[0] not in ROOMS:
                    continue
                lines, branches = sources.setdefault(name, ({}, {}))
                for line in each["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, False) or line["count"] > 0
                    for k, branch in enumerate(line["branches"]):
                        branches[number, k] = branches.get((number, k), False) or branch["count"] > 0
    return sources


def share(ran):
    return f"{100 * sum(ran) / len(ran):5.1f} % of {len(ran):6d}" if ran else "    none of      0"


def main():
    sources = read(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print(f"{'room':10} {'lines':>17} {'branches':>17}")
    for room in (*ROOMS, "all"):
        of = [counted for name, counted in sources.items() if room in ("all", name.split("/")[0])]
        print(f"{room:10} " + " ".join(share([ran for counted in of for ran in counted[k].values()]) for k in range(2)))
    print("\nlines that did not run, the files with the most:")
    missed = {name: [number for number, ran in lines.items() if not ran] for name, (lines, _) in sources.items()}
    for name in sorted(missed, key=lambda one: -len(missed[one]))[:most]:
        print(f"{len(missed[name]):5d} of {len(sources[name][0]):5d}  {name}")


if __name__ == "__main__":
    main()
