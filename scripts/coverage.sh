#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which lines and branches the tests run, by room: builds build-cov/ with counters, runs the suites, prints a
# table. gcov, which comes with gcc, reads the counters.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/common.sh
. scripts/common.sh

case ${1:-} in
-h | --help)
    cat <<'TEXT'
usage: scripts/coverage.sh [SUITE...]

Runs the suites (default: unit physics regress robust cli viewer) of a build that counts, and tells per room which
share of its lines and branches ran. Processes that are killed, or that read files of others and end
at once, do not count. A branch is one way out of a condition as the compiler sees it.
TEXT
    exit 0
    ;;
esac
suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then
    suites=(unit physics regress robust cli viewer)
fi

configure build-cov -Dbuildtype=debugoptimized -Db_coverage=true -Dpython=disabled
compile build-cov
find build-cov -name '*.gcda' -delete
# what fails is the matter of scripts/test.sh; it is said, and the rest counts
meson test -C build-cov --no-rebuild --num-processes "$(nproc)" --timeout-multiplier 4 \
    "${suites[@]/#/--suite=}" </dev/null || echo "coverage: some tests failed" >&2
python3 tests/tools/coverage.py build-cov
