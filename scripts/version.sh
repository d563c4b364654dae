#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the version, MAJOR.MINOR.PATCH, that include/cairn/version.h states.
set -eu
header="$(dirname "$0")/../include/cairn/version.h"
for part in MAJOR MINOR PATCH; do
    sed -n "s/^#define CAIRN_VERSION_$part //p" "$header"
done | paste -sd .
