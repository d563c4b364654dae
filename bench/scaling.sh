#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cost of a step against the number of contacts: growing towers and piles, one line a run.
# Usage: bench/scaling.sh [CAIRN]   (default build/cairn; run from the top folder)
set -eu
cairn=${1:-build/cairn}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "| scene | bodies | contacts | iterations | ms a step | us a contact | of which solver |"
echo "|---|---|---|---|---|---|---|"

measure() {
    label=$1
    shift
    "$cairn" run "$@" --json --quiet --out "$folder/run" 2>"$folder/messages" | python3 -c '
import json, sys
run = json.loads(sys.stdin.readline())
contacts = max(1, run["contacts_max"])
step = run["seconds_per_step"]
solver = run["phases"]["solver"] / run["steps"]
print("| %s | %d | %d | %.0f | %.2f | %.2f | %.2f |" % (sys.argv[1], run["bodies"], contacts,
      run["iterations_mean"], 1e3 * step, 1e6 * step / contacts, 1e6 * solver / contacts))
' "$label"
}

for planks in 12 48 192 400; do
    measure "kapla_tower, 12 rings of $planks" scenes/kapla_tower.lua --set drop=0 \
        --set "planks_per_ring=$planks" --until 0.1
done
for rings in 48 150; do
    measure "kapla_tower, $rings rings of 12" scenes/kapla_tower.lua --set drop=0 \
        --set "rings=$rings" --until 0.1
done
for size in "100 3" "1000 6" "4000 10"; do
    measure "capsules, ${size% *} in a box ${size#* } wide" scenes/capsules.lua \
        --set "capsules=${size% *}" --set "across=${size#* }" --until 0.6 --tolerance 1e-4
done
