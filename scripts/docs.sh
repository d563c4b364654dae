#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation site in build/docs/html, without a network: pictures and plots by the
# built command, pages by Sphinx. Warnings are errors.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

usage="usage: scripts/docs.sh [--no-films] [BUILD_FOLDER]    (default build; cairn must have been built there)"
films=()
case ${1:-} in
--help)
    echo "$usage"
    exit 0
    ;;
--no-films)
    films=(--no-films)
    shift
    ;;
-*)
    echo "docs: unknown option \"$1\"; $usage" >&2
    exit 2
    ;;
esac
build=${1:-build}
if [ ! -x "$build/cairn" ]; then
    echo "docs: $build/cairn is missing; scripts/setup.sh --with-docs builds it" >&2
    exit 1
fi
if ! /usr/bin/python3 -c 'import breathe, sphinx, myst_parser, furo, matplotlib, nbclient, ipykernel' 2>/dev/null ||
    ! command -v doxygen >/dev/null; then
    echo "docs: Doxygen, Breathe, Sphinx, MyST, Furo, Matplotlib, nbclient or ipykernel is missing; scripts/setup.sh --with-docs installs them" >&2
    exit 4
fi

build=$(realpath -- "$build")
site=$build/docs
rm -rf -- "$site"
mkdir -p -- "$site/source" "$site/source/_static"
cp -R -- docs/. "$site/source"
cp -- docs/tools/conf.py assets/logo.svg "$site/source"
cp -- docs/tools/site.css "$site/source/_static"
cp -- include/cairn/version.h "$site/source/include_version.h"
# links out of the folder lead to the files of the source
for pages in "" notes/ howto/ tutorial/; do
    out=${pages:+../}../
    sed -i "s#\[\([^]]*\)\](${out//./\\.}\([^)]*\))#\`\2\`#g" "$site/source/$pages"*.md
done
if [ -d /usr/share/javascript/mathjax ]; then
    cp -R -- /usr/share/javascript/mathjax "$site/source/_static/"
    rm -rf -- "$site/source/_static/mathjax/"{docs,test,unpacked}
fi
# the built package tells what the page of Python lists
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 docs/tools/make_pictures.py "${films[@]}" "$build/cairn" docs "$site/source"
# the page that runs scenes is made by scripts/machines.sh --page, from sources of Debian's
if [ -e build-webassembly/live.html ]; then
    echo '<iframe src="../live.html" title="Scenes that run here" style="width:100%;height:640px;border:0"></iframe>' \
        >"$site/source/_generated/live.md"
else
    echo '*This site was built without the page: `scripts/machines.sh --page` makes it.*' \
        >"$site/source/_generated/live.md"
fi
mkdir -p -- "$site/source/_doxygen"
{
    cat docs/tools/Doxyfile
    echo "INPUT = \"$root/include/cairn\""
    echo "STRIP_FROM_PATH = \"$root/include\""
    echo "OUTPUT_DIRECTORY = \"$site/source/_doxygen\""
    echo "INPUT_FILTER = \"/usr/bin/python3 docs/tools/header_filter.py\""
} | doxygen -
(cd -- "$site/source" && /usr/bin/python3 -m sphinx -q -W --keep-going -b html . ../html)
if grep -q iframe "$site/source/_generated/live.md"; then
    cp -- build-webassembly/live.html "$site/html/live.html"
fi
# Sphinx wraps formulas of several lines in an environment that takes no number: \\cr ends their lines
if grep -lE 'begin\{split\}.*\\tag\{' "$site"/html/*.html; then
    echo "docs: a numbered formula of these pages has \\\\ in it; write \\cr" >&2
    exit 1
fi
/usr/bin/python3 docs/tools/check_site.py "$site/html"
echo "docs: $site/html/index.html"
