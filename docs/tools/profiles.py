# SPDX-License-Identifier: Apache-2.0
# Performance profiles of solvers over the collection of contact problems, from kept tables.
"""plot: profile WHICH FILE, where WHICH is all, small, large, accuracy or a family of scenes.

docs/tables/collection_solvers.csv is what `cairn bench --csv` wrote, collection_accuracy.csv what
`cairn solve --json` came to at several tolerances (columns tolerance, problems, solved, median_us)."""
import csv
import math
import os
import re

import matplotlib.pyplot as plt

MOST_NAMED = 10
FAMILIES = {"stacks": ["box_stack", "brick_wall", "kapla_tower", "arch", "domino"],
            "piles": ["capsules", "rockfall", "bouncing_boxes", "sphere_heap", "hopper", "mixer",
                      "billiards"],
            "joints": ["rag_dolls", "chain_with_ball", "slider_crank"], "chains": ["chain"],
            "rolling": ["rolling_pile"]}


def contacts_of(name):
    return int(re.search(r"-(\d+)\.hdf5$", name).group(1))


def belongs(name, which):
    scene = name.split("-r")[0]
    if which in FAMILIES:
        return scene in FAMILIES[which]
    return which == "all" or (contacts_of(name) <= 80) == (which == "small")


def read_times(path, which):
    """Seconds of each solver on each problem that it solved, and the problems."""
    times, problems = {}, set()
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not belongs(row["file"], which):
                continue
            problems.add(row["file"])
            solver = times.setdefault(row["solver"], {})
            if row["success"] == "1":
                # what is shorter than a microsecond is as good as that
                solver[row["file"]] = max(float(row["time_s"]), 1e-6)
    return times, problems


def draw_profile(times, problems, title):
    fastest = {p: min((t[p] for t in times.values() if p in t), default=math.inf)
               for p in problems}
    curves = []
    for solver, solved in times.items():
        ratios = sorted(seconds / fastest[p] for p, seconds in solved.items())
        area = sum(1.0 - min(math.log10(ratio), 3.0) / 3.0 for ratio in ratios)
        curves.append((area, solver, ratios))
    curves.sort(reverse=True)
    for place, (_, solver, ratios) in enumerate(curves):
        x = [1.0] + ratios + [1e3]
        y = [100.0 * sum(ratio <= 1.0 for ratio in ratios) / len(problems)]
        y += [100.0 * (k + 1) / len(problems) for k in range(len(ratios))]
        y += [100.0 * len(ratios) / len(problems)]
        named = place < MOST_NAMED
        plt.step(x, y, where="post", label=solver if named else None,
                 color=None if named else "0.8", linewidth=1.6 if named else 0.8,
                 zorder=2 if named else 1)
    plt.xscale("log")
    plt.xlim(1.0, 1e3)
    plt.ylim(0.0, 102.0)
    plt.xlabel("time over that of the fastest solver of the problem")
    plt.ylabel("problems solved [%]")
    plt.title(f"{title}: {len(problems)} problems")
    plt.legend(fontsize=8, loc="lower right")


def draw_accuracy(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tolerances = [float(row["tolerance"]) for row in rows]
    shares = [100.0 * int(row["solved"]) / int(row["problems"]) for row in rows]
    plt.plot(tolerances, [float(row["median_us"]) for row in rows], "o-")
    for x, row, share in zip(tolerances, rows, shares):
        plt.annotate(f"{share:.1f} % solved", (x, float(row["median_us"])), fontsize=8,
                     xytext=(0, 8), textcoords="offset points", ha="center")
    plt.xscale("log")
    plt.gca().invert_xaxis()
    plt.ylim(bottom=0.0)
    plt.margins(x=0.12)
    plt.xlabel("tolerance, measure (4.18)")
    plt.ylabel("time a contact, median [us]")


def draw(source, which, path):
    tables = os.path.join(source, "tables")
    plt.figure(figsize=(7, 4.5))
    if which == "accuracy":
        draw_accuracy(os.path.join(tables, "collection_accuracy.csv"))
    else:
        draw_profile(*read_times(os.path.join(tables, "collection_solvers.csv"), which), which)
    plt.tight_layout()
    plt.savefig(path, dpi=110)
    plt.close()
