#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Where the kernels stand between what the processor and what its caches can do at most.
"""

usage: roofline.py BENCH_DEM PEAK FOLDER FIGURE.svg

FOLDER holds beds as compare.py makes them; those that are missing are left out. Of each bed the whole step and the
functions that take most of it: instructions and misses of the second level (1 MB) from callgrind, time from perf's
samples of the processor time, with AVX2 (which callgrind knows). PEAK is bench/dem/peak. Prints a table and draws the
figure: instructions a nanosecond over instructions for each byte that the second level has to fetch.
"""
import math
import os
import re
import subprocess
import sys

import beds

# file, what it is, options, steps under callgrind, steps for the clock
BEDS = [("bed_1000.txt", "1 000 spheres", ["--side", "0.1"], 100, 20000),
        ("bed_10000.txt", "10 000 spheres", ["--side", "0.21"], 20, 2000),
        ("bed_100000.txt", "100 000 spheres", ["--side", "0.665"], 6, 300),
        ("octahedron_1000.txt", "1 000 octahedra", ["--side", "0.1", "--hull", "octahedron"], 20, 600)]
NAMES = {"near_hooke": "pairs of the active list", "near_fetching_hooke": "pairs of the active list", "move_free": "sums and motion", "lane_turn": "orientations"}
COLOURS = ["#1b6ca8", "#2a9d8f", "#e76f51", "#8e5ea2"]


def count(command, out):
    """Instructions and bytes from beyond the second level of each function, in steps alone."""
    subprocess.run(["valgrind", "--tool=callgrind", "--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64",
                    "--collect-atstart=no", "--toggle-collect=cairn_world_step", f"--callgrind-out-file={out}"] + command,
                   check=True, capture_output=True)
    names, own, now, called = {}, {}, "", False
    for line in open(out, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        if line.startswith("fn="):
            number, _, name = line[3:].partition(" ")
            names[number] = name or names[number]
            now = names[number]
        elif line.startswith("cfn="):
            number, _, name = line[4:].partition(" ")
            if name:
                names[number] = name
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[0-9+*-]", line):
            costs = [int(word) for word in line.split()[1:]] + [0] * 9
            if not called:
                sum_of = own.setdefault(now, [0, 0])
                sum_of[0] += costs[0]
                sum_of[1] += 64 * (costs[7] + costs[8])
            called = False
    return own


def clock(command, steps, folder):
    """Processor nanoseconds of a step, and the share of each function."""
    samples = os.path.join(folder, "perf.data")
    done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", samples] + command,
                          check=True, capture_output=True, text=True)
    report = subprocess.run(["perf", "report", "-i", samples, "--no-children", "--stdio", "-F", "overhead,sym"],
                            check=True, capture_output=True, text=True).stdout
    shares = {name: 0.01 * float(share) for share, name in re.findall(r"([\d.]+)%\s+\[\.\] (\S+)", report)}
    return 1e9 * float(re.search(r" cpu (\S+)", done.stdout)[1]) / steps, shares


def measure(bench, folder):
    points = []
    for number, (bed, label, options, counted, timed) in enumerate(BEDS):
        path = os.path.join(folder, bed)
        if not os.path.exists(path):
            continue
        command = [bench, "--bed", path, "--kernel", "avx2"] + options
        out = os.path.join(folder, "callgrind.out")
        first, own = (count(command + ["--warm", "0", "--steps", str(k * counted)], out) for k in (1, 2))
        # without the list of the first step
        own = {name: [cost[k] - first.get(name, [0, 0])[k] for k in range(2)] for name, cost in own.items()}
        step, shares = clock(command + ["--warm", "0", "--steps", str(timed)], timed, folder)
        total = [sum(pair[k] for pair in own.values()) / counted for k in range(2)]
        found = [(label, number, total[0], total[1], step)]
        for name, text in NAMES.items():
            if shares.get(name, 0.0) > 0.02 and name in own and number < 3:
                found.append((f"{label}: {text}", number, own[name][0] / counted, own[name][1] / counted,
                              shares[name] * step))
        for label, _, instructions, moved, time in found:
            print(f"{label:36} {instructions:12.0f} instructions {moved:12.0f} bytes {1e-3 * time:10.1f} us  "
                  f"{instructions / time:5.2f} a ns {moved / time:6.2f} bytes/ns", flush=True)
        points += found
    return points


def draw(points, peak, figure):
    width, height, left, top = 760, 460, 60, 20
    low, high, least, most = -1.0, 4.0, -1.0, math.log10(2 * peak["mixed"])

    def at(x, y):
        return (left + (math.log10(x) - low) / (high - low) * (width - left - 20),
                top + (most - math.log10(y)) / (most - least) * (height - top - 50))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for key, text in (("l3", "third level"), ("memory", "memory")):
        turn = peak["mixed"] / peak[key]
        ends = [(10 ** low, peak[key] * 10 ** low), (turn, peak["mixed"]), (10 ** high, peak["mixed"])]
        ends[0] = max(ends[0], (0.1 / peak[key], 0.1), key=lambda end: end[0])
        path = " ".join("{:.1f},{:.1f}".format(*at(*end)) for end in ends)
        out.append(f'<polyline points="{path}" fill="none" stroke="#444" stroke-width="1.5"/>')
        x, y = at(*ends[0])
        out.append(f'<text x="{x + 6:.0f}" y="{y - 6:.0f}" fill="#444" stroke="#fff" stroke-width="4" paint-order="stroke">{text}, {peak[key]:.0f} bytes/ns</text>')
    for key, text in (("mixed", "instructions"), ("fused", "fused vector operations alone")):
        x, y = at(10 ** high, peak[key])
        out.append(f'<text x="{x:.0f}" y="{y - 5:.0f}" text-anchor="end" fill="#444">{text}, {peak[key]:.1f} a ns</text>')
    out.append(f'<line x1="{at(10, 1)[0]:.0f}" x2="{x:.0f}" y1="{y:.0f}" y2="{y:.0f}" stroke="#444" stroke-dasharray="4 3"/>')
    for power in range(int(low), int(high) + 1):
        x, _ = at(10 ** power, 1)
        out.append(f'<text x="{x:.0f}" y="{height - 30}" text-anchor="middle">{10.0 ** power:g}</text>')
    for value in (0.1, 0.3, 1, 3, 10):
        _, y = at(1, value)
        out.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{value:g}</text>')
    out.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">instructions for each byte from '
               'beyond the second level</text>')
    out.append(f'<text transform="translate(14 {height / 2:.0f}) rotate(-90)" text-anchor="middle">instructions a ns</text>')
    for label, number, instructions, moved, time in points:
        beyond = instructions / max(moved, 1e-4 * instructions)
        x, y = at(beyond, max(instructions / time, 0.11))
        whole = ":" not in label
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5 if whole else 3.5}" fill="{COLOURS[number] if whole else "none"}" '
                   f'stroke="{COLOURS[number]}" stroke-width="1.5"><title>{label}</title></circle>')
    for number, bed in enumerate(BEDS):
        y = height - 150 + 15 * number
        out.append(f'<circle cx="{width - 150}" cy="{y - 4}" r="5" fill="{COLOURS[number]}"/>')
        out.append(f'<text x="{width - 140}" y="{y}">{bed[1]}</text>')
    out.append(f'<text x="{width - 155}" y="{height - 72}">rings: its kernels</text></svg>')
    with open(figure, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    bench, program, folder, figure = sys.argv[1:]
    beds.check(bench, program)
    words = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    peak = {words[i]: float(words[i + 1]) for i in range(0, len(words), 2)}
    print("peak: " + ", ".join(f"{key} {value:g}" for key, value in peak.items() if key != "kept"))
    draw(measure(bench, folder), peak, figure)


if __name__ == "__main__":
    main()
