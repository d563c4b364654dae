#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library for machines that are not here and compares their hashes, scene by scene.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/common.sh
. scripts/common.sh

usage()
{
    cat <<'TEXT'
usage: scripts/machines.sh [--page] [--out FILE.md] [webassembly] [aarch64]

Builds the library and tests/portable/hashes.c in build-webassembly/ and build-aarch64/ (both without a name) and
prints a table of hashes of the library's scenes beside those of this machine, in build/.

  --page      build the page in which scenes run alone, build-webassembly/live.html
  --out FILE  write the table into a file, too
  -h, --help  this text

scripts/setup.sh --with-machines installs the compilers. Ends with status 4 where one is missing.
TEXT
}

page=false
out=()
machines=()
while [ $# -gt 0 ]; do
    case $1 in
    --page) page=true ;;
    --out)
        out=(--out "$2")
        shift
        ;;
    webassembly | aarch64) machines+=("$1") ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "machines: unknown option \"$1\"" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done
if $page; then
    machines=(webassembly)
elif [ "${#machines[@]}" -eq 0 ]; then
    machines=(webassembly aarch64)
fi

for machine in "${machines[@]}"; do
    case $machine in
    webassembly) tools=(emcc node) ;;
    aarch64) tools=(aarch64-linux-gnu-gcc qemu-aarch64-static) ;;
    esac
    for tool in "${tools[@]}"; do
        if ! command -v "$tool" >/dev/null; then
            echo "machines: $tool is missing; scripts/setup.sh --with-machines installs it" >&2
            exit 4
        fi
    done
done

scripts/sources.sh
configure build -Dbuildtype=release
ninja -C build tests/portable/hashes
programs=("x86-64=build/tests/portable/hashes")
for machine in "${machines[@]}"; do
    configure "build-$machine" --cross-file "scripts/machines/$machine.ini" -Dportable=true -Dbuildtype=release
    compile "build-$machine"
    case $machine in
    webassembly) programs+=("WebAssembly=build-webassembly/tests/portable/hashes.js") ;;
    aarch64) programs+=("aarch64=build-aarch64/tests/portable/hashes") ;;
    esac
done
if $page; then
    python3 web/fill.py . build-webassembly/cli/live/cairn_live.js build/tests/portable/hashes \
        build-webassembly/live.html
else
    python3 tests/portable/table.py "${out[@]}" "${programs[@]}"
fi
