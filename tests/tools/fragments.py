# SPDX-License-Identifier: Apache-2.0
# Counts functions: how long they are, and how many static ones have one caller. Prints the figures.
"""usage: fragments.py ROOT

One idea that is cut into functions which are called once and mean nothing alone is harder to read
than the whole. A function with one caller earns its place by a name that says more than its body.
"""
import re
import statistics
import sys

import layers
import tree

# part of the static functions that are called from one place; functions in tables do not count as
# called. The aim is 0.40: lower this bound when fragments were joined, never raise it.
CALLED_ONCE_MAX = 0.53
LINES_MAX = 100
MEDIAN_MAX = 15

NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
# a definition as clang-format leaves it: from the margin, its brace alone on a line
FUNCTION = re.compile(r"^(?P<head>(?!#|typedef|struct|enum|union)[A-Za-z_][^;{}=#]*?"
                      r"\b(?P<name>\w+)\((?P<parameters>[^;{}]*)\))\s*\n\{\n(?P<body>.*?)^\}",
                      re.M | re.S)


def functions_of(text):
    """[(name, lines, is_static, calls, is_address_taken)] of one source; calls from its own file."""
    code = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n") or '""', text)
    found = []
    for match in FUNCTION.finditer(code):
        name = match["name"]
        uses = [use for use in re.finditer(rf"(?<![\w.>]){name}\b", code)
                if use.start() != match.start("name")]
        calls = sum(1 for use in uses if code[use.end():use.end() + 1] == "(")
        found.append((name, match.group().count("\n") + 1, match["head"].startswith("static"), calls,
                      calls < len(uses)))
    return found


def figures(functions):
    statics = [function for function in functions if function[2]]
    once = [function for function in statics if function[3] == 1 and not function[4]]
    lengths = [function[1] for function in functions] or [0]
    return {"functions": len(functions), "static": len(statics), "called once": len(once),
            "part": len(once) / max(len(statics), 1), "median": statistics.median(lengths),
            "longest": max(lengths)}


def check(functions_by_file):
    every = [function for functions in functions_by_file.values() for function in functions]
    problems = [f"{name}: {function[0]} has {function[1]} lines, more than {LINES_MAX}"
                for name, functions in sorted(functions_by_file.items())
                for function in functions if function[1] > LINES_MAX]
    total = figures(every)
    if total["part"] > CALLED_ONCE_MAX:
        problems.append(f"{total['called once']} of {total['static']} static functions have one "
                        f"caller, {100 * total['part']:.1f} %: more than {100 * CALLED_ONCE_MAX:g} %")
    if total["median"] > MEDIAN_MAX:
        problems.append(f"functions have {total['median']:g} lines in the median, more than "
                        f"{MEDIAN_MAX}")
    return problems


def print_figures(functions_by_file):
    print(f"{'room':12} {'functions':>9} {'static':>7} {'once':>5} {'part':>6} {'median':>6} {'max':>4}")
    for room in [*layers.RANKS, "all"]:
        found = figures([function for name, functions in functions_by_file.items()
                         if room in ("all", layers.room_of(name)) for function in functions])
        if found["functions"]:
            print(f"{room:12} {found['functions']:9} {found['static']:7} {found['called once']:5} "
                  f"{100 * found['part']:5.1f}% {found['median']:6g} {found['longest']:4}")


def main():
    root = sys.argv[1]
    found = {name: functions_of(tree.read(root, name)) for name in tree.files(root, ".c")
             if layers.room_of(name) in layers.RANKS}
    print_figures(found)
    tree.finish(check(found))


if __name__ == "__main__":
    main()
