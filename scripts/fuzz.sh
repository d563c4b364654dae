#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of tests/fuzz under libFuzzer and the sanitizers, some seconds each.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

usage()
{
    cat <<'TEXT'
usage: scripts/fuzz.sh [SECONDS [TARGET...]]

Builds build-fuzz/ with clang and runs each target (default: all) for SECONDS (default 120), starting
from tests/fuzz/corpus/TARGET and from inputs that the target's own writer makes. What is new goes to
build-fuzz/corpus/TARGET; an input that breaks something is left as build-fuzz/TARGET-*. The last
lines are a table: executions, edges covered of edges there are in the program.
Needs clang with libFuzzer (package clang).
TEXT
}

case ${1:-} in
-h | --help)
    usage
    exit 0
    ;;
esac
seconds=${1:-120}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    targets=(scene condition mesh law_state problem checkpoint trajectory)
fi

compiler=$(command -v clang || command -v clang-14 || true)
if [ -z "$compiler" ]; then
    echo "fuzz: clang is not there" >&2
    exit 4
fi
if [ ! -d build-fuzz ]; then
    CC=$compiler meson setup build-fuzz --buildtype=debugoptimized -Dfuzz=true -Dviewer=false \
        -Db_sanitize=address,undefined -Db_lundef=false
fi
ninja -C build-fuzz -j2 "${targets[@]/#/tests/fuzz/fuzz_}"

# a damaged file makes HDF5 ask for more memory than there is, which it can do without
export ASAN_OPTIONS=allocator_may_return_null=1
# its threads wait for each other by turning in circles
export OPENBLAS_NUM_THREADS=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export LSAN_OPTIONS=print_suppressions=0
failed=0
table=()
for target in "${targets[@]}"; do
    found=build-fuzz/corpus/$target log=build-fuzz/$target.log seeds=build-fuzz/seeds/$target
    mkdir -p "$found" "$seeds"
    build-fuzz/tests/fuzz/fuzz_"$target" --seeds "$seeds"
    nice -n 10 build-fuzz/tests/fuzz/fuzz_"$target" "$found" "tests/fuzz/corpus/$target" "$seeds" \
        -max_total_time="$seconds" -timeout=30 -rss_limit_mb=3000 -malloc_limit_mb=0 -print_final_stats=1 \
        -artifact_prefix="build-fuzz/$target-" >"$log" 2>&1 || {
        failed=$((failed + 1))
        echo "fuzz: $target FAILED, see $log" >&2
    }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2 || true)
    all=$(sed -n 's/.*Loaded 1 PC tables (\([0-9]*\) PCs).*/\1/p' "$log")
    table+=("$(printf '%-12s %10s executions %7s of %s edges' "$target" "${runs:-?}" "${edges:-?}" \
        "${all:-?}")")
done
printf '%s\n' "${table[@]}"
[ "$failed" -eq 0 ]
