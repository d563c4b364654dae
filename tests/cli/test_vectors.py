# SPDX-License-Identifier: Apache-2.0
# Whatever vectors the kernels use, every step has the same state.
"""usage: test_vectors.py PROGRAM ROOT"""
import os
import subprocess

from command import PROGRAM, Folder, check, check_error, check_status, finish, load

KINDS = ["scalar", "avx2", "avx512"]
HEAP = ["sphere_heap", "--set", "spheres=300", "--until", "0.05"]
TOWER = ["kapla_tower", "--set", "rings=3", "--until", "0.1"]
# the sphere executor, and the solvers that factor blocks
RUNS = {
    "hooke": HEAP + ["--law", "hooke", "--threads", "2"],
    "hertz_mindlin": HEAP + ["--law", "hertz_mindlin"],
    "newton_natural_map": TOWER + ["--solver", "newton_natural_map"],
    "apgd_following": ["granular_column", "--law", "signorini_coulomb", "--solver", "apgd_following", "--tolerance",
                       "1e-6", "--step", "0.001", "--set", "length=8", "--set", "aspect=1", "--set", "gap=0.005",
                       "--until", "0.1", "--accept-unsolved"],
    "nipm": TOWER + ["--solver", "nipm"],
    "paln": TOWER + ["--solver", "paln"],
    "joints": ["rag_dolls", "--until", "0.1"],
}


def run_of(folder, name, words, kind):
    out = f"{name}_{kind}"
    result = folder.cairn("run", *words, "--out", out, "--hash", out + ".csv", "--vectors", kind, "--quiet",
                          "--paraview-every", "0")
    check_status(result, 0, f"{name}, {kind}")
    used = load(folder.read(out + "/resolved.json"))["simulation"]["vectors"]
    return folder.read(out + ".csv") + folder.read(out + "/energy.csv"), used


def check_kinds(folder, name, words, longest):
    hashes = {}
    for kind in KINDS:
        hashes[kind], used = run_of(folder, name, words, kind)
        expected = min(kind, longest, key=KINDS.index)
        check(used == expected, f"{name}: {kind} uses {used}, not {expected}")
    check(len(hashes["scalar"].splitlines()) > 10, f"{name}: steps")
    for kind in KINDS[1:]:
        check(hashes[kind] == hashes["scalar"], f"{name}: {kind} and scalar differ")


def check_environment(folder, longest):
    """The variable is the option's default."""
    for kind in KINDS:
        done = subprocess.run([PROGRAM, "doctor", "--json"], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, CAIRN_VECTORS=kind))
        expected = min(kind, longest, key=KINDS.index)
        check(load(done.stdout)["vectors"] == expected, f"CAIRN_VECTORS={kind}: {done.stdout}")
    check_error(folder.cairn("run", "chain", "--vectors", "sse"), 2, "sse", "vectors there are not")
    os.environ["CAIRN_VECTORS"] = "sse"
    check_error(folder.cairn("doctor"), 2, "CAIRN_VECTORS \"sse\"", "variable of vectors there are not")
    os.environ.pop("CAIRN_VECTORS")


def main():
    os.environ.pop("CAIRN_VECTORS", None)
    with Folder() as folder:
        longest = load(folder.cairn("doctor", "--json").out)["vectors"]
        print(f"this machine has {longest}")
        for name, words in RUNS.items():
            check_kinds(folder, name, words, longest)
        check_environment(folder, longest)
    finish()


main()
