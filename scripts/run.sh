#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds cairn and runs the main job: the plank tower, headless, with its contact problems written
# as FCLIB files while it settles. Further options go to `cairn run`; paths are relative to the tree.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

# standard output belongs to the command
scripts/setup.sh >&2

exec build/cairn run scenes/library/kapla_tower.lua --out out/kapla_tower \
    --fclib out/kapla_tower/fclib --fclib-every 4 --fclib-when 'step <= 60' "$@"
