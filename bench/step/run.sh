#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the step bench: this engine and the peers that are installed, one table with ratios.
# usage: bench/step/run.sh [BUILD_DIR [WORK_DIR]]
#   BUILD_DIR  a release build with -Dbench=true (default: build)
#   WORK_DIR   scenes, final poses and results (default: BUILD_DIR/bench-step)
# SCENES, STEPS, CORES and LIMIT (seconds a run) may be set in the environment, and BOX3D to the folder of a built Box3D.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
work=${2:-$build/bench-step}
here=$root/bench/step
programs=$build/bench/step
steps=${STEPS:-1000} limit=${LIMIT:-240} cores=${CORES:-0}
scenes=${SCENES:-column50 kapla144 pyramid210 pyramid1035 pyramid5050 capsules100 capsules1000 capsules5000}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
[ -x "$programs/step_cairn" ] || { echo "no $programs/step_cairn: build with -Dbench=true" >&2; exit 1; }
mkdir -p "$work/scenes" "$work/final" "$work/peers"
"$programs/step_scenes" "$work/scenes" || exit 1
: >"$work/results.txt"

# a peer is built when its package is there, and left out otherwise
build_peer() { # name source flags...
    local name=$1 source=$2 compiler=c++
    shift 2
    [ "${source##*.}" = c ] && compiler=cc
    "$compiler" -O3 -march=native -I"$root" "$here/$source" -o "$work/peers/$name" "$@" \
        2>"$work/peers/$name.log" || rm -f "$work/peers/$name"
}
rm -f "$work"/peers/peer_*
pkg-config --exists bullet &&
    build_peer peer_bullet peer_bullet.cpp $(pkg-config --cflags --libs bullet)
pkg-config --exists ode && build_peer peer_ode peer_ode.cpp $(pkg-config --cflags --libs ode)
[ -e /usr/include/mujoco/mujoco.h ] && build_peer peer_mujoco peer_mujoco.c -lmujoco -lm
if [ -n "${BOX3D:-}" ]; then
    build_peer peer_box3d peer_box3d.c -I"$BOX3D/include" "$(find "$BOX3D" -name libbox3d.a | head -1)" -lm -lpthread
fi
/usr/bin/python3 -c 'import siconos.mechanics' 2>/dev/null && siconos=yes || siconos=no

# run LABEL SCENE program arguments...: one line of results with the judge's words
run() {
    local label=$1 scene=$2 line
    shift 2
    local final=$work/final/$label.$scene.txt
    rm -f "$final"
    line=$(timeout "$limit" taskset -c "$cores" "$1" "$work/scenes/$scene.txt" "$steps" "$final" \
        "${@:2}" 2>"$work/final/$label.$scene.log" | grep '^RESULT' | tail -1)
    if [ -z "$line" ]; then
        echo "RESULT $label $scene none (more than $limit s, or failed)"
    else
        echo "$line $("$programs/step_judge" "$work/scenes/$scene.txt" "$final" 2>&1 | tail -1)"
    fi | tee -a "$work/results.txt" >&2
}

for scene in $scenes; do
    run cairn-auto-1e-08 "$scene" "$programs/step_cairn" 1e-8 1
    run cairn-auto-1e-04 "$scene" "$programs/step_cairn" 1e-4 1
    [ -x "$work/peers/peer_bullet" ] && run bullet-10 "$scene" "$work/peers/peer_bullet" 10 &&
        run bullet-50 "$scene" "$work/peers/peer_bullet" 50
    [ -x "$work/peers/peer_ode" ] && run ode-20 "$scene" "$work/peers/peer_ode" 20
    [ -x "$work/peers/peer_mujoco" ] &&
        run mujoco-Newton-elliptic "$scene" "$work/peers/peer_mujoco" Newton elliptic
    [ -x "$work/peers/peer_box3d" ] && run box3d-4-30 "$scene" "$work/peers/peer_box3d" 4 30 &&
        run box3d-8-200 "$scene" "$work/peers/peer_box3d" 8 200
    [ "$siconos" = yes ] && for tolerance in 1e-4 1e-8; do
        run siconos-nsgs-${tolerance/e-/e-0} "$scene" "$here/peer_siconos.py" $tolerance 40
    done
done
awk -f "$here/table.awk" "$work/results.txt"
