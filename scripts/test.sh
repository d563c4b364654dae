#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs every test; the last line is "N passed, N failed".
#   build/       release, warnings are errors: that it compiles counts as one test
#   build-test/  asserts on: all suites
#   build-asan/  address and undefined-behaviour sanitizers: the suites python, unit and robust
#   build-tsan/  race checker, where clang is there
#   build/packages/  the Debian packages, tried in a bare system of their own where one can be made
# The first three must take every step of some runs to the same bits: that counts as one test, and so
# does static analysis of the sources.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/common.sh
. scripts/common.sh

passed=0
failed=0
skipped=0
names=()

# check NAME COMMAND...: one test that is not in Meson's list
check()
{
    local name=$1
    shift
    echo "test: $name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        names+=("$name")
        echo "test: $name FAILED" >&2
        return 1
    fi
}

build_variant()
{
    configure "$@" && compile "$1"
}

# run_suites SECONDS DIRECTORY ARGUMENT...: runs tests and adds Meson's own results to the counts
run_suites()
{
    local seconds=$1 directory=$2 status=0 counts passing failing skipping which
    local log=$directory/meson-logs/testlog.json
    shift 2
    rm -f -- "$log"
    timeout --kill-after=30 "$seconds" meson test -C "$directory" --no-rebuild \
        --print-errorlogs --num-processes "$(nproc)" "$@" </dev/null || status=$?
    counts=$(python3 tests/tools/count.py "$log" "$status")
    read -r passing failing skipping which <<<"$counts"
    passed=$((passed + passing))
    failed=$((failed + failing))
    skipped=$((skipped + skipping))
    if [ "$failing" -gt 0 ]; then
        names+=("$directory: $which")
    fi
}

# the packages, or 4 where this system cannot try them
try_packages()
{
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! command -v dh >/dev/null; then
        return 4
    fi
    if ! scripts/packages.sh --no-doc --no-packages --try >build-test/packages.log 2>&1; then
        tail -n 40 build-test/packages.log
        return 1
    fi
}

if ! check "installation" scripts/setup.sh --with-tests --no-build; then
    echo "$passed passed, $failed failed"
    exit 1
fi

check "release build" build_variant build -Dbuildtype=release -Dwerror=true || true

if check "build with asserts" build_variant build-test -Dbuildtype=debugoptimized -Dwerror=true; then
    run_suites 2100 build-test
fi

if check "build with sanitizers" build_variant build-asan -Dbuildtype=debugoptimized \
    -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false; then
    run_suites 1500 build-asan --suite python
    export ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:detect_leaks=1:print_summary=1
    export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1:print_summary=1
    run_suites 1200 build-asan --suite unit --suite robust --timeout-multiplier 3
fi

# The checks that are left keep one core busy each: two lanes of them run side by side. A lane writes what its
# checks print into NAME.log and "passed", "skipped" or "failed CHECK" for each into NAME; "ended" is its last line.
analysis_lane()
{
    lane_check "static analysis" scripts/analyse.sh
    lane_check "the same bits in every build" timeout 900 python3 tests/tools/same_hashes.py \
        build build-test build-asan
    if command -v clang >/dev/null || command -v clang-14 >/dev/null; then
        lane_check "races" scripts/races.sh
    fi
    echo ended >>"$results"
}

running_lane()
{
    lane_check "soak" timeout 600 scripts/soak.sh --seconds 120
    lane_check "Debian packages in a bare system" try_packages
    echo ended >>"$results"
}

# lane_check NAME COMMAND...: one test of a lane; the status 4 says that this system cannot run it
lane_check()
{
    local name=$1 status=0
    shift
    echo "test: $name"
    "$@" || status=$?
    case $status in
    0) echo passed >>"$results" ;;
    4) echo skipped >>"$results" ;;
    *)
        echo "failed $name" >>"$results"
        echo "test: $name FAILED"
        ;;
    esac
}

# take_lane NAME: prints what a lane has printed and adds its results to the counts
take_lane()
{
    local result name end=missing
    cat -- "$lanes/$1.log"
    while read -r result name; do
        case $result in
        passed) passed=$((passed + 1)) ;;
        skipped) skipped=$((skipped + 1)) ;;
        failed)
            failed=$((failed + 1))
            names+=("$name")
            ;;
        ended) end=reached ;;
        esac
    done <"$lanes/$1"
    if [ "$end" = missing ]; then
        failed=$((failed + 1))
        names+=("the end of the lane $1")
    fi
}

lanes=$(mktemp -d)
trap 'rm -rf -- "$lanes"' EXIT
touch "$lanes/analysis" "$lanes/running"
results=$lanes/analysis
analysis_lane >"$lanes/analysis.log" 2>&1 </dev/null &
results=$lanes/running
running_lane >"$lanes/running.log" 2>&1 </dev/null &
wait
take_lane analysis
take_lane running

for name in "${names[@]}"; do
    echo "test: failed: $name"
done
if [ "$skipped" -gt 0 ]; then
    echo "test: $skipped skipped"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
