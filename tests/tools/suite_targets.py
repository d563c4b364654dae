# SPDX-License-Identifier: Apache-2.0
# Prints what has to be built for the tests of a suite: names of targets for Ninja, one a line.
"""usage: suite_targets.py BUILD_FOLDER SUITE"""
import json
import os
import subprocess
import sys


def main():
    folder, suite = os.path.abspath(sys.argv[1]), sys.argv[2]

    def introspect(what):
        return json.loads(subprocess.check_output(["meson", "introspect", what, folder]))

    wanted = set()
    for test in introspect("--tests"):
        if any(name == suite or name.endswith(":" + suite) for name in test["suite"]):
            wanted.update(test["depends"])
    files = [name for target in introspect("--targets") if target["id"] in wanted
             for name in target["filename"]]
    print("\n".join(sorted(os.path.relpath(name, folder) for name in files)))


if __name__ == "__main__":
    main()
