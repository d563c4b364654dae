# SPDX-License-Identifier: Apache-2.0
# Debian's build of the site's theme asks the web server for a style sheet and for a module, and is white on dark systems;
# the site is to work from a folder too, and to be dark there.
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


def follow_system(text):
    """Debian's build of the theme's style sheet lost the dark colours of who has not chosen, whose system is dark."""
    dark = re.search(r'body\[data-theme="dark"\] \{([^}]*)\}', text)
    if dark is None or "prefers-color-scheme" in text:
        return text
    return text + f'\n@media screen and (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{{dark.group(1)}}} }}\n'


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
    edit(os.path.join(static, "styles", "furo.css"), follow_system)
    with open(os.path.join(scripts, "gumshoe-patched.js"), encoding="utf-8") as file:
        gumshoe = file.read()
    edit(os.path.join(scripts, "furo.js"),
         lambda text: re.sub(r'^import Gumshoe from "[^"]*";', lambda _: gumshoe, text))


def connect(app):
    app.connect("build-finished", finish)
