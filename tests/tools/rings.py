# SPDX-License-Identifier: Apache-2.0
# The ring check: no ring of calls among source files, and no call to a room or folder above.
"""usage: rings.py BUILD_ROOT SOURCE_ROOT NM

Reads what the compiler made, not what the sources say: an object that needs a symbol of another one
calls it (or holds its address), whatever was included for it.
"""
import json
import os
import subprocess
import sys

import layers
import tree

def parse_listing(listing):
    """(object, symbol, is_defined) of each line of `nm -A`."""
    for line in listing.splitlines():
        place, _, rest = line.partition(":")
        words = rest.split()
        if len(words) >= 2 and len(words[-2]) == 1:
            if words[-2] in "TDBRVWCGS":
                yield place, words[-1], True
            elif words[-2] in "Uvw":
                yield place, words[-1], False


def calls_between(symbols, source_of):
    """{file: {file: symbols}}: what each source file needs of another one."""
    symbols = [(source_of[place], symbol, defined) for place, symbol, defined in symbols]
    home = {symbol: source for source, symbol, defined in symbols if defined}
    calls = {source: {} for source, _, _ in symbols}
    for source, symbol, defined in symbols:
        target = home.get(symbol)
        if not defined and target is not None and target != source:
            calls[source].setdefault(target, []).append(symbol)
    return calls


def find_rings(calls):
    """Sets of files that reach each other, each as a sorted list (Tarjan, without recursion)."""
    order, low, open_files, rings = {}, {}, [], []
    for start in sorted(calls):
        work = [] if start in order else [(start, None)]
        while work:
            name, rest = work.pop()
            if rest is None:
                if name in order:
                    continue
                order[name] = low[name] = len(order)
                open_files.append(name)
                rest = iter(sorted(calls.get(name, ())))
            following = next(rest, None)
            if following is not None:
                work.append((name, rest))
                if following not in order:
                    work.append((following, None))
                continue
            for target in calls.get(name, ()):
                if target in low and target in open_files:
                    low[name] = min(low[name], low[target])
            if low[name] == order[name]:
                place = open_files.index(name)
                ring, open_files[place:] = open_files[place:], []
                if len(ring) > 1:
                    rings.append(sorted(ring))
    return rings


def describe_ring(ring, calls):
    inside = [f"{a} -> {b} ({', '.join(sorted(calls[a][b])[:3])})"
              for a in ring for b in sorted(calls[a]) if b in ring]
    return f"ring of {len(ring)} files: " + "; ".join(inside[:12])


def check(calls):
    problems = [describe_ring(ring, calls) for ring in find_rings(calls)]
    for source in sorted(calls):
        for target, symbols in sorted(calls[source].items()):
            if layers.is_upward(source, target):
                problems.append(f"upward: {source} calls {', '.join(sorted(symbols)[:3])} of {target}")
    return problems


def objects_of(build_root, source_root):
    """{object: source} of all files of the rooms that were compiled, relative to the source root."""
    found = {}
    with open(os.path.join(build_root, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        name = os.path.relpath(path, source_root)
        place = os.path.join(entry["directory"], entry["output"])
        if layers.room_of(name) in layers.RANKS and os.path.exists(place):
            found[place] = name
    return found


def main():
    build_root, source_root, nm = sys.argv[1:4]
    source_of = objects_of(build_root, os.path.realpath(source_root))
    listing = subprocess.run([nm, "-A", *source_of], check=True, capture_output=True,
                             text=True).stdout
    symbols = list(parse_listing(listing))
    if not symbols:
        tree.finish([f"{build_root}: no symbols in {len(source_of)} objects"])
    tree.finish(check(calls_between(symbols, source_of)))


if __name__ == "__main__":
    main()
