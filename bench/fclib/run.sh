#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets this program's solvers beside those of Siconos on the same problem files, in the same run.
# usage: bench/fclib/run.sh FOLDER [BUILD_DIR [WORK_DIR]]
#   FOLDER     of .hdf5 problem files
#   BUILD_DIR  a release build with -Dbench=true (default: build)
#   WORK_DIR   results (default: BUILD_DIR/bench-fclib)
# SOLVERS (ours), SICONOS (theirs), TOLERANCE, LIMIT (seconds a solve) and GIVE_UP (a solver of Siconos is cut off at so many
# times the fastest of the file) may be set in the environment.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:?usage: bench/fclib/run.sh FOLDER [BUILD_DIR [WORK_DIR]]}
build=${2:-$root/build}
work=${3:-$build/bench-fclib}
tolerance=${TOLERANCE:-1e-8} limit=${LIMIT:-10}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
theirs=$build/bench/fclib/fclib_siconos
[ -x "$theirs" ] || {
    echo "no $theirs: build with -Dbench=true where libsiconos-numerics-dev is installed" >&2
    exit 1
}
mkdir -p "$work"
"$theirs" "${SICONOS:-all}" "$tolerance" "$limit" "${GIVE_UP:-4}" "$work/siconos.csv" "$folder"/*.hdf5
"$build/cairn" bench "$folder" --solvers "${SOLVERS:-auto}" --tolerance "$tolerance" \
    --time-limit "$limit" --csv "$work/cairn.csv" --external "$work/siconos.csv" \
    --profile "$work/profile.svg" | tee "$work/table.txt"
