# SPDX-License-Identifier: Apache-2.0
# The collapse of a column of rigid grains, every step to a tolerance, beside the same under springs.
"""usage: rigid_column.py FOLDER [--length N] [--aspect A] [--seed N] [--step H] [--until T]
                       [--tolerance X] [--limit SECONDS] [--friction MU] [--restitution E]

Run it with the package in PYTHONPATH. Springs bring a column (N grains long, A times as high) to
rest behind a gate; then the law becomes signorini_coulomb, with the springs' forces as the first
guess, and the gate is lifted at 1 m/s. Follows it for T s by steps of H s, each to the tolerance X
(a solve that takes longer than SECONDS ends above it; 0: no limit), and then the same column under
springs to the end, whose restitution is 0.2. FOLDER gets steps.csv, a row a step, and a checkpoint
every 100 steps. Printed are the steps and those above the tolerance, CPU time of a step and of a contact, memory,
and how far the grains ran out and how high they stand under both laws.
"""
import argparse
import csv
import pathlib
import resource
import statistics
import time

from columns import connected_front

try:
    import cairn
except ImportError as missing:
    raise SystemExit(f"{__doc__}\n{missing}: PYTHONPATH=build/python has the package, python3-numpy numpy") from None

GRAIN, OVERLAP, LIFT = 0.01, 0.001, 1.0
# of springs: the more they lose the nearer to rest is what they leave
SOFT_RESTITUTION = 0.2
# until then the column comes to rest, s, and is held by the gate a little longer under the rigid law
REST, HELD = 1.5, 0.01


def load(options):
    """A column at rest under springs, behind its gate."""
    world = cairn.load("granular_column", seed=options.seed, length=options.length, aspect=options.aspect,
                       friction=options.friction, restitution=SOFT_RESTITUTION, overlap=OVERLAP, lift=LIFT, wait=REST,
                       simulation={"correction_slop": 2.5 * OVERLAP * GRAIN, "solve_time_limit": options.limit})
    while world.time < REST - HELD:
        world.step(100)
    return world


def where_it_ends(world, options):
    """Run-out and height over the length of the column."""
    front, top = connected_front([tuple(body.position) for body in world.bodies if body.kind == "dynamic"], GRAIN)
    length = options.length * GRAIN
    return (front + 0.5 * GRAIN - length) / length, (top + 0.5 * GRAIN) / length


def follow_rigid(options):
    world = load(options)
    for names, friction in (((), options.friction), (("grain", "pane"), 0.0)):
        world.pair(*names, law="signorini_coulomb", friction=friction, restitution=options.restitution)
    world.time_step, world.tolerance = options.step, options.tolerance
    rows, end = [], REST + options.until
    with open(options.folder / "steps.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", "contacts", "iterations", "error", "pieces", "CPU time [s]"])
        while world.time < end:
            before = time.process_time()
            world.step()
            report, seconds = world.report, time.process_time() - before
            rows.append((report["contacts"], report["error"], seconds))
            table.writerow([f"{world.time:.6g}", report["contacts"], report["iterations"], f"{report['error']:.3g}",
                            report["pieces"], f"{seconds:.4f}"])
            file.flush()
            if len(rows) % 100 == 0:
                world.save(str(options.folder / "column.hdf5"))
    world.save(str(options.folder / "column.hdf5"))
    return rows, where_it_ends(world, options), sum(body.kind == "dynamic" for body in world.bodies)


def follow_springs(options):
    world = load(options)
    while world.time < REST + options.until:
        world.step(100)
    return where_it_ends(world, options)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.removeprefix("usage: "))
    parser.add_argument("folder", type=pathlib.Path)
    for name, kind, value in (("length", float, 715.0), ("aspect", float, 0.02), ("seed", int, 1),
                              ("step", float, 1e-3), ("until", float, 1.0), ("tolerance", float, 1e-6),
                              ("limit", float, 0.0), ("friction", float, 0.5), ("restitution", float, 0.0)):
        parser.add_argument("--" + name, type=kind, default=value)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows, rigid, grains = follow_rigid(options)
    contacts, errors, seconds = zip(*rows)
    per_contact = [1e6 * each / most for each, most in zip(seconds, contacts) if most > 0]
    above = sum(error > options.tolerance for error in errors)
    print(f"{grains} grains, {len(rows)} steps, {above} above {options.tolerance:g}, the worst {max(errors):.2g}; "
          f"contacts at most {max(contacts)}")
    print(f"CPU time of a step, s: median {statistics.median(seconds):.3f}, mean {statistics.mean(seconds):.3f}, "
          f"most {max(seconds):.2f}; of a contact, us: median {statistics.median(per_contact):.1f}, "
          f"mean {statistics.mean(per_contact):.1f}")
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", flush=True)
    springs = follow_springs(options)
    print(f"run-out over the length: rigid {rigid[0]:.4f}, springs {springs[0]:.4f}; "
          f"height: {rigid[1]:.4f}, {springs[1]:.4f}")


if __name__ == "__main__":
    main()
