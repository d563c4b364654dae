# SPDX-License-Identifier: Apache-2.0
# Drawings that explain words: they need no run.
import math

import matplotlib.pyplot as plt
import numpy

BODY, EDGE, MARK = "#d9dee6", "#3a4658", "#266ebe"


def arrow(axes, begin, end, colour, label, offset):
    axes.annotate("", xy=end, xytext=begin, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6,
                                                        "shrinkA": 0, "shrinkB": 0})
    axes.text(end[0] + offset[0], end[1] + offset[1], label, color=colour, ha="center", va="center")


def plain(axes, left, right, low, high):
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_bodies(axes):
    """Two balls with a gap, the normal and the contact point."""
    for height, radius, name in ((0.0, 1.0, "body A"), (1.95, 0.7, "body B")):
        axes.add_patch(plt.Circle((0, height), radius, facecolor=BODY, edgecolor=EDGE))
        axes.text(0, height, name, ha="center", va="center")
    axes.plot(0, 1.125, "o", color=EDGE, markersize=5)
    axes.text(-0.2, 1.125, "contact point", ha="right", va="center")
    arrow(axes, (0.0, 1.125), (0.0, 1.72), MARK, "normal", (0.42, -0.08))
    for height in (1.0, 1.25):
        axes.plot([0.0, 1.25], [height, height], color=EDGE, linewidth=0.7, linestyle=":")
    axes.annotate("", xy=(1.15, 0.98), xytext=(1.15, 1.27), arrowprops={"arrowstyle": "|-|, widthA=0.25, widthB=0.25"})
    axes.text(1.25, 1.125, "gap", va="center")
    plain(axes, -1.6, 1.75, -1.1, 2.75)


def draw_cone(axes, friction=0.5):
    """Coulomb's cone with a reaction that sticks, and one at the limit that slides."""
    height = 2.2
    axes.fill([0, -friction * height, friction * height], [0, height, height], color=BODY)
    for side in (-1, 1):
        axes.plot([0, side * friction * height], [0, height], color=EDGE, linewidth=1)
    axes.plot([-2, 2], [0, 0], color=EDGE, linewidth=1)
    axes.plot([0, 0], [0, 2.6], color=EDGE, linewidth=0.7, linestyle=":")
    arrow(axes, (0, 0), (0.3, 1.8), "#2e7d4f", "sticks", (-0.02, 0.16))
    arrow(axes, (0, 0), (-0.75, 1.5), "#c0392b", "slides", (-0.45, 0.1))
    turned = numpy.linspace(math.pi / 2 - math.atan(friction), math.pi / 2, 20)
    axes.plot(1.1 * numpy.cos(turned), 1.1 * numpy.sin(turned), color=MARK, linewidth=1)
    axes.text(0.62, 1.0, "atan(friction)", color=MARK, fontsize=9, ha="left")
    axes.text(0.1, 2.55, "normal part", fontsize=9)
    axes.text(1.95, -0.22, "tangential part", fontsize=9, ha="right")
    axes.text(-1.15, 2.35, "cone", ha="right")
    plain(axes, -2.0, 2.0, -0.4, 2.75)


def draw_contact(path):
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4))
    draw_bodies(axes[0])
    draw_cone(axes[1])
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_own_law(path):
    """The spring of docs/own_law.md, and its friction over the sliding velocity."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2))
    overlap = numpy.linspace(0.0, 5e-3, 100)
    for hardening in (0.0, 100.0):
        axes[0].plot(1e3 * overlap, 1e4 * overlap * (1.0 + hardening * overlap), label=f"hardening {hardening:g} /m")
    axes[0].set_xlabel("overlap [mm]")
    axes[0].set_ylabel("force of the spring [N]")
    axes[0].legend(fontsize=8)
    speed = numpy.linspace(-5e-3, 5e-3, 201)
    for creep in (1e-3, 3e-3):
        axes[1].plot(1e3 * speed, -0.5 * speed / numpy.maximum(numpy.abs(speed), creep), label=f"creep {1e3 * creep:g} mm/s")
    axes[1].set_xlabel("sliding velocity of B [mm/s]")
    axes[1].set_ylabel("friction force / normal force")
    axes[1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
