# SPDX-License-Identifier: Apache-2.0
# Writes the types of the package from the package itself, the columns, and the calls of scenes.
"""usage: stubs.py ROOT OUTPUT.pyi   (with the built package on PYTHONPATH)"""
import inspect
import keyword
import pathlib
import re
import sys

# not the sources beside this file: the built package
sys.path.pop(0)
import cairn  # noqa: E402

HEAD = """# SPDX-License-Identifier: Apache-2.0
# Types of the package; written by python/stubs.py.
from typing import Any, Callable, Iterator

import numpy
from numpy.typing import ArrayLike, NDArray

ffi: Any
lib: Any
library: Any
COLUMNS: dict[str, dict[str, Any]]
SHAPES: tuple[str, ...]
VALUES: tuple[str, ...]
__version__: str
"""
TABLES = {"bodies": "Body", "contacts": None, "joints": "Joint", "connectors": None}
RESULTS = {"body": "Body", "ground": "Body", "joint": "Joint", "find": "Body", "find_joint": "Joint",
           "problem": "Problem", "run": "World", "snapshot": "Any", "render": "NDArray[numpy.uint8]",
           "load": "World", "read_fclib": "Problem", "read_packing": "Packing", "film": "Film",
           "to_html": "str | None", "solve": "Report", "judge": "Report", "check": "dict[str, Any]", "step": "None",
           "plugins": "dict[str, Any]", "version": "str", "add_to": "int", "project":
           "NDArray[numpy.float64]", "residual": "float", "__init__": "None", "__len__": "int", "__repr__": "str"}
WORDS = {"hash": "int", "state_hash": "str", "time": "float", "step_count": "int", "name": "str",
         "time_step": "float", "end_time": "float", "scene_text": "str", "tolerance": "float",
         "mass": "float", "kind": "str", "material": "str", "kinetic_energy": "float", "speed":
         "float", "coordinate": "float", "effort": "float", "error": "float", "solved": "bool",
         "energy": "Any", "report": "dict[str, Any]", "parameters": "dict[str, Any]",
         "settings": "dict[str, Any]", "sensors": "Any", "info": "dict[str, Any]", "id":
         "tuple[int, int]", "bodies": "Any", "world": "World", "summary": "dict[str, Any]",
         "resolved": "dict[str, Any]", "trajectory": "Trajectory"}
ARRAYS = {"position", "orientation", "centre", "velocity", "angular_velocity", "inertia",
          "contact_force", "contact_torque", "anchor", "axis", "torque", "gravity", "impulses",
          "contact_velocities", "times", "contacts", "positions", "orientations", "velocities",
          "angular_velocities"}


def keys_of_calls(root):
    """{call: keys} of the scene language, as its sources list them."""
    found = {}
    for path in sorted((root / "scenes/api").glob("*.c")):
        for body in re.split(r"\nint scn_call_", path.read_text(encoding="utf-8"))[1:]:
            names = re.search(r"\bnames\[\d*\] = \{(.*?)[}]", body.split("\n}", 1)[0], re.DOTALL)
            keys = re.findall(r'"(\w+)"', names.group(1)) if names else []
            found[body.split("(", 1)[0]] = keys
    return found


def signature(function, name, method):
    words = []
    parameters = list(inspect.signature(function).parameters.values())
    star = False
    for i, one in enumerate(parameters):
        if i == 0 and method:
            words.append("self")
        elif one.kind is one.VAR_POSITIONAL:
            words.append(f"*{one.name}: Any")
            star = True
        elif one.kind is one.VAR_KEYWORD:
            words.append(f"**{one.name}: Any")
        else:
            if one.kind is one.KEYWORD_ONLY and not star:
                words.append("*")
                star = True
            words.append(f"{one.name}: Any" + ("" if one.default is one.empty else " = ..."))
    return f"def {name}({', '.join(words)}) -> {RESULTS.get(name, 'Any')}: ..."


def call(name, keys, method):
    first = ["self", "*arguments: Any"] if method else ["*arguments: Any"]
    taken = [f"{key}{'_' * keyword.iskeyword(key)}: Any = ..." for key in keys]
    result = RESULTS.get(name, "None") if method else "Expression"
    return f"def {name}({', '.join(first + taken + ['**settings: Any'])}) -> {result}: ..."


def members(kind, calls):
    lines = []
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_") and name not in ("__init__", "__len__"):
            continue
        if isinstance(member, property):
            table = kind is cairn.World and name in TABLES
            word = name.title() if table else "NDArray[Any]" if name in ARRAYS else \
                WORDS.get(name, "Any")
            lines += ["@property", f"def {name}(self) -> {word}: ..."]
            if member.fset and not hasattr(member.fset, "refuses"):
                lines += [f"@{name}.setter", f"def {name}(self, value: Any) -> None: ..."]
        elif kind is cairn.World and name in calls and name != "motion":
            lines.append(call(name, calls[name], True))
        elif callable(member):
            lines.append(signature(member, name, True))
    return lines or ["..."]


def table_class(table, item):
    lines = [f"class {table.title()}(Table):"]
    for column in cairn.COLUMNS[table].values():
        word = f"NDArray[numpy.{column.dtype}]"
        lines += ["    @property", f"    def {column.name}(self) -> {word}: ..."]
        if column.settable:
            lines += [f"    @{column.name}.setter",
                      f"    def {column.name}(self, values: ArrayLike) -> None: ..."]
    if item:
        lines += [f"    def __getitem__(self, index: int) -> {item}: ...",
                  f"    def __iter__(self) -> Iterator[{item}]: ..."]
    return lines


def text(root):
    calls = keys_of_calls(root)
    lines = [HEAD]
    for name in sorted(vars(cairn)):
        value = getattr(cairn, name)
        if name.startswith("_") or inspect.ismodule(value) or name in ("ffi", "lib", "constructor"):
            continue
        if inspect.isclass(value):
            bases = ", ".join(base.__name__ for base in value.__bases__
                              if base.__name__ in vars(cairn) or base.__module__ == "builtins"
                              and base is not object)
            lines.append(f"class {name}({bases}):" if bases else f"class {name}:")
            lines += ["    " + line for line in members(value, calls)]
        elif name in cairn.VALUES:
            lines.append(call(name, calls.get(name, []), False))
        elif inspect.isfunction(value):
            lines.append(signature(value, name, False))
    for table, item in TABLES.items():
        lines += table_class(table, item)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(text(pathlib.Path(sys.argv[1])), encoding="utf-8")
