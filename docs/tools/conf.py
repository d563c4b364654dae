# SPDX-License-Identifier: Apache-2.0
# Settings of the documentation site; scripts/docs.sh builds it.
import importlib.util
import os
import re
import sys

sys.path.insert(0, os.path.abspath("tools"))
import link_terms
import theme

with open("include_version.h", encoding="utf-8") as header:
    numbers = re.findall(r"#define CAIRN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read())

project = "cairn"
author = "The cairn authors"
copyright = author
release = version = ".".join(numbers)
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
if importlib.util.find_spec("sphinx_copybutton"):
    extensions.append("sphinx_copybutton")
breathe_projects = {"cairn": "_doxygen/xml"}
breathe_default_project = "cairn"
breathe_default_members = ("members",)
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
autodoc_member_order = "bysource"
myst_enable_extensions = ["dollarmath", "deflist", "amsmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_doxygen", "_work", "_generated", "README.md", "tools"]
html_theme = "furo"
html_title = f"cairn {release}"
html_logo = html_favicon = "logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = "tools/scorer.js"
# the copy beside the pages: the site works without a network
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS-MML_HTMLorMML"
# MyST marks all text as none of mathematics but what has these classes
mathjax2_config = {"tex2jax": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]],
                               "processClass": "tex2jax_process|mathjax_process|math"}}


def keep_lines(_app, _what, _name, _object, _options, lines):
    """Docstrings are plain text: their lines and indents stay as they are."""
    lines[:] = ["| " + re.sub(r"([\\*`|_])", r"\\\1", line) for line in lines] + [""]


def setup(app):
    link_terms.connect(app)
    theme.connect(app)
    app.connect("autodoc-process-docstring", keep_lines)
    from pygments.lexers.special import TextLexer

    for name in ("csv", "obj"):
        app.add_lexer(name, TextLexer)
