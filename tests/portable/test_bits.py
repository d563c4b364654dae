# SPDX-License-Identifier: Apache-2.0
# What is compiled for AArch64 compiles there without a warning, and what a step is made of gives the same bits.
"""usage: test_bits.py ROOT

Skipped (77) without Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
OPTIONS = ["-std=gnu17", "-O2", "-ffp-contract=off", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
# qhull is not there for the other architecture; no hull is made here
LEFT_OUT = {"geometry/shape/hull_qhull.c"}


def sources(root):
    found = []
    for pattern in ("base/*.c", "geometry/*/*.c", "contact/laws/*.c", "contact/laws/*/*.c"):
        found += glob.glob(os.path.join(root, pattern))
    return [path for path in sorted(found) if os.path.relpath(path, root) not in LEFT_OUT]


def build(root, compiler, folder, paths):
    """Objects of all sources, linked into a program; what only files left out define is not called."""
    include = ["-I" + root, "-I" + os.path.join(root, "include")]

    def compile_one(path):
        out = os.path.join(folder, os.path.relpath(path, root).replace("/", "_") + ".o")
        subprocess.run([compiler, *OPTIONS, *include, "-c", path, "-o", out], check=True)
        return out

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, paths))
    program = os.path.join(folder, "bits")
    subprocess.run([compiler, "-static", "-Wl,--unresolved-symbols=ignore-all", "-o", program, *objects, "-lm",
                    "-lpthread"], check=True)
    return program


def main():
    root = os.path.abspath(sys.argv[1])
    if shutil.which(COMPILER) is None or shutil.which(EMULATOR) is None:
        print(f"skipped: {COMPILER} or {EMULATOR} is not there")
        return 77
    paths = sources(root) + [os.path.join(root, "tests/portable/bits.c")]
    said = {}
    with tempfile.TemporaryDirectory(prefix="cairn-bits-") as folder:
        for name, compiler, before in (("x86-64", "gcc", []), ("aarch64", COMPILER, [EMULATOR])):
            place = os.path.join(folder, name)
            os.mkdir(place)
            program = build(root, compiler, place, paths)
            said[name] = subprocess.run([*before, program], check=True, text=True, stdout=subprocess.PIPE).stdout
        # the filter of system calls has a branch of its own there
        subprocess.run([COMPILER, *OPTIONS, "-I" + root, "-I" + os.path.join(root, "include"), "-c",
                        os.path.join(root, "cli/process/confine.c"), "-o", os.path.join(folder, "confine.o")], check=True)
    first, second = said.values()
    print(first)
    for one, other in zip(first.splitlines(), second.splitlines()):
        if one != other:
            print(f"FAILED: {one} on x86-64, {other} on AArch64")
    return 0 if first == second else 1


if __name__ == "__main__":
    sys.exit(main())
