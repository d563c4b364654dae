# SPDX-License-Identifier: Apache-2.0
# The programs of examples/ are built against an installed tree, run, and say what they should.
"""usage: examples.py BUILD_DIRECTORY PREFIX ROOT C_COMPILER"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

from install import SKIP, flags_of, run


def number(text, label):
    return float(re.search(rf"^{label} (\S+)", text, re.MULTILINE).group(1))


def near(value, wanted, tolerance):
    if not abs(value - wanted) <= tolerance:
        raise SystemExit(f"{value} is not within {tolerance} of {wanted}")


def check_falling_brick(text):
    near(text.count("corner at"), 4, 0)
    near(number(text, "height"), 0.035, 2e-5)
    weight = 0.24 * 0.12 * 0.07 * 2000 * 9.81
    near(number(text, "weight"), weight, 1e-5)
    near(number(text, "support"), weight, 1e-4 * weight)


def check_own_loop(text):
    near(number(text, "angle"), 0.0, 1e-4)
    near(number(text, "speed"), 0.0, 1e-3)
    near(number(text, "largest torque"), 4.0, 0.5)


def check_own_law(text):
    if "passes the checks" not in text:
        raise SystemExit(text)
    near(number(text, "overlap"), number(text, "weight overlap"), 1e-7)
    near(number(text, "weight overlap"), (math.sqrt(1 + 400 * 2 * 9.81 / 1e4) - 1) / 200, 1e-9)
    near(number(text, "velocity"), 5 / 7 * 0.5, 0.01)
    if not number(text, "largest overlap") > 2 * number(text, "overlap"):
        raise SystemExit("the fall pressed no deeper than the weight")
    near(number(text, "residual"), 0.0, 0.02)


def check_fclib_export(text):
    if number(text, "contacts") < 20 or "solved again: solved" not in text:
        raise SystemExit(text)


def check_snapshot_branch(text):
    branches = [line.split(": ")[1] for line in text.splitlines()]
    if len(branches) != 5 or branches[4] != branches[0] or len(set(branches)) != 4:
        raise SystemExit(f"branches {branches}")


CHECKS = {"falling_brick": check_falling_brick, "own_loop": check_own_loop,
          "own_law": check_own_law, "fclib_export": check_fclib_export,
          "snapshot_branch": check_snapshot_branch}


def check_page(folder, docs):
    """docs/own_law.md shows every line of the program."""
    with open(os.path.join(docs, "own_law.md"), encoding="utf-8") as file:
        shown = "".join(re.findall(r"```c\n(.*?)```", file.read(), re.DOTALL))
    with open(os.path.join(folder, "own_law.c"), encoding="utf-8") as file:
        program = file.read()
    if [line for line in shown.splitlines() if line] != \
            [line for line in program.splitlines() if line]:
        raise SystemExit("docs/own_law.md does not show examples/own_law.c as it is")


def main():
    build, prefix, root, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    if shutil.which("pkg-config") is None:
        print("pkg-config is not installed")
        return SKIP
    folder = os.path.join(root, "examples")
    found = {name[:-2] for name in os.listdir(folder) if name.endswith(".c")}
    if found != set(CHECKS):
        raise SystemExit(f"examples without a check, or the other way: {found ^ set(CHECKS)}")
    check_page(folder, os.path.join(root, "docs"))
    with tempfile.TemporaryDirectory() as stage:
        run("meson", "install", "-C", os.path.abspath(build), "--no-rebuild", "--destdir", stage)
        flags = flags_of(stage, prefix)
        libraries = ":".join(flag[2:] for flag in flags if flag.startswith("-L"))
        for name in sorted(CHECKS):
            program = os.path.join(stage, name)
            run(*compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror",
                os.path.join(folder, name + ".c"), "-o", program, *flags, "-lm")
            text = run(program, cwd=stage, env=dict(os.environ, LD_LIBRARY_PATH=libraries))
            print(f"{name}\n{text}")
            CHECKS[name](text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)}\n{error.stdout}{error.stderr}")
