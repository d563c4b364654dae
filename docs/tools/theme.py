# SPDX-License-Identifier: Apache-2.0
# Debian's build of the site's theme asks the web server for a style sheet and for a module; the site is to work from a folder too.
"""For conf.py: connect(app)."""
import os
import re
import shutil

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"


def edit(path, change):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = change(text)
    if changed != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)


def finish(app, failure):
    """The style sheet goes beside the theme's, and the two scripts into one file that is no module."""
    static = os.path.join(app.outdir, "_static")
    scripts = os.path.join(static, "scripts")
    if failure or not os.path.exists(os.path.join(scripts, "gumshoe-patched.js")):
        return
    if os.path.exists(NORMALIZE):
        shutil.copy(NORMALIZE, os.path.join(static, "styles", "normalize.css"))
        edit(os.path.join(static, "styles", "furo.css"),
             lambda text: re.sub(r"@import url\(/javascript/[^)]*\)", "@import url(normalize.css)", text))
    with open(os.path.join(scripts, "gumshoe-patched.js"), encoding="utf-8") as file:
        gumshoe = file.read()
    edit(os.path.join(scripts, "furo.js"),
         lambda text: re.sub(r'^import Gumshoe from "[^"]*";', lambda _: gumshoe, text))


def connect(app):
    app.connect("build-finished", finish)
