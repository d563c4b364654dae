#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of all C sources. It fails when there is a finding that tests/tools/analysis.txt
# does not explain. With --tidy clang-tidy, with --gcc gcc's own analysis instead of cppcheck.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

case ${1:-} in
-h | --help)
    cat <<'TEXT'
usage: scripts/analyse.sh [--tidy|--gcc [ROOM...]]

Runs cppcheck (package cppcheck) over base, geometry, contact, engine, scenes, viewer and cli: about a minute.
--tidy runs clang-tidy with the checks of .clang-tidy, --gcc the compiler with -fanalyzer, over these or the
named rooms: some minutes; both need build/ (scripts/setup.sh --with-analysis).
Findings that are no faults are listed, each with its reason, in tests/tools/analysis.txt.
TEXT
    exit 0
    ;;
esac
case ${1:-} in
--tidy | --gcc)
    kind=${1#--}
    shift
    if [ ! -f build/compile_commands.json ]; then
        echo "analyse: no build: scripts/setup.sh makes one" >&2
        exit 1
    fi
    if [ "$kind" = tidy ] && ! command -v clang-tidy >/dev/null; then
        echo "analyse: clang-tidy is not there: scripts/setup.sh --with-analysis" >&2
        exit 4
    fi
    exec python3 tests/tools/deep_analysis.py "$kind" build tests/tools/analysis.txt "$@"
    ;;
esac
if ! command -v cppcheck >/dev/null; then
    echo "analyse: cppcheck is not there: apt install cppcheck" >&2
    exit 4
fi
# lines of the other tools are not for this one
explained=$(mktemp)
trap 'rm -f -- "$explained"' EXIT
grep -vE '^(tidy|gcc) ' tests/tools/analysis.txt >"$explained"
cppcheck --enable=warning,performance,portability --quiet --std=c11 --max-configs=1 -I. -Iinclude -DNDEBUG \
    --suppress=missingIncludeSystem --suppressions-list="$explained" --error-exitcode=1 \
    --template='{file}:{line}: {id}: {message}' \
    base geometry contact engine scenes viewer cli
echo "analyse: no finding that is not explained"
