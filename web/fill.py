# SPDX-License-Identifier: Apache-2.0
# Fills web/built/live.html with the module, its worker and scenes: a page in which scenes run, in one file.
"""usage: fill.py ROOT MODULE.js HASHES OUT.html [SCENE...]

HASHES is the program of tests/portable/hashes.c for this machine: its hash of each scene is what the page compares
with. MODULE.js is cli/live/cairn_live.js of a build for WebAssembly, with its .wasm beside it.
"""
import base64
import json
import os
import subprocess
import sys
import zlib

# name: steps after which hashes are compared, about the middle of what is shown
SCENES = {"kapla_tower": 200, "rag_dolls": 500, "sphere_heap": 3000, "domino": 1000, "rockfall": 500}
LICENCES = """The module in this page is compiled from cairn (Apache-2.0) and holds
Lua 5.4, Copyright 1994-2022 Lua.org, PUC-Rio (MIT);
Qhull 2020.2, Copyright 1993-2020 C.B. Barber and The Geometry Center, whose source is at www.qhull.org;
AMD, Copyright 1996-2022 T.A. Davis, P.R. Amestoy and I.S. Duff (BSD-3-Clause);
CXSparse, Copyright 2006-2022 T.A. Davis (LGPL-2.1-or-later; its source is the package suitesparse of Debian);
musl, Copyright 2005-2020 Rich Felker and others (MIT), and the runtime of Emscripten (MIT)."""


def block(name, data):
    letters = base64.b64encode(zlib.compress(data, 9)).decode()
    return f'<script type="text/plain" class="block" data-name="{name}">{letters}</script>\n'


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    root, module, hashes, out, *scenes = sys.argv[1:]
    library = os.path.join(root, "scenes/library")
    known, files = [], []
    for name in scenes or SCENES:
        path = os.path.join(library, name + ".lua")
        files.append({"path": f"/scenes/{name}.lua", "text": read(path).decode()})
        said = subprocess.run([hashes, path, str(SCENES[name])], check=True, capture_output=True, text=True).stdout
        known.append({"name": name, "path": files[-1]["path"], "steps": SCENES[name], "hash": said.split()[0]})
    worker = read(module) + b"\n" + read(os.path.join(root, "web/live/worker.js"))
    blocks = "".join(block(name, data) for name, data in (
        ("files", json.dumps(files).encode()), ("scenes", json.dumps(known).encode()), ("worker", worker),
        ("wasm", read(module.removesuffix(".js") + ".wasm"))))
    page = read(os.path.join(root, "web/built/live.html")).decode()
    assert page.count("<!--blocks-->") == 1
    page = page.replace("<!--blocks-->", f"<!-- {LICENCES} -->\n{blocks}")
    with open(out, "w", encoding="utf-8") as file:
        file.write(page)
    print(f"{out}: {len(page)} bytes, {len(known)} scenes")


main()
