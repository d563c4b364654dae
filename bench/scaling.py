#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Cost against the number of contacts: growing towers, piles and walls, as a table and as a plot.
"""usage: bench/scaling.py [CAIRN [PLOT.svg]]   (default build/cairn; run from the top folder)

CPU time of a step in a run (difference of a run and one of half its length) and of one solve from
zero to 1e-8 of the last step's problem, in body form."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

# scene, tolerance, growing runs: seconds and settings
SERIES = [
    ("kapla_tower", "1e-6", [(t, {"drop": 0, "planks_per_ring": n, "rings": r})
                             for t, n, r in ((1.0, 12, 12), (0.5, 48, 12), (0.2, 192, 12),
                                             (0.1, 400, 12), (0.1, 400, 32))]),
    ("capsules", "1e-4", [(0.6, {"capsules": n, "across": w})
                          for n, w in ((100, 3), (400, 4), (1000, 6), (4000, 10))]),
    ("brick_wall", "1e-6", [(t, {"courses": c, "bricks": b})
                            for t, c, b in ((2.0, 5, 6), (1.0, 12, 12), (0.5, 25, 25),
                                            (0.2, 50, 51), (0.1, 105, 106))]),
]
COLOURS = {"kapla_tower": "#0b4f9c", "capsules": "#d1361b", "brick_wall": "#1b8a3a"}


def cpu_of(command):
    """Standard output and CPU seconds of a command."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    return text, usage.ru_utime + usage.ru_stime


def run_command(cairn, scene, tolerance, until, settings, folder):
    command = [cairn, "run", f"scenes/library/{scene}.lua", "--json", "--quiet", "--tolerance", tolerance,
               "--until", str(until), "--out", folder + "/run", "--paraview-every", "0"]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    return command


def measure(cairn, scene, tolerance, until, settings):
    with tempfile.TemporaryDirectory() as folder:
        half, cpu_half = cpu_of(run_command(cairn, scene, tolerance, 0.5 * until, settings, folder))
        text, cpu = cpu_of(run_command(cairn, scene, tolerance, until, settings, folder))
        run = json.loads(text)
        steps = run["steps"] - json.loads(half)["steps"]
        problems = folder + "/problems"
        cpu_of(run_command(cairn, scene, tolerance, until, settings, folder)
               + ["--fclib", problems, "--fclib-form", "global", "--fclib-every", str(run["steps"])])
        name = sorted(os.listdir(problems))[-1]
        cpu_of([cairn, "bench", f"{problems}/{name}", "--solvers", "auto", "--quiet",
                "--time-limit", "600", "--csv", folder + "/bench.csv"])
        with open(folder + "/bench.csv", encoding="utf-8") as file:
            solve = next(csv.DictReader(file))
        contacts = int(name.rsplit("-", 1)[1].split(".")[0])
        return {"scene": scene, "bodies": run["bodies"], "contacts": contacts,
                "iterations": run["iterations_mean"], "step": (cpu - cpu_half) / steps,
                "solve": float(solve["time_s"]), "solve_iterations": int(solve["iterations"]),
                "solved": solve["success"] == "1"}


# ---------------------------------------------------------------- plot

LEFT, TOP, WIDTH, HEIGHT = 70, 40, 620, 460


def plot(rows, path):
    x_low, x_high, y_low, y_high = 1.5, 5.25, -4.0, 2.0

    def place(contacts, seconds):
        return (LEFT + WIDTH * (math.log10(contacts) - x_low) / (x_high - x_low),
                TOP + HEIGHT * (y_high - math.log10(seconds)) / (y_high - y_low))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 300}" '
           f'height="{TOP + HEIGHT + 60}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" '
           'font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="24" font-size="16">Cost against the number of contacts</text>']
    for k in range(2, 6):
        x, _ = place(10.0 ** k, 1.0)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" '
                   f'stroke="#cccccc"/><text x="{x:.1f}" y="{TOP + HEIGHT + 18}" '
                   f'text-anchor="middle">{10 ** k}</text>')
    for k in range(-4, 3):
        _, y = place(100.0, 10.0 ** k)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" '
                   f'stroke="#cccccc"/><text x="{LEFT - 8}" y="{y + 4:.1f}" '
                   f'text-anchor="end">{10.0 ** k:g}</text>')
    out.append(f'<text x="{LEFT + WIDTH // 2}" y="{TOP + HEIGHT + 42}" text-anchor="middle">'
               'contacts</text>')
    out.append(f'<text transform="translate(20 {TOP + HEIGHT // 2}) rotate(-90)" '
               'text-anchor="middle">CPU seconds</text>')
    (x0, y0), (x1, y1) = place(100.0, 2e-4), place(1e5, 0.2)
    out.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="#888888" '
               'stroke-dasharray="2 4"/>')
    entries = [("2 us a contact", "#888888", "2 4")]
    for scene, colour in COLOURS.items():
        for key, dash, label in (("step", "", "a step"), ("solve", "8 4", "a solve from zero, 1e-8")):
            points = [place(row["contacts"], row[key]) for row in rows if row["scene"] == scene]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                       f'stroke-width="2.4" stroke-dasharray="{dash or "none"}"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
                    for x, y in points]
            entries.append((f"{scene}: {label}", colour, dash or "none"))
    for k, (label, colour, dash) in enumerate(entries):
        y, x = TOP + 10 + 20 * k, LEFT + WIDTH + 12
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 32}" y2="{y}" stroke="{colour}" '
                   f'stroke-width="2.4" stroke-dasharray="{dash}"/>'
                   f'<text x="{x + 40}" y="{y + 4}" font-size="11">{label}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main():
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    cairn = sys.argv[1] if len(sys.argv) > 1 else "build/cairn"
    rows = []
    print("| scene | bodies | contacts | iterations a step | ms a step | us a contact "
          "| solve from zero, s | us a contact | iterations |")
    print("|---|---|---|---|---|---|---|---|---|")
    for scene, tolerance, runs in SERIES:
        for until, settings in runs:
            row = measure(cairn, scene, tolerance, until, settings)
            rows.append(row)
            print("| %s | %d | %d | %.0f | %.2f | %.1f | %.3f%s | %.0f | %d |" % (
                scene, row["bodies"], row["contacts"], row["iterations"], 1e3 * row["step"],
                1e6 * row["step"] / row["contacts"], row["solve"],
                "" if row["solved"] else " (not solved)",
                1e6 * row["solve"] / row["contacts"], row["solve_iterations"]), flush=True)
    if len(sys.argv) > 2:
        plot(rows, sys.argv[2])


if __name__ == "__main__":
    main()
