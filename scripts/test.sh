#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs the tests; the last line is "N passed, N failed".
#   --quick    the suites unit and house, in a build with asserts: for every commit
#   (nothing)  every suite in a build with asserts but the long tests, and the suite robust under the
#              address and undefined-behaviour sanitizers: for every push
#   --all      every test there is: also the long ones, a release build, the suites python and unit under
#              sanitizers, static analysis, the same bits in all builds, races, soak, the Debian packages
#              in a bare system and the documentation site: continuous integration
# Folders: build/ (release), build-test/ (asserts), build-asan/ (sanitizers), build-tsan/ (races). A warning
# of the compiler is an error in all of them; that a folder builds counts as one test.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/common.sh
. scripts/common.sh

passed=0
failed=0
skipped=0
names=()

usage="usage: scripts/test.sh [--quick|--all]"
scope=${1:---usual}
case $scope in
--quick | --usual | --all) ;;
--help)
    echo "$usage"
    exit 0
    ;;
*)
    echo "test: unknown option \"$scope\"; $usage" >&2
    exit 2
    ;;
esac
if [ $# -gt 1 ]; then
    echo "test: one option at most; $usage" >&2
    exit 2
fi

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

# as build_variant, but of the programs that the suite robust runs alone
build_robust()
{
    local programs
    configure "$@" || return 1
    mapfile -t programs < <(python3 tests/tools/suite_targets.py "$1" robust)
    [ "${#programs[@]}" -gt 0 ] && ninja -C "$1" -j "$(nproc)" "${programs[@]}"
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

sanitizers=(-Dbuildtype=debugoptimized -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false)

# ends the script with the counts
report()
{
    for name in "${names[@]}"; do
        echo "test: failed: $name"
    done
    if [ "$skipped" -gt 0 ]; then
        echo "test: $skipped skipped"
    fi
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# the site, without films
document()
{
    scripts/setup.sh --with-docs --no-build && scripts/docs.sh --no-films build
}

if ! check "installation" scripts/setup.sh --with-tests --no-build; then
    report
fi

if [ "$scope" = --all ]; then
    check "release build" build_variant build -Dbuildtype=release -Dwerror=true || true
fi

if check "build with asserts" build_variant build-test -Dbuildtype=debugoptimized -Dwerror=true; then
    case $scope in
    --quick) run_suites 600 build-test --suite unit --suite house ;;
    --usual) run_suites 1500 build-test --no-suite long ;;
    --all) run_suites 2100 build-test ;;
    esac
fi
if [ "$scope" = --quick ]; then
    report
fi

leaks=(halt_on_error=1 abort_on_error=1 detect_leaks=1 print_summary=1)
undefined=(halt_on_error=1 abort_on_error=1 print_stacktrace=1 print_summary=1)
if [ "$scope" = --usual ]; then
    if check "build with sanitizers" build_robust build-asan "${sanitizers[@]}"; then
        ASAN_OPTIONS=$(IFS=: && echo "${leaks[*]}") UBSAN_OPTIONS=$(IFS=: && echo "${undefined[*]}") \
            run_suites 1200 build-asan --suite robust --timeout-multiplier 3
    fi
    report
fi

if check "build with sanitizers" build_variant build-asan "${sanitizers[@]}"; then
    run_suites 1500 build-asan --suite python
    ASAN_OPTIONS=$(IFS=: && echo "${leaks[*]}") UBSAN_OPTIONS=$(IFS=: && echo "${undefined[*]}") \
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
    lane_check "documentation site" document
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

report
