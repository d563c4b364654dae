# SPDX-License-Identifier: Apache-2.0
# Settings of the documentation site; scripts/docs.sh builds it.
import re

with open("include_version.h", encoding="utf-8") as header:
    numbers = re.findall(r"#define CAIRN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read())

project = "cairn"
author = "The cairn authors"
copyright = author
release = version = ".".join(numbers)
extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist", "amsmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_work", "_generated", "README.md", "tools"]
html_theme = "furo"
html_title = f"cairn {release}"
html_static_path = ["_static"]
# the copy beside the pages: the site works without a network
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS-MML_HTMLorMML"
mathjax2_config = {"tex2jax": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]]}}


def setup(app):
    from pygments.lexers.special import TextLexer

    for name in ("csv", "obj"):
        app.add_lexer(name, TextLexer)
