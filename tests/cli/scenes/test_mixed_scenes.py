# SPDX-License-Identifier: Apache-2.0
# Mixed problems written from scenes are solved, and their solutions hold by the files alone.
"""usage: test_mixed_scenes.py PROGRAM ROOT"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import PROGRAM, Folder, check, finish

sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[2]), "bench", "mixed"))
import mixed  # noqa: E402

NAMES = ("bridge", "cardan", "net", "pendulum", "rag_dolls")


def main():
    with Folder() as folder:
        rows = mixed.study(os.path.abspath(PROGRAM), folder.path, 3, NAMES)
    check(len(rows) >= 20, f"{len(rows)} problems")
    for path, line, contacts, joints, law, error in rows:
        name = os.path.basename(path)
        check(mixed.is_good((path, line, contacts, joints, law, error)), f"{name}: {line} {law} {error}")
        check(contacts > 0 and joints > 0, f"{name}: {contacts} contacts, {joints} rows of joints")
        check(line.get("error_joints", 1) <= 1e-8, f"{name}: error_joints of {line}")
    kinds = {line["kind"] for _, line, *_ in rows}
    check(kinds == {"global", "local"}, f"forms {kinds}")
    finish()


main()
