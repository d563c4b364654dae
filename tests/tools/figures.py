# SPDX-License-Identifier: Apache-2.0
# Counts what makes the house hard to live in, prints the figures, and holds each below a bound.
"""usage: figures.py BUILD_ROOT SOURCE_ROOT NM

Bounds are what the tree has, rounded up: lower one when the figure has fallen, never raise it.
"""
import collections
import os
import posixpath
import re
import subprocess
import sys

import fragments
import layers
import rings
import tree

# members of a struct; external functions with one other object that needs them; modules in a ring
# and rings of them; files outside the particles' folder that include its headers; functions of the
# engine that may write any member of the world; headers included after code
MEMBERS_MAX = 102
ONE_CALLER_MAX = 0.58
RING_MAX = 5
RINGS_MAX = 16
FACE_MAX = 24
MUTABLE_MAX = 386
LATE_MAX = 0
PARTICLES = "engine/pairs/spheres/"

STRUCT = re.compile(r"\bstruct\s+(\w+)?\s*\{")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
MUTABLE_WORLD = re.compile(r"(?<!const )\b(?:struct )?cairn_world \*")


def code_of(text):
    """A source without comments, strings and directives, line for line."""
    blank = lambda match: "\n" * match.group().count("\n")
    return DIRECTIVE.sub(blank, fragments.NOT_CODE.sub(blank, text))


def body_from(code, start):
    """What stands between the brace before `start` and its partner."""
    depth = 1
    for place in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return code[start:place]
    return code[start:]


def members_of(body):
    """Number of members declared between the braces of a struct; those of an inner one count each."""
    flat, depth = [], 0
    for sign in body:
        depth += sign in "(["
        if depth == 0:
            flat.append(sign)
        depth -= sign in ")]"
    parts = re.split(r"[;{}]", "".join(flat))
    return sum(part.count(",") + 1 for part in parts
               if part.strip() and not re.fullmatch(r"\s*(struct|union)\s*\w*\s*", part))


def structs_of(code):
    """[(name, members)] of the structs of one source."""
    return [(match[1] or "(no name)", members_of(body_from(code, match.end())))
            for match in STRUCT.finditer(code)]


def late_includes(text):
    """Lines of headers that are included after code."""
    code, seen, late = fragments.NOT_CODE.sub(lambda match: match.group() if match.group()[0] == '"'
                                              else "\n" * match.group().count("\n"), text), False, []
    continued = False
    for number, line in enumerate(code.split("\n"), 1):
        directive = continued or line.lstrip().startswith("#")
        if directive and re.match(r'\s*#\s*include\s*["<].*\.h[">]', line) and seen:
            late.append(number)
        continued = directive and line.endswith("\\")
        seen |= not directive and line.strip() not in ("", 'extern "C" {', "}")
    return late


def module_of(name):
    return posixpath.splitext(name)[0]


def module_graph(texts):
    """{module: {module: includes}}: a .c and the .h of one stem are one."""
    graph = collections.defaultdict(dict)
    for name, text in texts.items():
        for _, quoted, path in layers.includes_of(text):
            if quoted and path in texts and module_of(path) != module_of(name):
                graph[module_of(name)].setdefault(module_of(path), []).append(path)
    return graph


def one_caller(symbols, source_of):
    """(functions that an object has for others, those of them that one other object needs)."""
    home, users = {}, collections.defaultdict(set)
    for place, symbol, defined in symbols:
        if defined and not symbol.startswith("cairn_"):
            home[symbol] = source_of[place]
    for place, symbol, defined in symbols:
        if not defined and symbol in home and home[symbol] != source_of[place]:
            users[symbol].add(source_of[place])
    return len(home), sum(1 for symbol in home if len(users[symbol]) == 1)


def functions_with_world(texts):
    """Functions of the engine, and those of them that take a world which they may write."""
    count = mutable = 0
    for name, text in texts.items():
        if layers.room_of(name) == "engine" and name.endswith(".c"):
            for match in fragments.FUNCTION.finditer(code_of(text)):
                count += 1
                mutable += MUTABLE_WORLD.search(match["parameters"]) is not None
    return count, mutable


def count(texts, symbols, source_of):
    """{figure: value} of the tree."""
    own = {name: text for name, text in texts.items() if layers.room_of(name) in layers.RANKS}
    structs = [(members, name, struct) for name, text in own.items()
               for struct, members in structs_of(code_of(text))]
    found = rings.find_rings(module_graph(own))
    names, once = one_caller(symbols, source_of)
    functions, mutable = functions_with_world(own)
    face = [name for name, text in own.items() if not name.startswith(PARTICLES)
            and any(path.startswith(PARTICLES) for _, _, path in layers.includes_of(text))]
    return {"structs": sorted(structs, reverse=True)[:3], "rings": found, "external": names,
            "one caller": once, "functions": functions, "mutable": mutable, "face": sorted(face),
            "late": [f"{name}:{line}" for name, text in own.items() for line in late_includes(text)]}


def check(figures):
    members, name, struct = figures["structs"][0]
    part = figures["one caller"] / max(figures["external"], 1)
    rows = [(members, MEMBERS_MAX, f"members of {struct} in {name}"),
            (part, ONE_CALLER_MAX, "part of the external functions that have one caller"),
            (max((len(ring) for ring in figures["rings"]), default=0), RING_MAX, "modules in one ring of includes"),
            (len(figures["rings"]), RINGS_MAX, "rings of modules"),
            (len(figures["face"]), FACE_MAX, f"files outside {PARTICLES} that include it"),
            (figures["mutable"], MUTABLE_MAX, "functions of the engine that may write the world"),
            (len(figures["late"]), LATE_MAX, "headers included after code: " + ", ".join(figures["late"]))]
    return [f"{what}: {value:g}, more than {bound:g}" for value, bound, what in rows if value > bound]


def print_figures(texts, figures):
    lines = collections.Counter()
    for name, text in texts.items():
        lines[layers.room_of(name)] += text.count("\n")
    print("lines: " + ", ".join(f"{room} {lines[room]}" for room in sorted(lines)))
    print("largest structs: " + ", ".join(f"{struct} {members}" for members, _, struct in figures["structs"]))
    print(f"external functions {figures['external']}, with one caller {figures['one caller']}; functions of "
          f"the engine {figures['functions']}, with a world to write {figures['mutable']}")
    print(f"files outside {PARTICLES} that include it: {len(figures['face'])}; rings of modules "
          f"{len(figures['rings'])}: " + "; ".join(", ".join(ring) for ring in figures["rings"]))


def main():
    build_root, root, nm = sys.argv[1:4]
    texts = {name: tree.read(root, name) for name in tree.files(root, ".c", ".h")}
    source_of = rings.objects_of(build_root, os.path.realpath(root))
    listing = subprocess.run([nm, "-A", *source_of], check=True, capture_output=True, text=True).stdout
    found = count(texts, list(rings.parse_listing(listing)), source_of)
    print_figures(texts, found)
    tree.finish(check(found))


if __name__ == "__main__":
    main()
