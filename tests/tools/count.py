# SPDX-License-Identifier: Apache-2.0
# Counts the results in a Meson test log: prints "passed failed skipped" and the names of the failed ones.
"""usage: count.py TESTLOG.json EXIT_STATUS_OF_MESON_TEST

A run that ended badly without a failed test in its log (a time limit, a crash of the runner, no
log at all) counts as one failure, so that it cannot pass unseen.
"""
import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def count(lines, status):
    passed = skipped = 0
    failed = []
    for line in lines:
        if not line.strip():
            continue
        test = json.loads(line)
        result = test["result"]
        if result in PASSED:
            passed += 1
        elif result in SKIPPED:
            skipped += 1
        else:
            failed.append(test["name"].split(" / ")[-1])
    if not failed and (status != 0 or passed + skipped == 0):
        failed.append("a run that ended early")
    return passed, failed, skipped


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as log:
            lines = log.readlines()
    except FileNotFoundError:
        lines = []
    passed, failed, skipped = count(lines, int(sys.argv[2]))
    print(passed, len(failed), skipped, ", ".join(failed))


if __name__ == "__main__":
    main()
