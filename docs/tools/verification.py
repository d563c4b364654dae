# SPDX-License-Identifier: Apache-2.0
# The cases of the verification manual: runs beside closed forms, each with a plot and a bound.
"""A case is a function of (run, out): `run(scene, words)` gives the rows of a run's sensors.csv, `out`
is the path of the plot. It returns the largest difference in the unit of its bound. A difference that
exceeds the bound stops the build of the documentation.
"""
import csv
import math
import os

import numpy
import matplotlib.pyplot as plt

GRAVITY = 9.81


def columns(folder, *names):
    with open(os.path.join(folder, "sensors.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [numpy.array([float(row[name]) for row in rows]) for name in ("time [s]", *names)]


def draw(out, time, found, expected, label):
    """The run and the closed form above, their difference below."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True,
                                          gridspec_kw={"height_ratios": [3, 1]})
    above.plot(time, expected, "k-", linewidth=3, alpha=0.3, label="closed form")
    above.plot(time, found, "-", color="tab:blue", linewidth=1, label="cairn")
    above.set_ylabel(label)
    above.legend(loc="upper right")
    below.plot(time, found - expected, "-", color="tab:red", linewidth=1)
    below.set_ylabel("difference")
    below.set_xlabel("time [s]")
    figure.tight_layout()
    figure.savefig(out, dpi=110)
    plt.close(figure)
    return float(numpy.abs(found - expected).max())


def slope(run, out):
    angles = numpy.arange(5.0, 46.0, 5.0)
    found = []
    for angle in angles:
        folder = run("slope.lua", ["--set", f"angle={angle}"])
        _, x, z = columns(folder, "brick velocity x [m/s]", "brick velocity z [m/s]")
        found.append(math.hypot(x[-1], z[-1]))
    fine = numpy.linspace(0, 46, 400)
    law = [numpy.maximum(0, GRAVITY * (numpy.sin(a) - 0.5 * numpy.cos(a)))
           for a in (numpy.radians(fine), numpy.radians(angles))]
    plt.figure(figsize=(7, 3.6))
    plt.plot(fine, law[0], "k-", linewidth=3, alpha=0.3, label="g (sin a - 0.5 cos a) 1 s")
    plt.plot(angles, found, "o", color="tab:blue", label="cairn")
    plt.xlabel("angle of the slope [degrees]")
    plt.ylabel("speed after 1 s [m/s]")
    plt.legend()
    plt.tight_layout()
    plt.savefig(out, dpi=110)
    plt.close()
    return float(numpy.abs(numpy.array(found) - law[1]).max())


def roll(run, out):
    time, speed = columns(run("roll.lua", []), "ball velocity x [m/s]")
    return draw(out, time, speed, numpy.maximum(1.0 - 0.3 * GRAVITY * time, 5 / 7), "speed [m/s]")


def bounce(run, out):
    """Heights between impacts at the times t_0 = sqrt(2 h / g), then + 2 e^n t_0."""
    time, z = columns(run("bounce.lua", []), "ball position z [m]")
    first = math.sqrt(2 / GRAVITY)
    impact, speed = first, 0.5 * GRAVITY * first
    expected = numpy.where(time < first, 1.0 - 0.5 * GRAVITY * time ** 2, 0.0)
    while speed > 1e-4:
        flight = (time >= impact) & (time < impact + 2 * speed / GRAVITY)
        since = time[flight] - impact
        expected[flight] = speed * since - 0.5 * GRAVITY * since ** 2
        impact, speed = impact + 2 * speed / GRAVITY, 0.5 * speed
    return draw(out, time, z - 0.1, expected, "height [m]")


def pendulum(run, out):
    """A bar on a hinge at its end, from the horizontal: a'' = 6 g l cos a / (4 l^2 + t^2)."""
    length = 0.5
    # the bar is as thick as 0.08 of its length
    rate = 0.5 * GRAVITY * length / ((length ** 2 + (0.08 * length) ** 2) / 12 + length ** 2 / 4)
    time, angle = columns(run("pendulum", ["--set", "bars=1", "--until", "4"]), "angle coordinate [rad]")
    state, expected = numpy.array([0.0, 0.0]), [0.0]

    def slope_of(y):
        return numpy.array([y[1], rate * math.cos(y[0])])

    for step in numpy.diff(time):
        k1 = slope_of(state)
        k2 = slope_of(state + 0.5 * step * k1)
        k3 = slope_of(state + 0.5 * step * k2)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + slope_of(state + step * k3))
        expected.append(state[0])
    return draw(out, time, angle, numpy.array(expected), "angle [rad]")


def four_bar(run, out):
    """The rocker's angle from the two circles that meet in the knee."""
    ground, crank, coupler, rocker = 1.0, 0.3, 0.8, 0.7
    time, turn, angle = columns(run("four_bar", ["--until", "2"]), "crank coordinate [rad]",
                                "rocker coordinate [rad]")
    ax, az = crank * numpy.sin(turn), crank * numpy.cos(turn)
    dx, dz = ground - ax, -az
    diagonal = numpy.hypot(dx, dz)
    along = (coupler ** 2 - rocker ** 2 + diagonal ** 2) / (2 * diagonal)
    across = numpy.sqrt(coupler ** 2 - along ** 2)
    bx, bz = ax + (along * dx - across * dz) / diagonal, az + (along * dz + across * dx) / diagonal
    direction = numpy.unwrap(numpy.arctan2(bx - ground, bz))
    return draw(out, time, angle, direction - direction[0], "angle of the rocker [rad]")


def slider_crank(run, out):
    crank, rod = 0.153, 0.306
    time, x = columns(run("slider_crank", ["--set", "clearance=0", "--set", "restitution=0", "--set",
                                           "friction=0", "--set", "limit=1e6", "--until", "0.1"]),
                      "piston position x [m]")
    turn = 150.0 * time
    return draw(out, time, x, crank * numpy.cos(turn) +
                numpy.sqrt(rod ** 2 - (crank * numpy.sin(turn)) ** 2), "piston [m]")


def billiards(run, out):
    """Rigid balls, e = 0.9: a rolling ball keeps its spin, the cloth turns it into speed."""
    cuts = numpy.arange(0.0, 76.0, 15.0)
    found = []
    for cut in cuts:
        folder = run("billiards", ["--law", "signorini_coulomb", "--step", "0.0005", "--until", "1.4",
                                   "--set", "shot=cut", "--set", f"cut={cut}", "--set", "speed=1",
                                   "--set", "restitution=0.9", "--set", "friction=0", "--set",
                                   "rolling_friction=0"])
        _, x, y = columns(folder, "cue velocity x [m/s]", "cue velocity y [m/s]")
        found.append((x[-1], y[-1]))
    found = numpy.array(found)

    def law(cut):
        c, s = numpy.cos(numpy.radians(cut)), numpy.sin(numpy.radians(cut))
        return numpy.stack([1 - 5 / 7 * 0.95 * c * c, -5 / 7 * 0.95 * c * s], axis=1)

    fine = numpy.linspace(0, 76, 200)
    plt.figure(figsize=(7, 3.6))
    for i, axis in enumerate("xy"):
        plt.plot(fine, law(fine)[:, i], "k-", linewidth=3, alpha=0.3)
        plt.plot(cuts, found[:, i], "o", label=f"cairn, along {axis}")
    plt.xlabel("cut [degrees]")
    plt.ylabel("velocity of the cue ball")
    plt.legend()
    plt.tight_layout()
    plt.savefig(out, dpi=110)
    plt.close()
    return float(numpy.linalg.norm(found - law(cuts), axis=1).max())


# name: function, what is compared, bound, unit
CASES = {
    "slope": (slope, "speed of a brick after 1 s on nine slopes", 1e-9, "m/s"),
    "roll": (roll, "speed of a ball that slides, then rolls", 2e-3, "m/s"),
    "bounce": (bounce, "height of a ball with restitution 0.5", 2e-3, "m"),
    "pendulum": (pendulum, "angle of a bar over 4 s", 1e-4, "rad"),
    "four_bar": (four_bar, "angle of the rocker over two turns", 1e-12, "rad"),
    "slider_crank": (slider_crank, "place of the piston over two turns", 1e-6, "m"),
    "billiards": (billiards, "velocity of the cue ball after six cuts", 5e-3, "m/s"),
}


def make(name, run, out):
    """Runs a case, draws its plot, and returns its row of the table."""
    function, what, bound, unit = CASES[name]
    error = function(run, out)
    if not error <= bound:
        raise SystemExit(f"verification: {name}: {error:.3g} {unit} exceeds the bound {bound:g} {unit}")
    return f"| [{name}](#{name}) | {what} | {bound:g} {unit} | {error:.2g} {unit} |"
