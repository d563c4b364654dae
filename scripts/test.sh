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
    local seconds=$1 directory=$2 status=0 counts
    local log=$directory/meson-logs/testlog.json
    shift 2
    rm -f -- "$log"
    timeout --kill-after=30 "$seconds" meson test -C "$directory" --no-rebuild \
        --print-errorlogs --num-processes "$(nproc)" "$@" </dev/null || status=$?
    counts=$(python3 tests/tools/count.py "$log" "$status")
    read -r -a counts <<<"$counts"
    passed=$((passed + counts[0]))
    failed=$((failed + counts[1]))
    skipped=$((skipped + counts[2]))
}

# the packages, or 4 where this system cannot try them
try_packages()
{
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! command -v dh >/dev/null; then
        return 4
    fi
    scripts/packages.sh --no-doc --no-packages --try >build-test/packages.log 2>&1
}

if ! check "installation" scripts/setup.sh --with-tests --no-build; then
    echo "$passed passed, $failed failed"
    exit 1
fi

check "release build" build_variant build -Dbuildtype=release -Dwerror=true || true

if check "build with asserts" build_variant build-test -Dbuildtype=debugoptimized -Dwerror=true; then
    run_suites 1500 build-test
fi

if check "build with sanitizers" build_variant build-asan -Dbuildtype=debugoptimized \
    -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false; then
    run_suites 600 build-asan --suite python
    export ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:detect_leaks=1:print_summary=1
    export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1:print_summary=1
    run_suites 1200 build-asan --suite unit --suite robust --timeout-multiplier 3
fi

check "static analysis" scripts/analyse.sh || true

check "the same bits in every build" timeout 900 python3 tests/tools/same_hashes.py \
    build build-test build-asan || true

check "soak" timeout 600 scripts/soak.sh --seconds 120 || true

if command -v clang >/dev/null || command -v clang-14 >/dev/null; then
    check "races" scripts/races.sh || true
fi

echo "test: Debian packages in a bare system"
status=0
try_packages || status=$?
case $status in
0) passed=$((passed + 1)) ;;
4) skipped=$((skipped + 1)) ;;
*)
    failed=$((failed + 1))
    tail -n 40 build-test/packages.log >&2
    echo "test: Debian packages in a bare system FAILED" >&2
    ;;
esac

if [ "$skipped" -gt 0 ]; then
    echo "test: $skipped skipped"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
