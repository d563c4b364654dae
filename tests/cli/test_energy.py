# SPDX-License-Identifier: Apache-2.0
# The energy balance of four scenes over their whole runs at their own steps, term by term.
"""usage: test_energy.py PROGRAM ROOT"""
import csv

from command import Folder, check, check_status, finish, load

GRAVITY = 9.81
# parts of what was dissipated: how much penetration removal may lift, and which kind dissipates most
SCENES = {"chain": (0.05, "impact"), "box_stack": (0.01, "impact"), "kapla_tower": (0.01, "impact"),
          "capsules": (0.01, "impact")}
# fewer bodies where the whole run would take minutes
SETTINGS = {"capsules": ("--set", "capsules=50")}
SINKS = ["impact dissipation", "friction dissipation", "damping dissipation", "plastic dissipation"]
STORES = ["kinetic", "potential", "elastic"]
SOURCES = ["drivers", "correction", "joints"]


def rows_of(folder, name):
    with open(f"{folder.path}/{name}", newline="") as file:
        return list(csv.DictReader(file))


def number(row, name):
    return float(row[next(key for key in row if key.startswith(name))])


def weigh(folder, scene):
    """Potential and kinetic energy of the centres of mass from where the bodies ended."""
    info = load(folder.cairn("info", scene, *SETTINGS.get(scene, ()), "--json").out)
    mass = info["mass"] / info["dynamic"]
    potential = kinetic = 0.0
    for row in rows_of(folder, f"r_{scene}/bodies.csv"):
        if row["kind"] != "dynamic":
            continue
        potential += mass * GRAVITY * number(row, "position z")
        kinetic += 0.5 * mass * sum(number(row, f"velocity {axis}") ** 2 for axis in "xyz")
    return potential, kinetic


def check_terms(scene, rows, dissipated, lift, largest):
    """Each term for itself: what cannot be is zero, and no step gives energy back."""
    last = rows[-1]
    for name in ("drivers", "joints", "elastic", "damping dissipation", "plastic dissipation"):
        check(number(last, name) == 0.0, f"{scene}: {name} is {number(last, name)}")
    check(0.0 <= number(last, "correction") <= lift * dissipated,
          f"{scene}: penetration removal lifts {number(last, 'correction')} J")
    # a contact that turns back within a step books friction below zero and impact as much above it
    both = [sum(number(row, sink) for sink in SINKS) for row in rows]
    check(max(a - b for a, b in zip(both, both[1:])) <= 1e-6 * dissipated, f"{scene}: a step gives energy back")
    friction = [number(row, "friction dissipation") for row in rows]
    back = sum(max(a - b, 0.0) for a, b in zip(friction, friction[1:]))
    check(back <= 0.01 * dissipated, f"{scene}: friction gives back {back} J")
    check(number(last, largest) == max(number(last, sink) for sink in SINKS), f"{scene}: {largest} is not most")


def check_balance(folder, scene, lift, largest):
    result = folder.cairn("run", scene, "--out", "r_" + scene, "--quiet", "--paraview-every", "0",
                          "--trajectory-every", "0", *SETTINGS.get(scene, ()), timeout=280)
    check_status(result, 0, scene)
    rows = rows_of(folder, f"r_{scene}/energy.csv")
    first, last = rows[0], rows[-1]
    dissipated = sum(number(last, sink) for sink in SINKS)
    given = sum(number(first, store) for store in STORES) + sum(number(last, source) for source in SOURCES)
    kept = sum(number(last, store) for store in STORES)
    missing = given - kept - dissipated
    print(f"{scene}: " + ", ".join(f"{name} {number(last, name):.6g}" for name in
                                   STORES + SOURCES + SINKS[:2] + ["residual"]) +
          f"; at the start {given - sum(number(last, source) for source in SOURCES):.6g} J; "
          f"missing {missing / dissipated:.2g} of the dissipated {dissipated:.6g} J")
    check(dissipated > 0.0 and abs(missing) <= 0.01 * dissipated, f"{scene}: {missing} J are missing")
    check(abs(missing + number(last, "residual")) <= 1e-9 * abs(given) + 1e-12,
          f"{scene}: the residual {number(last, 'residual')} is not what is missing, {missing}")
    potential, kinetic = weigh(folder, scene)
    check(abs(potential - number(last, "potential")) <= 1e-9 * abs(potential),
          f"{scene}: potential {number(last, 'potential')}, of the bodies {potential}")
    check(kinetic <= number(last, "kinetic") * (1 + 1e-9), f"{scene}: kinetic {number(last, 'kinetic')} < {kinetic}")
    check_terms(scene, rows, dissipated, lift, largest)


with Folder() as folder:
    for name, bounds in SCENES.items():
        check_balance(folder, name, *bounds)
finish()
