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
build-fuzz/corpus/TARGET; an input that breaks something is left as build-fuzz/TARGET-*. Files of HDF5
are tried in processes that may break: that library crashes on damaged ones, which is counted and no
failure. The last lines are a table: CPU time, executions, edges covered of edges there are in the program.
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
    targets=(scene scene_table condition kernels mesh law_state table run_folder problem problem_text checkpoint
        trajectory)
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
# libFuzzer's counts of how often each edge was met would take nine tenths of the time
limits=(-timeout=120 -rss_limit_mb=3000 -malloc_limit_mb=100000 -print_final_stats=1 -entropic=0)

# is_of_hdf5 TRACE: what broke is the HDF5 library, which the command keeps away from itself in a
# process of its own
is_of_hdf5()
{
    grep -m 1 -E '#[0-9]+ .*(libhdf5|/(base|geometry|contact|engine|scenes|cli)/)' <<<"$1" |
        grep -q libhdf5
}

# runs TARGET by the paths of its inputs; what breaks goes to build-fuzz/TARGET-*
run_plain()
{
    local target=$1
    shift
    nice -n 10 build-fuzz/tests/fuzz/fuzz_"$target" "$@" "${limits[@]}" -max_total_time="$seconds" \
        -artifact_prefix="build-fuzz/$target-"
}

# the same for files of HDF5, in processes that may break
run_apart()
{
    local target=$1 broken=build-fuzz/broken/$1 input trace ours=0 theirs=0
    shift
    rm -rf "$broken"
    mkdir -p "$broken"
    nice -n 10 build-fuzz/tests/fuzz/fuzz_"$target" "$@" "${limits[@]}" -max_total_time="$seconds" \
        -fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 -artifact_prefix="$broken/" || true
    for input in "$broken"/*; do
        # an empty one is what a change of a damaged file left: that broke HDF5, before there was an input
        [ -s "$input" ] || continue
        # one that breaks nothing when it is tried again was slow on a busy machine
        if trace=$(build-fuzz/tests/fuzz/fuzz_"$target" "${limits[@]}" "$input" 2>&1); then
            continue
        fi
        if is_of_hdf5 "$trace"; then
            theirs=$((theirs + 1))
        else
            ours=$((ours + 1))
            cp "$input" "build-fuzz/$target-${input##*/}"
        fi
    done
    # edges of all that was found, by one process
    build-fuzz/tests/fuzz/fuzz_"$target" "$@" "${limits[@]}" -runs=0 || true
    echo "broken: $ours here, $theirs in HDF5"
    [ "$ours" -eq 0 ]
}

# CPU time of the programs that have ended, s: children's clock ticks
spent()
{
    echo $((($(cut -d ' ' -f 16,17 /proc/$$/stat | tr ' ' '+')) / $(getconf CLK_TCK)))
}

for target in "${targets[@]}"; do
    found=build-fuzz/corpus/$target log=build-fuzz/$target.log seeds=build-fuzz/seeds/$target
    mkdir -p "$found" "$seeds"
    build-fuzz/tests/fuzz/fuzz_"$target" --seeds "$seeds"
    more=()
    case $target in
    problem | checkpoint | trajectory) run=run_apart ;;
    kernels) run=run_plain more=(-max_len=160) ;;
    *) run=run_plain ;;
    esac
    before=$(spent)
    $run "$target" "${more[@]}" "$found" "tests/fuzz/corpus/$target" "$seeds" >"$log" 2>&1 || {
        failed=$((failed + 1))
        echo "fuzz: $target FAILED, see $log" >&2
    }
    after=$(spent)
    runs=$(sed -n -e 's/^#\([0-9]*\): cov: .*/\1/p' -e 's/^stat::number_of_executed_units: *//p' "$log" |
        sort -n | tail -n 1)
    edges=$(grep -v '^#[0-9]*: ' "$log" | grep -o 'cov: [0-9]*' | tail -n 1 | cut -d ' ' -f 2 || true)
    all=$(sed -n 's/.*Loaded 1 PC tables (\([0-9]*\) PCs).*/\1/p' "$log" | head -n 1)
    broken=$(sed -n 's/^broken: /; broken: /p' "$log")
    table+=("$(printf '%-12s %6s CPU minutes %10s executions %7s of %s edges%s' "$target" \
        $(((after - before) / 60)) "${runs:-?}" "${edges:-?}" "${all:-?}" "$broken")")
done
printf '%s\n' "${table[@]}"
[ "$failed" -eq 0 ]
