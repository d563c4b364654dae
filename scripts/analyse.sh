#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of all C sources. It fails when there is a finding that tests/tools/analysis.txt
# does not explain.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

case ${1:-} in
-h | --help)
    cat <<'TEXT'
usage: scripts/analyse.sh

Runs cppcheck (package cppcheck) over base, geometry, contact, engine, scenes, viewer and cli: about a minute.
Findings that are no faults are listed, each with its reason, in tests/tools/analysis.txt.
TEXT
    exit 0
    ;;
esac
if ! command -v cppcheck >/dev/null; then
    echo "analyse: cppcheck is not there: apt install cppcheck" >&2
    exit 4
fi
cppcheck --enable=warning,performance,portability --quiet --std=c11 --max-configs=1 -I. -Iinclude -DNDEBUG \
    --suppress=missingIncludeSystem --suppressions-list=tests/tools/analysis.txt --error-exitcode=1 \
    --template='{file}:{line}: {id}: {message}' \
    base geometry contact engine scenes viewer cli
echo "analyse: no finding that is not explained"
