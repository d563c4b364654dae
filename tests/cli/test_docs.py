# SPDX-License-Identifier: Apache-2.0
# Runs the examples of the scene language's page, and holds the page against the program.
"""usage: test_docs.py PROGRAM ROOT"""
import re

from command import ROOT, Folder, check, check_status, finish

with open(ROOT + "/docs/scene_language.md") as page:
    TEXT = page.read()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


def check_examples():
    examples = blocks("lua")
    check(len(examples) >= 8, f"{len(examples)} examples")
    for number, example in enumerate(examples, 1):
        with Folder() as folder:
            for name, table in zip(("grains.csv", "quake.csv"), blocks("csv")):
                folder.write(name, table)
            for mesh in blocks("obj"):
                folder.write("rock.obj", mesh)
            # a fragment gets something to run with
            if "body{" not in example and "ground{" not in example and "bodies_from_csv{" not in example:
                example += "\nground{}\n"
            folder.write("example.lua", example)
            result = folder.cairn("run", "example.lua", "--until", "0.02", "--out", "r")
            check_status(result, 0, f"example {number}: {example[:60]!r}")
            check("warning" not in result.err, f"example {number}: no warning", result)


def check_calls():
    """Every call of the language has its heading, and no heading is of a call there is not."""
    headings = set(re.findall(r"^### `(\w+)", TEXT, re.M))
    with open(ROOT + "/scenes/load/loader.h") as source:
        table = re.search(r"#define SCN_CALLS\(X\)(.*?)^$", source.read(), re.M | re.S).group(1)
        calls = set(re.findall(r"\bX\((\w+)\)", table))
    # plain shapes have a call each
    with open(ROOT + "/include/cairn/shape.h") as source:
        table = re.search(r"#define CAIRN_PLAIN_SHAPES\(X\)(.*?)^$", source.read(), re.M | re.S).group(1)
        calls |= set(re.findall(r"\bX\(\w+, \w+, (\w+),", table))
    check(len(calls) > 20, f"{len(calls)} calls in the table")
    # the library of tables is a call, too
    calls.add("table")
    check(headings == calls, f"headings without call or call without heading: {headings ^ calls}")


check_examples()
check_calls()
finish()
