#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the threaded parts with clang's ThreadSanitizer and runs the tests that use several threads.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

compiler=$(command -v clang || command -v clang-14 || true)
if [ -z "$compiler" ]; then
    echo "races: clang is not there" >&2
    exit 4
fi
if [ ! -d build-tsan ]; then
    CC=$compiler meson setup build-tsan --buildtype=debugoptimized -Db_sanitize=thread \
        -Db_lundef=false -Dviewer=false
fi
tests=(
    tests/unit/base/test_base_parallel
    tests/unit/contact/test_contact_block_lu
    tests/unit/contact/test_contact_domains
    tests/unit/contact/test_contact_newton_threads
    tests/unit/engine/test_engine_domains
    tests/unit/engine/test_engine_mixed
    tests/unit/engine/test_engine_spheres
    tests/unit/engine/test_engine_warm_step
    tests/regress/test_regress_checkpoint_spheres
    tests/regress/test_regress_allocation
    tests/robust/test_robust_threads
)
ninja -C build-tsan -j2 "${tests[@]}"

export TSAN_OPTIONS=halt_on_error=1
failed=0
for test in "${tests[@]}"; do
    # the checker wants its own places in memory, which random ones may take
    if setarch -R build-tsan/"$test" >build-tsan/races.log 2>&1; then
        echo "races: $test: none"
    else
        failed=$((failed + 1))
        cat build-tsan/races.log >&2
        echo "races: $test FAILED" >&2
    fi
done
# helgrind knows no atomics, by which the engine's threads hand over their work: it sees readers alone
if command -v valgrind >/dev/null && [ -x build/tests/robust/test_robust_threads ]; then
    if valgrind --tool=helgrind --error-exitcode=9 -q --suppressions=tests/robust/helgrind.supp \
        build/tests/robust/test_robust_threads test_readers >build-tsan/races.log 2>&1; then
        echo "races: helgrind, eight readers: none"
    else
        failed=$((failed + 1))
        cat build-tsan/races.log >&2
        echo "races: helgrind, eight readers FAILED" >&2
    fi
fi
[ "$failed" -eq 0 ]
