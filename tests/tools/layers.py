# SPDX-License-Identifier: Apache-2.0
# The layer check: includes run downward only, and no ring of files includes itself.
"""usage: layers.py ROOT"""
import posixpath
import re
import sys

import tree

RANKS = {"base": 0, "geometry": 1, "contact": 2, "engine": 3, "scenes": 4,
         "viewer": 5, "cli": 6, "python": 6}
FREE_ROOMS = {"tests", "bench"}
# the public headers: installed one to one, included as <cairn/...> by every room, and knowing
# nothing but one another
PUBLIC_FOLDER = "include/"
# rooms that see the engine through its public header alone
FRONT_ROOMS = {"viewer", "cli", "python"}
# folders of a room, lowest first: a file includes from, and calls into, its own folder and those
# before it
FOLDERS = {
    "geometry": ["mesh", "shape", "broad", "narrow"],
    "contact": ["linear", "cones", "laws", "problem", "local", "solvers/control",
                "solvers/first_order", "solvers/newton", "solvers/gradient", "strategy", "solvers", "literature",
                "existence",
                "fclib"],
    "engine": ["state", "space", "pairs/spheres", "bodies", "pairs", "joints", "measures", "passes",
               "grains", "files", "calls"],
    "cli": ["text", "process", "options", "run", "sweep", "collect", "bench", "compare", "info", "export", "law",
            "command", "help", ""],
}
# these declare what the files below them define, one a file, and the list of it
REGISTRY_HEADERS = {"cli/commands.h", "contact/solvers/solver.h"}
# what the command may know of the viewer
VIEWER_HEADERS = {"viewer/app/view.h", "viewer/app/style.h"}
THREAD_HEADERS = {"pthread.h", "threads.h", "omp.h"}
THREAD_FILE = "base/parallel.c"
MESSAGE_HEADER = "mpi.h"
MESSAGE_FOLDER = "base/ranks/"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def room_of(name):
    return name.split("/", 1)[0] if "/" in name else ""


def folder_rank(name):
    """Place of a file among the folders of its room; None where the room has no order of them."""
    room, _, inner = name.partition("/")
    if room not in FOLDERS:
        return None
    inner = posixpath.splitext(inner)[0]
    while True:
        if inner in FOLDERS[room]:
            return FOLDERS[room].index(inner)
        if inner == "":
            return None
        inner = inner.rpartition("/")[0]


def is_upward(name, target):
    """True where `target` lies in a room above that of `name`, or in a folder above in one room."""
    room, room_of_target = room_of(name), room_of(target)
    if room != room_of_target:
        return RANKS.get(room_of_target, -1) >= RANKS[room]
    ranks = folder_rank(name), folder_rank(target)
    return None not in ranks and ranks[1] > ranks[0]


def includes_of(text):
    """(line, is_quoted, path) of every include."""
    return [(text.count("\n", 0, match.start(1)) + 1, match.group(1) == '"', match.group(2))
            for match in INCLUDE.finditer(text)]


def public_header(path):
    """The file behind <path> where that is a public header's name, else None."""
    return PUBLIC_FOLDER + path if path.startswith("cairn/") else None


def check_system_include(name, path, known):
    if public_header(path):
        return None if public_header(path) in known else f"<{path}>: no such public header"
    if path in THREAD_HEADERS and room_of(name) in RANKS and name != THREAD_FILE:
        return f"<{path}>: only {THREAD_FILE} knows threads"
    if path == MESSAGE_HEADER and not name.startswith(MESSAGE_FOLDER):
        return f"<{path}>: only {MESSAGE_FOLDER} knows MPI"
    if room_of(path) in RANKS:
        return f"<{path}>: our own headers are included in quotes, from the root"
    return None


def check_front_include(name, path):
    allowed = (room_of(path) == room_of(name) or room_of(path) == "base"
               or re.fullmatch(r"scenes/[^/]+\.h", path)
               or path in VIEWER_HEADERS and room_of(name) == "cli")
    return None if allowed else f'"{path}": {room_of(name)}/ may include the public headers, ' \
                                "base/ and scenes/*.h only"


def check_own_include(name, path, known):
    """What is wrong with `name` including "path", or None."""
    room = room_of(name)
    if name.startswith(PUBLIC_FOLDER):
        return f'"{path}": a public header includes public headers alone, as <cairn/...>'
    if path.startswith(PUBLIC_FOLDER):
        return f'"{path}": public headers are included as <{path[len(PUBLIC_FOLDER):]}>'
    if path not in known:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if beside in known:
            return f'"{path}": includes are written from the root: "{beside}"'
        return f'"{path}": no such file' if room_of(path) in RANKS else None
    if not path.endswith(".h") and room in RANKS:
        return f'"{path}": only headers are included'
    if room not in RANKS:
        return None
    target = room_of(path)
    if target in FREE_ROOMS:
        return f'"{path}": {room}/ does not know {target}/'
    if target in RANKS and path not in REGISTRY_HEADERS and is_upward(name, path):
        return f'"{path}": upward, {posixpath.dirname(name)}/ does not know ' \
               f"{posixpath.dirname(path)}/"
    if room in FRONT_ROOMS:
        return check_front_include(name, path)
    return None


def find_ring(graph):
    """One ring of files as a list, first = last, or None."""
    done = set()
    for start in sorted(graph):
        trail, on_trail, stack = [], set(), [(start, None)]
        while stack:
            name, rest = stack.pop()
            if rest is None:
                if name in on_trail:
                    return trail[trail.index(name):] + [name]
                if name in done:
                    continue
                trail.append(name)
                on_trail.add(name)
                rest = iter(sorted(graph.get(name, ())))
            following = next(rest, None)
            if following is None:
                trail.pop()
                on_trail.discard(name)
                done.add(name)
            else:
                stack += [(name, rest), (following, None)]
    return None


def check(texts):
    """Problems of a tree given as {path: text}."""
    problems = []
    graph = {}
    for name, text in sorted(texts.items()):
        targets = (path if quoted else public_header(path) for _, quoted, path in includes_of(text))
        graph[name] = {path for path in targets if path in texts}
        for line, quoted, path in includes_of(text):
            problem = check_own_include(name, path, texts) if quoted \
                else check_system_include(name, path, texts)
            if problem:
                problems.append(f"{name}:{line}: {problem}")
    ring = find_ring(graph)
    if ring:
        problems.append("ring: " + " -> ".join(ring))
    return problems


if __name__ == "__main__":
    tree.finish(check({name: tree.read(sys.argv[1], name)
                       for name in tree.files(sys.argv[1], ".c", ".h")}))
