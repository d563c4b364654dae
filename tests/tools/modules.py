# SPDX-License-Identifier: Apache-2.0
# The module check: what a script takes from another one of the tree is there. Nothing else looks at
# scripts that no test runs, such as benchmarks beside other programs.
"""usage: modules.py ROOT"""
import ast
import os
import sys

import tree


def names_of(module):
    """The names that a module has once it is imported; None where it makes them as they are asked for."""
    names, open_ends = set(), list(module.body)
    while open_ends:
        node = open_ends.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        open_ends += ast.iter_child_nodes(node)
    return None if names & {"*", "__getattr__"} else names


def wanted_by(module):
    """(line, module, name) of what a script takes from modules that it imports by name."""
    nodes, called = list(ast.walk(module)), {}
    for node in nodes:
        if isinstance(node, ast.Import):
            called.update((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
            yield node.lineno, called[node.value.id], node.attr


def check(scripts):
    """@param scripts  {path: text}; @return what is wrong, a line each"""
    parsed = {path: ast.parse(text) for path, text in scripts.items()}
    homes = {}
    for path in parsed:
        homes.setdefault(os.path.splitext(os.path.basename(path))[0], []).append(path)
    problems = []
    for path, module in parsed.items():
        for line, name, wanted in wanted_by(module):
            found = [names_of(parsed[home]) for home in homes.get(name, []) if home != path]
            if name in sys.stdlib_module_names or not found or None in found:
                continue
            if not any(wanted in names for names in found):
                problems.append(f"{path}:{line}: {name} has no {wanted}")
    return problems


if __name__ == "__main__":
    root = sys.argv[1]
    tree.finish(check({path: tree.read(root, path) for path in tree.files(root, ".py")}))
