# SPDX-License-Identifier: Apache-2.0
# Steps that the scripts share; sourced from the root of the tree.
# shellcheck shell=bash

export LC_ALL=C.UTF-8

# configure DIRECTORY OPTION...: makes a build directory, or brings an existing one up to date;
# one that cannot be brought up to date (another place, another Meson) is made anew
configure()
{
    local directory=$1
    shift
    if [ ! -f "$directory/meson-private/coredata.dat" ]; then
        meson setup "$directory" "$@"
    elif ! meson setup --reconfigure "$directory" "$@"; then
        meson setup --wipe "$directory" "$@"
    fi
}

compile()
{
    ninja -C "$1" -j "$(nproc)"
}
