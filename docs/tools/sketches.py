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


def measure(axes, begin, end, label, offset):
    """A length between two points, with its key."""
    axes.annotate("", xy=end, xytext=begin, arrowprops={"arrowstyle": "<->", "color": MARK, "linewidth": 1,
                                                        "shrinkA": 0, "shrinkB": 0})
    axes.text((begin[0] + end[0]) / 2 + offset[0], (begin[1] + end[1]) / 2 + offset[1], label, color=MARK,
              fontsize=9, ha="center", va="center")


def fill(axes, points, **given):
    axes.add_patch(plt.Polygon(points, closed=True, **{"facecolor": BODY, "edgecolor": EDGE, **given}))


def axes_of_shape(axes):
    """The frame of the shape: x to the right, z upwards."""
    for end, name in (((0.45, 0.0), "x"), ((0.0, 0.45), "z")):
        axes.annotate("", xy=end, xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "color": EDGE, "linewidth": 0.8,
                                                             "shrinkA": 0, "shrinkB": 0})
        axes.text(end[0] * 1.2, end[1] * 1.2, name, fontsize=8, color=EDGE, ha="center", va="center")


def outline_of_capsule(radius, half):
    turn = numpy.linspace(0.0, math.pi, 30)
    upper = numpy.column_stack([radius * numpy.cos(turn), half + radius * numpy.sin(turn)])
    return numpy.vstack([upper, -upper])


def draw_sphere(axes):
    axes.add_patch(plt.Circle((0, 0), 0.9, facecolor=BODY, edgecolor=EDGE))
    measure(axes, (0, 0), (-0.64, -0.64), "radius", (0.42, 0.0))


def draw_box(axes):
    axes.add_patch(plt.matplotlib.patches.FancyBboxPatch((-0.8, -0.4), 1.6, 0.8, boxstyle="round,pad=0,rounding_size=0.2",
                                                         facecolor=BODY, edgecolor=EDGE))
    measure(axes, (-0.8, -0.65), (0.8, -0.65), "size[1]", (0, -0.2))
    measure(axes, (1.0, -0.4), (1.0, 0.4), "size[3]", (0.42, 0))
    axes.text(-1.3, 0.55, "rounding", color=MARK, fontsize=9)


def draw_capsule(axes):
    fill(axes, outline_of_capsule(0.4, 0.55))
    measure(axes, (0.65, -0.55), (0.65, 0.55), "length", (0.42, 0))
    measure(axes, (-0.4, -0.55), (0, -0.55), "radius", (-0.62, 0.0))


def draw_cylinder(axes):
    fill(axes, [(-0.5, -0.7), (0.5, -0.7), (0.5, 0.7), (-0.5, 0.7)])
    measure(axes, (0.75, -0.7), (0.75, 0.7), "length", (0.42, 0))
    measure(axes, (-0.5, -0.4), (0, -0.4), "radius", (-0.68, 0.0))


def draw_polyhedron(axes):
    points = [(-0.7, -0.5), (0.3, -0.75), (0.9, -0.1), (0.5, 0.6), (-0.4, 0.75)]
    fill(axes, points)
    axes.plot(*zip(*points), "o", color=MARK, markersize=4)
    axes.text(0.95, 0.55, "points", color=MARK, fontsize=9)


def draw_mesh(axes):
    points = numpy.array([(-1.0, 0.3), (-0.5, -0.2), (0.0, -0.45), (0.5, -0.3), (1.0, 0.35)])
    axes.plot(points[:, 0], points[:, 1], "o-", color=EDGE, markersize=4)
    axes.plot(points[:, 0], points[:, 1], "o", color=MARK, markersize=4)
    axes.text(0, -0.75, "triangles: a surface", color=MARK, fontsize=9, ha="center")


def draw_compound(axes):
    axes.add_patch(plt.Circle((-0.45, -0.1), 0.5, facecolor=BODY, edgecolor=EDGE))
    fill(axes, [(0.0, -0.35), (0.95, -0.35), (0.95, 0.15), (0.0, 0.15)])
    axes.text(-0.45, -0.85, "members with their positions", color=MARK, fontsize=9, ha="center")


def draw_plane(axes):
    fill(axes, [(-1.2, 0), (1.2, 0), (1.2, -0.7), (-1.2, -0.7)], edgecolor="none")
    axes.plot([-1.2, 1.2], [0, 0], color=EDGE)
    axes.text(0, -0.4, "solid below z = 0", color=MARK, fontsize=9, ha="center")


SHAPES = {"sphere": draw_sphere, "box": draw_box, "capsule": draw_capsule, "cylinder": draw_cylinder,
          "polyhedron": draw_polyhedron, "mesh": draw_mesh, "compound": draw_compound, "plane": draw_plane}


def draw_grid(path, parts, rows, columns):
    figure, grid = plt.subplots(rows, columns, figsize=(2.2 * columns, 2.2 * rows))
    for axes, (name, draw) in zip(grid.flat, parts.items()):
        draw(axes)
        axes.set_title(name, fontsize=11)
        plain(axes, -1.4, 1.5, -1.15, 1.1)
    for axes in list(grid.flat)[len(parts):]:
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_shapes(path):
    """Sections through the shapes of scenes, with the keys of their calls."""
    def with_frame(draw):
        def both(axes):
            draw(axes)
            axes_of_shape(axes)
        return both

    draw_grid(path, {name: with_frame(draw) for name, draw in SHAPES.items()}, 2, 4)


def free(axes, slides, turns):
    """Arrows along and about the axis of a joint, which goes upwards."""
    if slides:
        axes.annotate("", xy=(0.62, 0.75), xytext=(0.62, -0.75), arrowprops={"arrowstyle": "<|-|>", "color": MARK})
    if turns:
        axes.annotate("", xy=(-0.3, 0.92), xytext=(0.3, 0.92),
                      arrowprops={"arrowstyle": "-|>", "color": MARK, "connectionstyle": "arc3,rad=0.6"})


def two_bodies(axes, axis=True):
    fill(axes, [(-0.85, -0.8), (-0.1, -0.8), (-0.1, 0.8), (-0.85, 0.8)])
    fill(axes, [(0.1, -0.5), (0.45, -0.5), (0.45, 0.5), (0.1, 0.5)], facecolor="#f3d9a8")
    if axis:
        axes.plot([0, 0], [-1.05, 1.05], color=EDGE, linewidth=0.8, linestyle="-.")


def draw_joint(slides, turns, axis=True):
    def draw(axes):
        two_bodies(axes, axis)
        free(axes, slides, turns)
    return draw


def draw_ball(axes):
    fill(axes, [(-0.5, -1.0), (0.5, -1.0), (0.5, -0.3), (-0.5, -0.3)])
    fill(axes, [(-0.15, 0.1), (0.45, 0.9), (0.15, 1.05), (-0.35, 0.2)], facecolor="#f3d9a8")
    axes.plot(-0.12, -0.05, "o", color=EDGE, markersize=14)
    axes.annotate("", xy=(0.95, 0.1), xytext=(0.55, 0.75),
                  arrowprops={"arrowstyle": "<|-|>", "color": MARK, "connectionstyle": "arc3,rad=-0.3"})


def draw_universal(axes):
    for end, colour in (((0.0, -1.0), BODY), ((0.75, 0.8), "#f3d9a8")):
        axes.plot([0, end[0]], [0, end[1]], color=colour, linewidth=14, solid_capstyle="butt")
    for end in ((0.5, 0.0), (0.0, 0.5)):
        axes.plot([-end[0], end[0]], [-end[1] * 0.4, end[1] * 0.4], color=EDGE, linewidth=2)
    axes.text(-0.95, 0.25, "two axes\nat right angles", color=MARK, fontsize=9, ha="center")


def draw_rod(axes):
    fill(axes, [(-1.1, -0.8), (-0.4, -0.8), (-0.4, -0.1), (-1.1, -0.1)])
    fill(axes, [(0.5, 0.1), (1.1, 0.1), (1.1, 0.8), (0.5, 0.8)], facecolor="#f3d9a8")
    axes.plot([-0.5, 0.6], [-0.2, 0.2], "o-", color=EDGE, linewidth=2)
    axes.text(-0.3, 0.45, "constant length", color=MARK, fontsize=9, ha="center")


JOINTS = {"hinge": draw_joint(False, True), "slider": draw_joint(True, False), "cylindrical": draw_joint(True, True),
          "fixed": draw_joint(False, False, axis=False), "ball": draw_ball, "universal": draw_universal, "rod": draw_rod}


def draw_joints(path):
    """What each kind of joint leaves free: arrows along and about its axis."""
    draw_grid(path, JOINTS, 2, 4)
