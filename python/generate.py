# SPDX-License-Identifier: Apache-2.0
# Writes the C source of the extension module from the public headers, so that it cannot fall behind.
"""usage: generate.py ROOT OUTPUT.c COMPILER..."""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

STANDARD = ("float.h", "limits.h", "math.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h")


def declarations(root, compiler):
    """What the public headers declare, without what C's own headers do."""
    with tempfile.TemporaryDirectory() as folder:
        for name in STANDARD:
            (pathlib.Path(folder) / name).write_text("", encoding="utf-8")
        text = subprocess.run(
            [*compiler, "-E", "-P", "-nostdinc", "-U__GNUC__", "-undef", "-I", folder, "-I",
             str(root / "include"), str(root / "include/cairn/cairn.h")],
            check=True, capture_output=True, text=True).stdout
    # cffi writes pointers to arrays of constants wrong
    text = re.sub(r"\bconst (\w+)\s*(\(\*\w*\)\[)", r"\1 \2", text)
    # functions that are defined in a header have no address to link with
    return re.sub(r"static inline [^{]*\{(?:[^{}]|\{[^{}]*\})*\}", "", text)


def callbacks(text):
    """The functions that the engine calls and Python answers, from their part of helper.h."""
    part = text.split("// callbacks", 1)[1].split("// end of callbacks", 1)[0]
    return 'extern "Python" {' + part + "}"


def helpers(text):
    return text.split("// helpers", 1)[1].split("// end of helpers", 1)[0]


def builder(root, compiler):
    root = pathlib.Path(root)
    helper = (root / "python/helper.h").read_text(encoding="utf-8")
    builder = cffi.FFI()
    builder.cdef(declarations(root, compiler) + helpers(helper) + callbacks(helper))
    builder.set_source("cairn._cairn", '#include "helper.h"\n')
    return builder


if __name__ == "__main__":
    builder(sys.argv[1], sys.argv[3:]).emit_c_code(sys.argv[2])
