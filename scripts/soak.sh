#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs scenes under random disturbances and compares them with undisturbed ones: nothing may be lost
# and nothing may differ (tests/soak/soak.py, docs/notes/reliability.md). The same seed chooses the same disturbances.
#   scripts/soak.sh [--seed N] [--seconds S]     default: seed 1, 120 s
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
program=build/cairn
if [ -x build-test/cairn ]; then
    program=build-test/cairn
fi
if [ ! -x "$program" ]; then
    echo "soak: no build of cairn: scripts/setup.sh makes one" >&2
    exit 1
fi
CAIRN_SCENES=$root/scenes/library exec python3 tests/soak/soak.py "$program" "$@"
