# SPDX-License-Identifier: Apache-2.0
# The package cannot fall behind: all that the library, the language and the tables have is there.
import ast
import os
import pathlib
import keyword
import re
import subprocess

import cairn
import pytest

ROOT = pathlib.Path(os.environ["CAIRN_ROOT"])


def exported():
    listing = subprocess.run(["nm", "-D", "--defined-only", "-P", os.environ["CAIRN_LIBRARY"]],
                             check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in listing.splitlines()
            if line.split()[0].startswith("cairn_")}


def test_every_exported_function_can_be_called():
    names = exported()
    assert len(names) > 100
    assert names - set(dir(cairn.lib)) == set()


def calls_of_the_language():
    count = cairn.lib.cairn_scene_call_count()
    return {cairn.ffi.string(cairn.lib.cairn_scene_call_name(i)).decode() for i in range(count)}


def test_every_call_of_the_language_is_there():
    calls = calls_of_the_language()
    assert "body" in calls and len(calls) > 20
    # Python has these itself
    for call in calls - {"load", "param", "print", "require"}:
        name = call + "_" * keyword.iskeyword(call)
        assert callable(getattr(cairn, call, None)) or hasattr(cairn.World, name), call


def keys_of_the_language():
    """{call: keys} as the sources of the calls list them."""
    found = {}
    for path in (ROOT / "scenes/api").glob("*.c"):
        for body in re.split(r"\nint scn_call_", path.read_text(encoding="utf-8"))[1:]:
            call = body.split("(", 1)[0]
            names = re.search(r"\bnames\[\d*\] = \{(.*?)[}]", body.split("\n}", 1)[0], re.DOTALL)
            if names and call in calls_of_the_language():
                found[call] = re.findall(r'"(\w+)"', names.group(1))
    return found


@pytest.mark.parametrize("call", sorted(keys_of_the_language()))
def test_every_key_reaches_the_loader(call):
    """A key that the loader knows is refused for its value, or taken; never for its name."""
    for key in keys_of_the_language()[call]:
        assert f'unknown key "{key}"' not in said_of(call, {key: True})
    assert 'unknown key "no_such_key"' in said_of(call, {"no_such_key": True})


def said_of(call, keys):
    world = cairn.World()
    try:
        if call == "sizes":
            world.emitter(grains=[{"size": cairn.sizes("normal", **keys)}],
                          size=cairn.sizes("normal", **keys))
        elif call == "compound":
            world.body(shape=cairn.compound(keys))
        elif call in cairn.VALUES:
            world.body(shape=getattr(cairn, call)(**keys))
        elif call == "motion":
            table = world.body(kind="moving", shape=cairn.sphere(radius=1))
            world.motion(**{"body": table, **keys})
        else:
            world.lua(world._writer.call(call, (), keys))
            if call != "gravity":
                getattr(world, call)(**keys)
    except cairn.Error as error:
        return str(error)
    return ""


def test_plugins_are_those_of_the_command():
    for kind in ("laws", "solvers", "locals"):
        listed = subprocess.run([os.environ["CAIRN_COMMAND"], "list", kind], check=True,
                                capture_output=True, text=True).stdout
        names = cairn.plugins(kind)
        assert names
        for name in names:
            assert name in listed


def test_types_have_all_that_there_is():
    text = (pathlib.Path(cairn.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    tree = ast.parse(text)
    there = {node.name: {each.name for each in getattr(node, "body", [])
                         if isinstance(each, ast.FunctionDef)}
             for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for name in vars(cairn):
        value = getattr(cairn, name)
        if callable(value) and not name.startswith("_") and name not in ("constructor",):
            assert name in there, name
    assert {name for name in vars(cairn.World) if not name.startswith("_")} <= there["World"]
    for table in ("bodies", "contacts", "joints", "connectors"):
        assert set(cairn.COLUMNS[table]) <= there[table.title()]
    assert "restitution" not in there and "shape: Any" in text
