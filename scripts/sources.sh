#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the sources of four libraries under subprojects/, for machines that Debian has no such libraries of:
# WebAssembly, and an architecture whose compiled ones join a product and a sum (docs/howto/live.md).
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

release=bookworm
packages=(lua5.4 qhull suitesparse zlib)

missing=()
for package in "${packages[@]}"; do
    [ -f "subprojects/$package/meson.build" ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-source >/dev/null; then
    echo "sources: apt-get and dpkg-source (the package dpkg-dev) are needed" >&2
    exit 4
fi

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
chmod 755 -- "$work"
mkdir -p -- "$work/lists/partial" "$work/unpacked"
# the archive that this system installs from, with lists of its own: nothing of the system is changed
# shellcheck disable=SC2016
archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk '$2 !~ /security|updates|backports/ && $1 ~ /debian/ { print $1; exit }')
printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$archive" "$release" \
    /usr/share/keyrings/debian-archive-keyring.gpg >"$work/source.sources"
options=(-q -o "Dir::Etc::SourceList=$work/source.sources" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o Acquire::Retries=3 -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
for package in "${missing[@]}"; do
    (cd -- "$work" && apt-get "${options[@]}" source --download-only "$package" &&
        dpkg-source --no-check -x "$package"_*.dsc "unpacked/$package")
    if [ "$package" = suitesparse ]; then
        # what is not used, most of it under the GPL, does not even lie about
        find "$work/unpacked/suitesparse" -mindepth 1 -maxdepth 1 \
            ! -name AMD ! -name CXSparse ! -name SuiteSparse_config -exec rm -rf -- {} +
        mkdir -p -- "$work/unpacked/suitesparse/include/suitesparse"
        (cd -- "$work/unpacked/suitesparse/include/suitesparse" &&
            ln -s ../../AMD/Include/amd.h ../../CXSparse/Include/cs.h \
                ../../SuiteSparse_config/SuiteSparse_config.h .)
    fi
    cp -- "subprojects/packagefiles/$package/meson.build" "$work/unpacked/$package/"
    rm -rf -- "subprojects/$package"
    mv -- "$work/unpacked/$package" "subprojects/$package"
done
