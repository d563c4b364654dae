# SPDX-License-Identifier: Apache-2.0
# Runs the cairn command in folders of its own, for the tests beside this file.
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(sys.argv[2])
if os.path.dirname(os.path.dirname(PROGRAM)) != ROOT:
    # a build folder outside the tree does not find the tree's scenes by itself
    os.environ["CAIRN_SCENES"] = os.path.join(ROOT, "scenes/library")

SMALL = """
title "small"
simulation{ step = 1 / 200, end_time = 0.05 }
material{ name = "stone", density = 2000 }
pair{ friction = 0.5, restitution = 0 }
ground{ material = "stone" }
body{ name = "block", shape = box{ size = {0.2, 0.2, 0.1} }, material = "stone", position = {0, 0, 0.05} }
sensor{ name = "floor", body = "ground", quantity = "force" }
"""


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr


class Folder:
    """A temporary folder in which the command runs; removed at the end of a with block."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="cairn-cli-")
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.path)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        with open(os.path.join(self.path, name)) as file:
            return file.read()

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def list(self, name):
        return sorted(os.listdir(os.path.join(self.path, name)))

    def names(self):
        return self.list(".")

    def cairn(self, *words, timeout=120, env=None):
        done = subprocess.run([PROGRAM, *words], cwd=self.path, timeout=timeout, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=env)
        return Result(done)


failures = []


def check(truth, what, result=None):
    if truth:
        return
    failures.append(what)
    print(f"FAILED: {what}")
    if result is not None:
        print(f"  status {result.status}\n  out: {result.out[:600]}\n  err: {result.err[:600]}")


def check_status(result, status, what):
    check(result.status == status, f"{what}: exit status {result.status}, expected {status}", result)


def check_error(result, status, pattern, what, told=False):
    """A message of one line. @param told  by --json: standard output has an object of the failure, else nothing."""
    check_status(result, status, what)
    check(re.search(pattern, result.err) is not None, f"{what}: no /{pattern}/ in the message",
          result)
    check("\n" not in result.err.strip() or "warning" in result.err,
          f"{what}: the message is one line", result)
    if not told:
        check(result.out == "", f"{what}: nothing on standard output", result)
        return
    failure = load(result.out)
    check(failure["kind"] == "failure" and failure["exit_status"] == status and
          re.search(pattern, failure["message"]) is not None, f"{what}: an object of the failure", result)


def load(text):
    """JSON that refuses the extensions NaN and Infinity."""
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


def finish():
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)
