#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the commit that is checked out, in build/packages/, and tries them.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

usage()
{
    cat <<'TEXT'
usage: scripts/packages.sh [--no-doc] [--no-packages] [--no-build] [--try] [--wheel]

Builds cairn, cairn-mpi, libcairn0.1, libcairn-dev, python3-cairn and cairn-doc, and looks at them with lintian.
Install them with
    apt install ./build/packages/*.deb

  --no-doc        leave cairn-doc out, which takes the longest
  --no-packages   install nothing that the build needs
  --no-build      take the packages that are there
  --try           install them in a bare system of their own (debootstrap, as root), run the command
                  and the Python package there, and remove them again
  --wheel         build a wheel of the Python package too, and try it in an environment of its own
  -h, --help      this text

Ends with status 4 where no bare system can be made to try them in.
TEXT
}

with_doc=true
with_packages=true
with_build=true
with_try=false
with_wheel=false
for option in "$@"; do
    case $option in
    --no-doc) with_doc=false ;;
    --no-packages) with_packages=false ;;
    --no-build) with_build=false ;;
    --try) with_try=true ;;
    --wheel) with_wheel=true ;;
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
out=$root/build/packages

install_tools()
{
    scripts/setup.sh --no-build --with-ranks
    if $with_doc; then
        scripts/setup.sh --no-build --with-docs
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
        build-essential debhelper debootstrap dh-python dpkg-dev git lintian python3 </dev/null
}

build_packages()
{
    local profiles='' kind=binary
    if ! $with_doc; then
        profiles=nodoc
        kind=any
    fi
    rm -rf -- "$out"
    mkdir -p -- "$out/source"
    git archive HEAD | tar -x -C "$out/source"
    (cd -- "$out/source" && DEB_BUILD_PROFILES=$profiles dpkg-buildpackage -us -uc \
        --build="$kind")
    rm -rf -- "$out/source"
    ls -l -- "$out"/*.deb
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error,warning "$out"/*.changes
    fi
}

# the first archive that this system installs from
archive()
{
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk '$2 !~ /security|updates|backports/ { print $1; exit }'
}

in_room()
{
    $as_root env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$room" "$@"
}

# the same tower from the command, from two processes and from Python: the same bits
try_room()
{
    in_room sh -c 'apt-get -q -y --no-install-recommends install /packages/*.deb </dev/null'
    local said hash
    local tower=(cairn run /usr/share/cairn/scenes/kapla_tower.lua --set rings=3 --until 0.2
        --json --quiet --out /tmp/run)
    said=$(in_room "${tower[@]}")
    hash=$(in_room python3 -c "
import cairn
world = cairn.load('kapla_tower', rings=3)
world.run(until=0.2)
print(world.state_hash)")
    echo "packages: state hash of the tower from Python: $hash"
    case $said in
    *"$hash"*) ;;
    *)
        echo "packages: the command has another state: $said" >&2
        exit 1
        ;;
    esac
    said=$(in_room mpirun --allow-run-as-root --oversubscribe -n 2 "${tower[@]}")
    case $said in
    *"$hash"*) ;;
    *)
        echo "packages: two processes have another state: $said" >&2
        exit 1
        ;;
    esac
    in_room sh -c 'ls -l /usr/share/man/man1/cairn.1.gz /usr/share/applications/cairn.desktop \
        /usr/share/bash-completion/completions/cairn* /usr/lib/*/pkgconfig/cairn.pc'
    in_room apt-get -q -y purge cairn cairn-mpi libcairn0.1 libcairn-dev python3-cairn </dev/null
    local left
    left=$(in_room find / -xdev -path /packages -prune -o -path /proc -prune -o \
        -path /tmp -prune -o -path /usr/share/zoneinfo -prune -o -name '*cairn*' -print)
    if [ -n "$left" ]; then
        echo "packages: left behind after the purge: $left" >&2
        exit 1
    fi
    echo "packages: installed, tried and purged"
}

try_packages()
{
    room=$(mktemp -d)
    trap '$as_root rm -rf --one-file-system -- "$room"' EXIT
    if ! $as_root debootstrap --variant=minbase bookworm "$room" "$(archive)"; then
        echo "packages: a bare system cannot be made here" >&2
        exit 4
    fi
    $as_root cp /etc/resolv.conf "$room/etc/resolv.conf"
    # what this system needs to reach the archive
    $as_root cp -r /etc/apt/apt.conf.d/. "$room/etc/apt/apt.conf.d/"
    $as_root mkdir -- "$room/packages"
    $as_root cp -- "$out"/cairn_*.deb "$out"/cairn-mpi_*.deb "$out"/libcairn*.deb "$out"/python3-cairn_*.deb \
        "$room/packages"
    $as_root rm -f -- "$room"/packages/*dbgsym*
    in_room apt-get -q update
    try_room
}

build_wheel()
{
    configure build -Dbuildtype=release
    compile build
    rm -rf -- build/wheel
    # Debian's interpreter has the packages that setup.sh installs; another may come first in PATH
    local python=/usr/bin/python3
    if [ ! -x "$python" ]; then
        python=python3
    fi
    (cd -- python && CAIRN_BUILD=$root/build "$python" -m build --wheel --no-isolation \
        --outdir "$root/build/wheel")
    rm -rf -- build/wheel/room python/build python/*.egg-info
    "$python" -m venv --system-site-packages build/wheel/room
    build/wheel/room/bin/pip install --no-index --no-deps build/wheel/*.whl
    (cd -- build/wheel && env -u PYTHONPATH CAIRN_SCENES="$root/scenes/library" room/bin/python -c "
import cairn
world = cairn.load('kapla_tower', rings=3)
world.run(until=0.2)
print('packages: from the wheel', cairn.__file__, world.state_hash)")
}

# shellcheck source=scripts/common.sh
. scripts/common.sh
if $with_packages; then
    install_tools
fi
if $with_build; then
    build_packages
fi
if $with_wheel; then
    build_wheel
fi
if $with_try; then
    try_packages
fi
