# SPDX-License-Identifier: Apache-2.0
# Runs the examples of the scene language's page, and holds the pages against the program and its headers.
"""usage: test_docs.py PROGRAM ROOT"""
import glob
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


def read_all(pattern):
    found = {}
    for path in sorted(glob.glob(f"{ROOT}/{pattern}", recursive=True)):
        with open(path, encoding="utf-8") as file:
            found[path[len(ROOT) + 1:]] = file.read()
    return found


def check_options():
    """Every option that a page gives to a subcommand is one of it."""
    pages = {**read_all("docs/**/*.md"), **read_all("README.md"), **read_all("bench/*/README.md")}
    count = 0
    with Folder() as folder:
        commands = re.findall(r"^  (\w+)  ", folder.cairn("help").out, re.M)
        check(len(commands) > 10, f"commands: {commands}")
        known = {each: set(re.findall(r"--[a-z-]+", folder.cairn(each, "--help").out)) for each in commands}
        for name, text in pages.items():
            for command, rest in re.findall(r"\bcairn (\w+)([^\n`\"]*)", text.replace("\\\n", " ")):
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest) if command in known else ():
                    count += 1
                    check(option in known[command], f"{name}: cairn {command} has no {option}")
    check(count > 100, f"{count} options were looked at")


def check_functions():
    """Names of the C interface in the pages are in its headers."""
    headers = set(re.findall(r"\bcairn_\w+", " ".join(read_all("include/cairn/*.h").values())))
    for name, text in {**read_all("docs/**/*.md"), **read_all("README.md")}.items():
        for word in sorted(set(re.findall(r"\bcairn_[a-z0-9_]*[a-z0-9]\b(?!_)", text)) - headers):
            # "cairn_default_..._def" stands for many
            check(any(each.startswith(word) for each in headers), f"{name}: there is no {word}")


def check_index():
    """The list of pages has all of them."""
    index = read_all("docs/README.md")["docs/README.md"]
    for name in read_all("docs/*.md"):
        page = name.removeprefix("docs/")
        # the index of the site, and the list itself
        check(f"({page})" in index or page in ("README.md", "index.md"), f"docs/README.md does not name {page}")


check_examples()
check_calls()
check_options()
check_functions()
check_index()
finish()
