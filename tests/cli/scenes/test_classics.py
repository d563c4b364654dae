# SPDX-License-Identifier: Apache-2.0
# Scenes with a known answer: the arch's least thickness, the speed of dominoes, billiards.
"""usage: test_classics.py PROGRAM ROOT"""
import csv
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import ROOT, Folder, check, check_status, finish

# least thickness over the mean radius by number of voussoirs, of a linear program over the thrust
# of ring segments; the scene's voussoirs have straight edges, which takes 0.31 % off at most
LEAST = {12: 0.10510, 13: 0.10284, 20: 0.10746}
GRAVITY = 9.81


def run(folder, scene, *words, **parameters):
    sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
    done = folder.cairn("run", scene, *sets, "--paraview-every", "0", "--quiet", "--out", "r", *words)
    check_status(done, 0, f"{scene} {parameters}")
    check(json.loads(folder.read("r/summary.json"))["steps_unsolved"] == 0, f"{scene}: unsolved steps")
    with open(folder.path + "/r/sensors.csv") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    return rows, done.err


def check_arch(folder):
    for voussoirs, least in LEAST.items():
        _, log = run(folder, "arch", "--until", "0.01", voussoirs=voussoirs, ratio=1.0)
        own = float(re.search(r"least thickness ([\d.]+)", log).group(1))
        check(0.9965 < own / least < 1.00001, f"{voussoirs} voussoirs: least {own}, published {least}")
        for share in (1.02, 0.98):
            rows, _ = run(folder, "arch", "--until", "1.5", voussoirs=voussoirs, ratio=share * least / own)
            crown = [row["crown position z [m]"] for row in rows]
            sunk = crown[0] - crown[-1]
            if share > 1:
                check(abs(sunk) < 1e-5, f"{voussoirs} voussoirs: the arch that stands sank by {sunk} m")
            else:
                check(sunk > 1, f"{voussoirs} voussoirs: the arch that falls sank by {sunk} m")


def figure(name):
    """Row of docs/tables/verification.csv."""
    with open(os.path.join(ROOT, "docs", "tables", "verification.csv")) as file:
        return next(row for row in csv.DictReader(file) if row["name"] == name)


def check_hinges(folder):
    """An arch of many voussoirs falls by five hinges: crown, springings and 54.5 degrees from the crown."""
    voussoirs, expected = 100, (90.0, 54.5, 0.0, -54.5, -90.0)
    run(folder, "arch", "--until", "0.3", voussoirs=voussoirs, ratio=0.98)
    with open(folder.path + "/r/bodies.csv") as file:
        spin = [float(row["angular velocity y [rad/s]"]) for row in csv.DictReader(file)
                if row["kind"] == "dynamic"]
    check(len(spin) == voussoirs, f"arch of {len(spin)} voussoirs")
    jumps = [abs(b - a) for a, b in zip([0.0] + spin, spin + [0.0])]
    hinges = [90 - 180 / voussoirs * joint for joint, jump in enumerate(jumps) if jump > 0.02 * max(jumps)]
    check(len(hinges) == 5, f"hinges at {hinges}")
    worst = max(abs(found - angle) for found, angle in zip(hinges, expected))
    row = figure("arch_hinges")
    print(f"arch: hinges at {hinges}, {worst} degrees off at most")
    check(worst <= float(row["bound"]), f"hinges at {hinges}")
    check(abs(worst - float(row["measured"])) < 0.1, f"hinges {worst} degrees off, the table has {row['measured']}")


def domino_time(height, thickness, gap, push, first, last):
    """Time that the front takes from one domino to another: the leaning train has one degree of
    freedom, the angle of its front; it keeps its energy between impacts, and an impact takes the
    momentum over to a train that is longer by one. No friction between dominoes, feet that hold."""
    inertia, pitch = (height ** 2 + thickness ** 2) / 3, gap + thickness

    def train(front, count):
        angles, rates = [front], [1.0]
        for _ in range(count - 1):
            x = (pitch * math.cos(angles[-1]) - thickness) / height
            rates.append(rates[-1] * (1 - pitch * math.sin(angles[-1]) / height / math.sqrt(1 - x * x)))
            angles.append(angles[-1] + math.asin(x))
        potential = sum(0.5 * GRAVITY * (height * math.cos(a) + thickness * math.sin(a)) for a in angles)
        return rates, potential, inertia * sum(rate * rate for rate in rates)

    hit, rate, time, cells = math.asin(gap / height), push, 0.0, 100
    for domino in range(1, last):
        count = min(domino, 25)
        _, potential, mass = train(0.0, count)
        energy = potential + 0.5 * mass * rate ** 2
        for cell in range(cells):
            _, potential, mass = train(hit * (cell + 0.5) / cells, count)
            if domino >= first:
                time += hit / cells / math.sqrt(2 * (energy - potential) / mass)
        rates, potential, mass = train(hit, count)
        before = math.sqrt(2 * (energy - potential) / mass)
        longer, _, mass = train(0.0, count + 1)
        rate = inertia * sum(a * b * before for a, b in zip(longer[1:], rates)) / mass
    return time


def check_domino(folder):
    """The scene's pushed row against the train of one degree of freedom."""
    count = 32
    rows, _ = run(folder, "domino", "--until", "1", "--step", "0.0005", friction=0.0, dominoes=count)
    passed = []
    for name in ("middle", "last"):
        column = f"{name} angular_velocity y [rad/s]"
        passed.append(next((row["time [s]"] for row in rows if row[column] > 1e-3), math.nan))
    expected = domino_time(0.048, 0.008, 0.016, 4.0, (count + 1) // 2, count)
    found = passed[1] - passed[0]
    print(f"dominoes: {found:.5f} s, train of one degree of freedom {expected:.5f} s")
    check(abs(found / expected - 1) < 0.01, f"dominoes: {found} s against {expected} s")


def check_billiards(folder):
    """A rolling cue ball keeps its spin through the impact, and the cloth turns it into speed."""
    speed, restitution = 1.0, 0.9
    for law in ("hertz_mindlin", "signorini_coulomb"):
        words = ["--law", law, "--step", "0.0005"] if law == "signorini_coulomb" else []
        for cut in (0.0, 30.0, 60.0):
            rows, _ = run(folder, "billiards", "--until", "1.4", *words, shot="cut", cut=cut, speed=speed,
                          restitution=restitution, friction=0.0, rolling_friction=0.0)
            c, s = math.cos(math.radians(cut)), math.sin(math.radians(cut))
            pushed = 0.5 * (1 + restitution) * speed * c
            # 5/7 of the speed after the impact and 2/7 of the spin's
            cue = (5 / 7 * (speed - pushed * c) + 2 / 7 * speed, -5 / 7 * pushed * s)
            ball = (5 / 7 * pushed * c, 5 / 7 * pushed * s)
            for name, expected in (("cue", cue), ("ball_1", ball)):
                found = [rows[-1][f"{name} velocity {axis} [m/s]"] for axis in "xy"]
                # soft balls leave the line of centres by the path of the contact
                slack = 0.005 if law == "signorini_coulomb" else 0.02
                check(math.dist(found, expected) < slack * speed,
                      f"billiards, {law}, cut {cut}: {name} at {found}, expected {expected}")


def main():
    with Folder() as folder:
        check_arch(folder)
        check_hinges(folder)
        check_domino(folder)
        check_billiards(folder)
    finish()


if __name__ == "__main__":
    main()
