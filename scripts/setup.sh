#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian/Ubuntu packages that cairn needs and builds the command at build/cairn.
# Safe to run again: only missing packages are installed, only changed files are compiled.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/common.sh
. scripts/common.sh

required_packages=(
    gcc libc6-dev meson ninja-build pkg-config
    libhdf5-dev zlib1g-dev libexpat1-dev liblua5.4-dev libopenblas-dev libsuitesparse-dev libqhull-dev
)
# cairn view and cairn render; without them the build leaves these two out
viewer_packages=(
    libsdl2-dev libglew-dev libcglm-dev libstb-dev libgl1-mesa-dri libegl1
)
# the Python package; without them the build leaves it out
python_packages=(
    python3-dev python3-cffi python3-numpy python3-scipy python3-h5py
    python3-setuptools python3-wheel python3-build python3-venv
)
# processes that exchange messages; without them the build leaves these out
message_packages=(
    libopenmpi-dev openmpi-bin
)
test_packages=(
    libcmocka-dev libfclib-dev cppcheck locales python3 python3-numpy python3-h5py python3-pytest
    python3-matplotlib python3-nbclient python3-ipykernel clang-format-14
    debhelper debootstrap dh-python dpkg-dev
)
# scripts/analyse.sh --tidy, scripts/coverage.sh, scripts/fuzz.sh, and the test of another architecture
analysis_packages=(
    clang clang-tidy gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
)
# scripts/machines.sh: the library for WebAssembly and for 64-bit ARM, from sources of Debian's
machine_packages=(
    emscripten nodejs dpkg-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
)
# tests of the pages that cairn export writes
browser_packages=(
    chromium chromium-driver
)
# scripts/docs.sh
docs_packages=(
    doxygen python3-breathe python3-sphinx python3-myst-parser furo python3-matplotlib libjs-mathjax
    python3-nbclient python3-ipykernel python3-sphinx-copybutton node-normalize.css
)

usage()
{
    cat <<'TEXT'
usage: scripts/setup.sh [option]...

Installs what is missing (with apt-get, through sudo when not root) and builds in release mode.

  --with-tests     install the packages of the test suite too
  --with-ranks     install Open MPI too, for runs of several processes
  --with-browser   install Chromium too, for the tests of pages (200 MB)
  --with-machines  install what builds for WebAssembly and 64-bit ARM too (1 GB)
  --with-docs      install the packages of the documentation site too
  --with-analysis  install what deeper analysis needs too: clang, coverage, another architecture
  --no-tests       install only what the build needs (default)
  --no-viewer      leave the viewer's packages out
  --no-python      leave the packages of the Python package out
  --no-packages    install nothing
  --no-build       stop after the packages
  --strict         compiler warnings are errors
  -h, --help       this text
TEXT
}

with_tests=false
with_browser=false
with_machines=false
with_docs=false
with_ranks=false
with_analysis=false
with_viewer=true
with_python=true
with_packages=true
with_build=true
strict=false
for option in "$@"; do
    case $option in
    --with-tests) with_tests=true ;;
    --with-browser) with_browser=true ;;
    --with-machines) with_machines=true ;;
    --with-docs) with_docs=true ;;
    --with-ranks) with_ranks=true ;;
    --with-analysis) with_analysis=true ;;
    --no-tests) with_tests=false ;;
    --no-viewer) with_viewer=false ;;
    --no-python) with_python=false ;;
    --no-packages) with_packages=false ;;
    --no-build) with_build=false ;;
    --strict) strict=true ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "setup: unknown option \"$option\"" >&2
        usage >&2
        exit 2
        ;;
    esac
done

list_packages()
{
    echo "cairn needs, by their Debian 12 names:"
    echo "  to build:  ${required_packages[*]}"
    echo "  to view:   ${viewer_packages[*]}"
    echo "  in Python: ${python_packages[*]}"
    echo "  for ranks: ${message_packages[*]}"
    echo "  to test:   ${test_packages[*]}"
    echo "  for pages: ${browser_packages[*]}"
    echo "  for other machines: ${machine_packages[*]}"
    echo "  for docs:  ${docs_packages[*]}"
    echo "  to analyse: ${analysis_packages[*]}"
    echo "Install these with your package manager, then run: scripts/setup.sh --no-packages"
}

is_installed()
{
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# prints those of its arguments that are not installed
missing_of()
{
    local package
    for package in "$@"; do
        is_installed "$package" || printf '%s\n' "$package"
    done
}

has_candidate()
{
    local policy
    policy=$(apt-cache policy "$1" 2>/dev/null) || return 1
    [[ $policy =~ Candidate:\ [^\(] ]]
}

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

check_system()
{
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "setup: this system has no apt-get, so packages cannot be installed from here." >&2
        list_packages >&2
        exit 1
    fi
}

check_rights()
{
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "setup: packages are missing, and this is neither root nor is there a sudo." >&2
        echo "Run as root: apt-get install --no-install-recommends $*" >&2
        exit 1
    fi
}

apt_update()
{
    if ! as_root apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 update </dev/null; then
        echo "setup: apt-get update failed; going on with the lists that are there" >&2
    fi
}

apt_install()
{
    as_root apt-get -q -y --no-install-recommends -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 \
        install "$@" </dev/null
}

install_packages()
{
    local wanted missing package
    local -a obtainable=()
    check_system
    wanted=("${required_packages[@]}")
    if $with_viewer; then
        wanted+=("${viewer_packages[@]}")
    fi
    if $with_python; then
        wanted+=("${python_packages[@]}")
    fi
    if $with_tests; then
        wanted+=("${test_packages[@]}" "${message_packages[@]}")
    fi
    if $with_ranks; then
        wanted+=("${message_packages[@]}")
    fi
    if $with_browser; then
        wanted+=("${browser_packages[@]}")
    fi
    if $with_machines; then
        wanted+=("${machine_packages[@]}")
    fi
    if $with_docs; then
        wanted+=("${docs_packages[@]}")
    fi
    if $with_analysis; then
        wanted+=("${analysis_packages[@]}")
    fi
    mapfile -t missing < <(missing_of "${wanted[@]}")
    if [ "${#missing[@]}" -eq 0 ]; then
        return
    fi
    check_rights "${missing[@]}"
    echo "setup: installing ${missing[*]}"
    apt_update
    # a release without one of the others goes without it; a required one must be there
    for package in "${missing[@]}"; do
        if has_candidate "$package" || [[ " ${required_packages[*]} " == *" $package "* ]]; then
            obtainable+=("$package")
        else
            echo "setup: no package $package here; what wants it is left out" >&2
        fi
    done
    if [ "${#obtainable[@]}" -gt 0 ]; then
        apt_install "${obtainable[@]}"
    fi
}

if $with_packages; then
    install_packages
fi
if $with_build; then
    # below /usr/local, where the linker, pkg-config and Python of Debian look: on a bare system Meson would choose lib64
    configure build -Dbuildtype=release -Dwerror=$strict -Dlibdir=lib \
        -Dpython.platlibdir="$(python3 -c 'import sys; print("lib/python%d.%d/dist-packages" % sys.version_info[:2])')"
    compile build
    echo "setup: ready in build/"
fi
