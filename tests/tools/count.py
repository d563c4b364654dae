# SPDX-License-Identifier: Apache-2.0
# Counts the results in a Meson test log: prints "passed failed skipped".
"""usage: count.py TESTLOG.json EXIT_STATUS_OF_MESON_TEST

A run that ended badly without a failed test in its log (a time limit, a crash of the runner, no
log at all) counts as one failure, so that it cannot pass unseen.
"""
import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def count(lines, status):
    passed = failed = skipped = 0
    for line in lines:
        if not line.strip():
            continue
        result = json.loads(line)["result"]
        if result in PASSED:
            passed += 1
        elif result in SKIPPED:
            skipped += 1
        else:
            failed += 1
    if failed == 0 and (status != 0 or passed + skipped == 0):
        failed = 1
    return passed, failed, skipped


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as log:
            lines = log.readlines()
    except FileNotFoundError:
        lines = []
    print(*count(lines, int(sys.argv[2])))


if __name__ == "__main__":
    main()
