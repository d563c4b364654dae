# SPDX-License-Identifier: Apache-2.0
# A table of lines and branches that ran, by room, and the files where most did not.
"""usage: coverage.py SUMMARY.json [NUMBER_OF_FILES]

SUMMARY.json is what gcovr --json-summary writes.
"""
import json
import sys

KINDS = ("line", "branch", "function")


def add(total, file):
    for kind in KINDS:
        for what in ("covered", "total"):
            total[kind, what] = total.get((kind, what), 0) + file[f"{kind}_{what}"]


def share(total, kind):
    count = total[kind, "total"]
    return f"{100 * total[kind, 'covered'] / count:5.1f} % of {count:6d}" if count else "    none of      0"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        files = [each for each in json.load(file)["files"] if "/" in each["filename"]]
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rooms = {"all": {}}
    for each in files:
        add(rooms.setdefault(each["filename"].split("/")[0], {}), each)
        add(rooms["all"], each)
    print(f"{'room':10} {'lines':>17} {'branches':>17} {'functions':>17}")
    for room in sorted(rooms, key=lambda name: (name == "all", name)):
        print(f"{room:10} " + " ".join(share(rooms[room], kind) for kind in KINDS))
    print("\nlines that did not run, the files with the most:")
    for each in sorted(files, key=lambda one: one["line_covered"] - one["line_total"])[:most]:
        print(f"{each['line_total'] - each['line_covered']:5d} of {each['line_total']:5d}  {each['filename']}")


if __name__ == "__main__":
    main()
