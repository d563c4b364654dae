# SPDX-License-Identifier: Apache-2.0
# The pages that are kept (web/built): their policies hold their own scripts alone, and they are what the sources build.
"""usage: test_bundle.py ROOT"""
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
WEB = os.path.join(ROOT, "web")
# what would make a part of the page from a text
WAYS_IN = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|\bfetch\(|"
                     r"XMLHttpRequest|WebSocket|importScripts|setTimeout\(['\"]|https?://")
failures = 0


def check(truth, what):
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {what}")


def read(name):
    with open(os.path.join(WEB, name), encoding="utf-8") as file:
        return file.read()


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_policy(name, page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    check(rules["default-src"] == "'none'", "nothing is asked for")
    own = hash_of(script)
    if name == "live.html":
        # the worker is a text of the page, and what it compiles is WebAssembly
        own += " blob: 'wasm-unsafe-eval'"
        check(rules["worker-src"] == "blob:", "no worker but from a text of the page")
    check(rules["script-src"] == own, f"{name}: no script but the page's own")
    check(rules["style-src"] == hash_of(style), "no style but the page's own")
    check(rules["require-trusted-types-for"] == "'script'" and rules["trusted-types"] == {"live.html": "cairn-worker"}.get(name, "'none'"),
          "no text becomes a part of the page")
    check(page.count("<!--blocks-->") == 1, "one place for what a run brings")
    check(page.count("<script") == 1 and not re.search(r"<(link|img|iframe)[^>]*(?:src|href)=\"(?!data:)", page),
          "nothing stands elsewhere")
    check("three.js authors" in page and "Permission is hereby granted" in page, "the licence of three.js is in it")


def check_sources():
    for name in sorted(os.listdir(os.path.join(WEB, "source"))):
        if name.endswith(".js"):
            found = WAYS_IN.search(read("source/" + name))
            check(found is None, f"web/source/{name}: {found and found.group()}")
    lock = json.loads(read("package-lock.json"))
    wanted = json.loads(read("package.json"))["devDependencies"]
    for name, version in wanted.items():
        check(re.fullmatch(r"\d+\.\d+\.\d+", version) is not None, f"{name} has one version: {version}")
        check(lock["packages"]["node_modules/" + name]["version"] == version, f"{name} is locked")
    for name, package in lock["packages"].items():
        check("resolved" not in package, f"{name}: the lock names no host")
        check(name == "" or "integrity" in package, f"{name}: its hash is locked")


def check_build(pages):
    if shutil.which("node") is None or not os.path.isdir(os.path.join(WEB, "node_modules")):
        print("not built anew: node or web/node_modules is missing (npm ci in web/)")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["node", os.path.join(WEB, "build.js"), folder], check=True)
        for name, page in pages.items():
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                check(file.read() == page, f"web/built/{name} is not what web/source builds: node web/build.js")


kept = {name: read("built/" + name) for name in ("replay.html", "live.html")}
for page_name, text in kept.items():
    check_policy(page_name, text)
check_sources()
check_build(kept)
print(f"{failures} failures, pages of {[len(text) for text in kept.values()]} bytes")
sys.exit(1 if failures else 0)
