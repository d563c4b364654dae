# SPDX-License-Identifier: Apache-2.0
# Plots of the contact laws as `cairn law` evaluates them, and tables of their parameters as `cairn list laws` tells them.
"""A plot has two halves. On the left is the normal force over the overlap, each curve a sweep of `cairn law`;
on the right the force along the surface: over the way that B slides to and fro at an overlap that stays, over the
sliding velocity, or over the overlap at which a bond is turned.
"""
import csv
import io
import json
import sys

import matplotlib.pyplot as plt

MICRO = 1e6
OVERLAP, FORCE, ALONG = "overlap [m]", "F_n [N]", "F_t1 [N]"

# curves of the normal force: label, parameters, overlaps from and to, whether one evaluation follows the other
SPEEDS = [(f"{name} at {speed} m/s" if speed else "at rest", [f"v_n={sign * speed}"], 0.0, 1e-4, False)
          for name, sign, speed in (("approaching", -1, 0.1), ("", 0, 0.0), ("separating", 1, 0.1))]
LEFT = {
    "hooke": SPEEDS,
    "hertz_mindlin": SPEEDS,
    "mindlin_deresiewicz": SPEEDS,
    "spring_dashpot": [(label, ["dashpot=100", "variant=explicit", *given], *rest)
                       for label, given, *rest in SPEEDS],
    "incremental": [("1e6 N/m", [], 0.0, 1e-4, False),
                    ("from a modulus of 2e8 Pa", ["young_modulus=2e8"], 0.0, 1e-4, False)],
    "exudyn_sphere": [
        ("loading", ["contact_plasticity_ratio=0.7", "adhesion_coefficient=5e4"], 0.0, 1e-4, True),
        ("unloading from there", ["contact_plasticity_ratio=0.7", "adhesion_coefficient=5e4",
                                  "plastic_overlap=7e-5"], 1e-4, 0.0, True),
        ("without plasticity, exponent 1.5", ["contact_stiffness=1e7", "contact_stiffness_exponent=1.5"],
         0.0, 1e-4, False)],
    "adhesive": [(name, ["adhesion=" + name, *given], 3e-5, -5e-5, True)
                 for name, given in (("jkr", ["surface_energy=2"]), ("dmt", ["surface_energy=2"]),
                                     ("capillary", ["surface_tension=1", "bridge_volume=1e-13"]))],
    "parallel_bond": [("bond, pulled until it breaks", ["bonds=always", "tensile_strength=3e4"], 1e-6, -4e-5,
                       True),
                      ("without a bond", ["restitution=1"], 0.0, 2e-5, False)],
}
# common to all curves of a law
GIVEN = {"exudyn_sphere": ["contact_stiffness=1e5"]}
# the force along the surface: overlap and largest way in m of a slow motion to and fro, or None for one over the velocity
RIGHT = {
    "hooke": ([], 1e-4, 4e-4),
    "hertz_mindlin": ([], 1e-4, 8e-5),
    "mindlin_deresiewicz": ([], 1e-4, 8e-5),
    "spring_dashpot": (["friction=0.1", "variant=explicit"], 1e-4, None),
    "incremental": ([], 1e-4, 4e-4),
    "exudyn_sphere": (["dynamic_friction=0.5", "friction_proportional_zone=0.02"], 1e-4, None),
    "adhesive": (["surface_energy=2"], 3e-5, 8e-5),
    "parallel_bond": (["bonds=always", "shear_strength=3e4"], 1e-6, 1.2e-4),
}
COUNT = 200


def sweep(run, law, given, variable, begin, end, follow, state=None):
    """@return rows of a sweep, as JSON objects"""
    words = ["law", law, "--sweep", f"{variable}={begin!r}:{end!r}:{COUNT}"]
    for each in given:
        words += ["--set", each]
    if follow:
        words.append("--follow")
    if state:
        words += ["--state", state]
    return list(csv.DictReader(io.StringIO(run(words))))


def column(rows, name):
    return [float(row[name]) for row in rows]


def draw_normal(axes, run, law):
    for label, given, begin, end, follow in LEFT[law]:
        rows = sweep(run, law, GIVEN.get(law, []) + given, "overlap", begin, end, follow)
        axes.plot([MICRO * x for x in column(rows, OVERLAP)], column(rows, FORCE), label=label)
    axes.axhline(0.0, color="grey", linewidth=0.6)
    axes.set_xlabel("overlap [µm]")
    axes.set_ylabel("normal force on B [N]")
    axes.legend(fontsize=8)


def draw_along(axes, run, law):
    given, overlap, way = RIGHT[law]
    given = GIVEN.get(law, []) + given + [f"overlap={overlap}"]
    if way is None:
        rows = sweep(run, law, given, "v_t", -0.1, 0.1, False)
        axes.plot([-0.1 + 0.2 * i / (COUNT - 1) for i in range(COUNT)], column(rows, ALONG))
        axes.set_xlabel("sliding velocity of B [m/s]")
    else:
        # the velocity falls from v to -v: B goes out by `way` and comes back; then the other way round
        speed = 1e-3
        step = 4 * way / (speed * COUNT)
        place, history, ways, forces = 0.0, [], [], []
        for sign in (1, -1, 1):
            words = given + [f"h={step!r}"] + history
            rows = sweep(run, law, words, "v_t", sign * speed, -sign * speed, True)
            for i, row in enumerate(rows):
                place += step * sign * speed * (1 - 2 * i / (COUNT - 1))
                ways.append(MICRO * place)
                forces.append(float(row[ALONG]))
            history = [f"{name.removeprefix('history ')}={value}" for name, value in rows[-1].items()
                       if name.startswith("history ")]
        axes.plot(ways, forces)
        axes.set_xlabel("way that B has slid [µm]")
    axes.axhline(0.0, color="grey", linewidth=0.6)
    axes.set_ylabel("force along the surface, on B [N]")


def draw_rigid(axes, run):
    """The rigid law answers with the impulse that keeps bodies apart: over the velocities that they would have."""
    for restitution in (0.0, 0.5):
        rows = sweep(run, "signorini_coulomb", [f"restitution={restitution}", "overlap=0", "h=0.001"], "v_n",
                     -0.1, 0.1, False)
        axes[0].plot([-0.1 + 0.2 * i / (COUNT - 1) for i in range(COUNT)],
                     [1e-3 * force for force in column(rows, FORCE)], label=f"restitution {restitution:g}")
    axes[0].set_xlabel("approach (-) or parting (+) [m/s]")
    axes[0].set_ylabel("normal impulse on B [N s]")
    axes[0].legend(fontsize=8)
    for friction in (0.2, 0.5):
        rows = sweep(run, "signorini_coulomb", [f"friction={friction}", "overlap=0", "h=0.001", "v_n=-0.1"],
                     "v_t", -0.4, 0.4, False)
        axes[1].plot([-0.4 + 0.8 * i / (COUNT - 1) for i in range(COUNT)],
                     [1e-3 * force for force in column(rows, ALONG)], label=f"friction {friction:g}")
    axes[1].set_xlabel("sliding velocity of B before [m/s]")
    axes[1].set_ylabel("impulse along the surface [N s]")
    axes[1].legend(fontsize=8)


def draw(run, law, path):
    """@param run  gives what a command of cairn prints, from a list of words"""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2))
    if law == "signorini_coulomb":
        draw_rigid(axes, run)
    else:
        draw_normal(axes[0], run, law)
        draw_along(axes[1], run, law)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def range_of(setting):
    """The values that a setting may have, in words."""
    if setting["type"] == "choice":
        return ", ".join(f"`{choice}`" for choice in setting["choices"])
    if "minimum" not in setting:
        return "true, false"
    low, high = setting["minimum"], setting["maximum"]
    if high < sys.float_info.max:
        return f"{low:g} to {high:g}"
    return f"{low:g} or more" if low > -sys.float_info.max else "any"


def table(law):
    """The parameters of a law as a table of Markdown.

    @param law  what `cairn list laws --json` says of it
    """
    lines = ["| parameter | unit | default | values | meaning |", "|---|---|---|---|---|"]
    for setting in law["settings"]:
        default = setting["default"]
        shown = str(default).lower() if isinstance(default, bool) else \
            f"`{default}`" if isinstance(default, str) else f"{default:g}"
        cells = [f"`{setting['name']}`", setting["unit"], shown, range_of(setting), setting["help"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def tables(run):
    """@return {law: table} of all laws of the build"""
    laws = [json.loads(line) for line in run(["list", "laws", "--json"]).splitlines()]
    return {law["name"]: table(law) for law in laws}
