# SPDX-License-Identifier: Apache-2.0
# Averages over regions against closed forms.
"""usage: test_measures.py PROGRAM ROOT"""
import math

from command import Folder, check, check_error, check_status, finish

R, M, G = 0.05, 2.0, 9.81
REGION = "region = { min = {-0.1, -0.1, -0.02}, max = {0.1, 0.1, 0.28} }"
ALL = "".join(f'sensor{{ name = "{q}", {REGION}, quantity = "{q}" }}\n'
              for q in ("stress", "fabric", "coordination", "porosity", "temperature", "mass"))

BAD = {
    "quantity": (f'sensor{{ name = "a", {REGION}, quantity = "force" }}', r"bad\.lua:2: .*a region has no force"),
    "both": (f'sensor{{ name = "a", body = "ground", {REGION}, quantity = "stress" }}', r"bad\.lua:2: .*name and quantity"),
    "body": ('sensor{ name = "a", body = "ground", quantity = "stress" }', r"bad\.lua:2: .*stress is of regions"),
    "empty": ('sensor{ name = "a", region = { min = {0,0,0}, max = {0,1,1} }, quantity = "stress" }', r"bad\.lua:2: .*empty"),
}


def last_row(folder):
    head, *_, row = folder.read("r/sensors.csv").splitlines()
    return dict(zip(head.split(","), map(float, row.split(","))))


def close(row, name, expected, relative):
    value = next(v for k, v in row.items() if k.startswith(name))
    check(abs(value - expected) <= relative * abs(expected) + 1e-9, f"{name} = {value}, expected {expected}")


def check_tower(pair, step):
    """Four spheres on top of each other: three in the region, with the weight of those above."""
    volume = 0.2 * 0.2 * 0.3
    text = f"simulation{{ step = {step}, end_time = 1, tolerance = 1e-10 }}\npair{{ {pair} }}\nground{{}}\n" + "".join(
        f"body{{ shape = sphere{{ radius = {R} }}, mass = {M}, position = {{0, 0, {(2 * i + 1) * R}}} }}\n"
        for i in range(4))
    with Folder() as folder:
        folder.write("a.lua", text + ALL)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--paraview-every", "0", "--energy-every", "100"),
                     0, pair)
        row = last_row(folder)
        # contacts with 4, 3 and 2 weights are inside, that of the fourth on the third is outside
        inside = 4 * R + 3 * 2 * R + 2 * 2 * R
        value = row["stress stress zz [Pa]"] * volume / (M * G)
        check(abs(value - inside) < 1e-3 * inside, f"{pair}: stress {value}")
        check(abs(row["stress stress xx [Pa]"]) < 1e-3 * row["stress stress zz [Pa]"], f"{pair}: xx")
        close(row, "fabric fabric zz", 1.0, 1e-9)
        close(row, "coordination", 2.0, 1e-12)
        close(row, "porosity", 1 - 3 * 4 / 3 * math.pi * R**3 / volume, 1e-12)
        close(row, "mass", 3 * M, 1e-12)


def check_gas():
    """Spheres that fly: temperature and kinetic stress of velocities that are known."""
    speeds = [(3, 0, 0), (-1, 2, 0), (0, 0, 5), (2, -2, 1)]
    masses = [1, 2, 3, 4]
    text = "simulation{ step = 1e-6, end_time = 1e-6 }\ngravity{ 0, 0, 0 }\n" + "".join(
        f"body{{ shape = sphere{{ radius = 0.01 }}, mass = {m}, position = {{{0.05 * i - 0.08}, 0, 0.1}}, "
        f"velocity = {{{v[0]}, {v[1]}, {v[2]}}} }}\n" for i, (m, v) in enumerate(zip(masses, speeds)))
    with Folder() as folder:
        folder.write("a.lua", text + ALL)
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "gas")
        row, total = last_row(folder), sum(masses)
        mean = [sum(m * v[k] for m, v in zip(masses, speeds)) / total for k in range(3)]
        away = [[v[k] - mean[k] for k in range(3)] for v in speeds]
        for name, i, j in (("xx", 0, 0), ("zz", 2, 2), ("xy", 0, 1), ("yz", 1, 2)):
            close(row, f"stress stress {name}", sum(m * a[i] * a[j] for m, a in zip(masses, away)) / 0.012, 1e-12)
        close(row, "temperature", sum(m * a[k]**2 for m, a in zip(masses, away) for k in range(3)) / (3 * total), 1e-12)
        close(row, "coordination", 0, 0)


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", "ground{}\n" + text + "\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)


check_tower("friction = 0.5", "1/500")
check_tower('law = "hertz_mindlin", young_modulus = 1e9', "1e-5")
check_gas()
check_bad()
finish()
