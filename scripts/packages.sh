#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the commit that is checked out, in build/packages/.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

usage()
{
    cat <<'TEXT'
usage: scripts/packages.sh [--no-doc] [--no-packages]

Builds cairn, libcairn0, libcairn-dev and cairn-doc. Install them with
    apt install ./build/packages/*.deb

  --no-doc        leave cairn-doc out, which takes the longest
  --no-packages   install nothing that the build needs
  -h, --help      this text
TEXT
}

with_doc=true
with_packages=true
for option in "$@"; do
    case $option in
    --no-doc) with_doc=false ;;
    --no-packages) with_packages=false ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "packages: unknown option \"$option\"" >&2
        usage >&2
        exit 2
        ;;
    esac
done

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi
if $with_packages; then
    scripts/setup.sh --no-build
    if $with_doc; then
        scripts/setup.sh --no-build --with-docs
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
        build-essential debhelper dpkg-dev git python3 </dev/null
fi

out=$root/build/packages
rm -rf -- "$out"
mkdir -p -- "$out/source"
git archive HEAD | tar -x -C "$out/source"
profiles=
kind=binary
if ! $with_doc; then
    profiles=nodoc
    kind=any
fi
(cd -- "$out/source" && DEB_BUILD_PROFILES=$profiles dpkg-buildpackage -us -uc \
    --build="$kind")
rm -rf -- "$out/source"
ls -l -- "$out"/*.deb
