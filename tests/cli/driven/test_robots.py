# SPDX-License-Identifier: Apache-2.0
# Robots of URDF files: masses, joints and meshes against what is known of them, and bad files.
"""usage: test_robots.py PROGRAM ROOT"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import Folder, check, check_error, check_status, finish

SCENE = "simulation{ step = 1/1000, end_time = %g }\n"


def link(name, mass=0.0, centre=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0), rest=""):
    """inertia: xx, yy, zz, xy, xz, yz"""
    keys = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia)
    inertial = (f'<inertial><origin xyz="{" ".join(map(str, centre))}"/><mass value="{mass}"/>'
                f'<inertia {" ".join(f"{key}={chr(34)}{value}{chr(34)}" for key, value in keys)}/></inertial>')
    return f'<link name="{name}">{inertial if mass else ""}{rest}</link>\n'


def joint(name, kind, parent, child, rest=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rest}</joint>\n'


def robot(*parts):
    return '<?xml version="1.0"?>\n<robot name="r">\n' + "".join(parts) + "</robot>\n"


def run(folder, path, *words):
    result = folder.cairn("run", path, "--quiet", "-o", path + ".out", *words)
    check_status(result, 0, path)
    return result


def rows(folder, scene):
    """Time and sensors of a run."""
    lines = folder.read(scene + ".out/sensors.csv").splitlines()[1:]
    return [[float(field) for field in line.split(",")[1:]] for line in lines]


def turns(folder):
    """A pendulum about a slanted axis, whose tensor and centre are off the axes of its link: the time
    of a small swing, and that of two links that are welded."""
    axis = (math.cos(0.3), math.sin(0.3), 0.0)
    tensor = (0.05, 0.04, 0.03, 0.01, -0.005, 0.008)
    xx, yy, zz, xy, xz, yz = tensor
    about = xx * axis[0] ** 2 + yy * axis[1] ** 2 + 2 * xy * axis[0] * axis[1]
    centre = (-0.02 * axis[1], 0.02 * axis[0], -0.5)
    arm = centre[1] * axis[0] - centre[0] * axis[1], centre[2]
    mass, away = 2.0, math.hypot(*arm)
    stiff = mass * 9.81 * away
    hinge = f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
    whole = robot(link("base"), link("bob", mass, centre, tensor), joint("j", "continuous", "base", "bob", hinge))
    # the same in two: a point-like half far out, and the rest
    extra, far = 0.5, (0.1, 0.2, -0.8)
    small = (1e-3, 1e-3, 1e-3, 0, 0, 0)
    parts = robot(link("base"), link("bob", mass, centre, tensor), link("tip", extra, (0, 0, 0), small),
                  joint("j", "continuous", "base", "bob", hinge),
                  joint("w", "fixed", "bob", "tip", f'<origin xyz="{far[0]} {far[1]} {far[2]}" rpy="0.3 0.4 0.5"/>'))
    out_of = far[1] * axis[0] - far[0] * axis[1], far[2]
    both = about + mass * away ** 2 + small[0] + extra * (out_of[0] ** 2 + out_of[1] ** 2)
    pull = [mass * arm[0] + extra * out_of[0], mass * arm[1] + extra * out_of[1]]
    cases = {"whole": (whole, about + mass * away ** 2, stiff, -math.atan2(arm[0], -arm[1])),
             "parts": (parts, both, 9.81 * math.hypot(*pull), -math.atan2(pull[0], -pull[1]))}
    for name, (text, inertia, torque, tilt) in cases.items():
        folder.write(name + ".urdf", text)
        folder.write(name + ".lua", SCENE % 4 + f'import{{ "{name}.urdf" }}\n'
                     'sensor{ name = "q", joint = "j", quantity = "coordinate" }\n')
        run(folder, name + ".lua")
        read = rows(folder, name + ".lua")
        # it swings about where its centre hangs below the axis
        q = [row[1] - tilt for row in read]
        crossings = [read[i][0] - 1e-3 * q[i] / (q[i] - q[i - 1]) for i in range(1, len(q)) if q[i - 1] < 0 <= q[i]]
        check(len(crossings) >= 2, f"{name}: {len(crossings)} crossings")
        period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
        most = max(map(abs, q))
        expected = 2 * math.pi * math.sqrt(inertia / torque) * (1 + most ** 2 / 16)
        check(abs(period / expected - 1) < 2e-4, f"{name}: period {period} and not {expected}")


def lent(folder):
    """A universal joint as two hinges about a link without mass, beside the joint itself."""
    rod = link("rod", 2, (0.3, 0.1, -0.2), (0.02, 0.03, 0.04, 0, 0, 0))
    folder.write("two.urdf", robot(
        link("base"), link("mid"), rod, joint("x", "continuous", "base", "mid", '<axis xyz="1 0 0"/>'),
        joint("y", "continuous", "mid", "rod", '<axis xyz="0 1 0"/>'), link("none"), link("less"),
        joint("z", "continuous", "rod", "none"), joint("w", "continuous", "none", "less")))
    sensor = 'sensor{ name = "p", body = "rod", quantity = "position" }\n'
    folder.write("two.lua", SCENE % 0.2 + 'import{ "two.urdf" }\n' + sensor)
    folder.write("one.lua", SCENE % 0.2 + """body{ name = "rod", shape = sphere{ radius = 0.1 }, mass = 2, groups = 0, mask = 0,
      centre = {0.3, 0.1, -0.2}, inertia = {0.02, 0.03, 0.04, 0, 0, 0} }
joint{ kind = "universal", bodies = {"rod"}, at = {0, 0, 0}, axis = {1, 0, 0}, axis_b = {0, 1, 0} }
""" + sensor)
    told = run(folder, "two.lua")
    check('link "mid" has neither mass nor shape: it is given' in told.err, "a mass that is lent", told)
    check('joint "z" is taken as fixed' in told.err and 'joint "w" is taken as fixed' in told.err, "links of nothing", told)
    run(folder, "one.lua")
    two, one = rows(folder, "two.lua")[-1], rows(folder, "one.lua")[-1]
    check(max(abs(a - b) for a, b in zip(two, one)) < 1e-6 and abs(one[3] + 0.2) > 0.01, f"{two} and not {one}")


def starts(folder):
    """Ranges without 0: a joint starts at their end, and its coordinate says so; sliders too."""
    ball = link("a", 1, (0, 0, -0.3), (0.01, 0.01, 0.01, 0, 0, 0))
    for kind, low, high, at in (("revolute", -2.5, -0.9, -0.9), ("prismatic", 0.2, 0.5, 0.2)):
        rest = f'<axis xyz="0 0 1"/><limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
        folder.write(kind + ".urdf", robot(link("base"), ball, joint("j", kind, "base", "a", rest)))
        folder.write(kind + ".lua", SCENE % 0.002 + f'gravity{{0, 0, 0}}\nimport{{ "{kind}.urdf" }}\n'
                             'sensor{ name = "q", joint = "j", quantity = "coordinate" }\n'
                             'sensor{ name = "x", body = "a", quantity = "position" }\n')
        result = run(folder, kind + ".lua")
        check("limit.effort (line" in result.err, "effort is told of", result)
        row = rows(folder, kind + ".lua")[-1]
        check(abs(row[1] - at) < 1e-12, f"{kind} starts at {row[1]}")
        height = -0.3 + (at if kind == "prismatic" else 0)
        check(abs(row[4] - height) < 1e-12, f"{kind}: height {row[4]}")


def meshes(folder):
    """Files of a package, stretched and mirrored; one that is not there."""
    folder.write("arm_description/meshes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    mesh = ('<collision><geometry><mesh filename="package://arm_description/meshes/t.obj" scale="0.2 -0.3 0.4"/>'
            '</geometry></collision>')
    gone = ('<collision><geometry><mesh filename="package://arm_description/meshes/none.stl"/></geometry></collision>'
            '<visual><geometry><box size="1 1 1"/></geometry></visual>')
    path = "arm_description/urdf/arm.urdf"
    folder.write(path, robot(
        link("base"), link("a", rest=mesh), link("b", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0), gone),
        joint("j", "continuous", "base", "a"), joint("k", "continuous", "a", "b"), '<transmission name="t"/>\n'))
    result = run(folder, path, "--until", "0.01", "--step", "0.001")
    check('arm.urdf:5: link "b" is without its mesh "meshes/none.stl": there is no such file' in
          result.err, "a mesh that is not there", result)
    check("transmission (line" in result.err, "what is left out", result)
    information = folder.cairn("info", path)
    # a tetrahedron of water, and 1 kg
    check(f"{1000 * 0.2 * 0.3 * 0.4 / 6 + 1:.4g} kg" in information.out, "masses", information)


def places(folder):
    """A free robot on the ground carries its weight, under the names that import{} gives."""
    foot = '<collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
    folder.write("stand.urdf", robot(
        link("root", 3, (0, 0, 0), (0.05, 0.05, 0.08, 0, 0, 0), foot),
        link("head", 1, (0, 0, 0.2), (0.01, 0.01, 0.01, 0, 0, 0)), joint("neck", "fixed", "root", "head")))
    folder.write("stand.lua", SCENE % 0.5 + 'ground{}\n'
                         'import{ "stand.urdf", at = {1, 2, 0.05}, rotation = { axis = {0, 0, 1}, angle = 90 },\n'
                         '        name = "left", base = "free" }\n'
                         'sensor{ name = "f", body = "left/root", quantity = "force" }\n'
                         'sensor{ name = "x", body = "left/root", quantity = "position" }\n')
    run(folder, "stand.lua")
    row = rows(folder, "stand.lua")[-1]
    check(abs(row[3] - 4 * 9.81) < 1e-6, f"weight {row[3]}")
    check(abs(row[4] - 1) < 1e-9 and abs(row[5] - 2) < 1e-9 and abs(row[6] - 0.1) < 1e-6, f"place {row[4:7]}")


GOOD = (link("base"), link("a", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
BAD = {
    "not xml": ("<robot>\n<link", r"bad\.urdf:2: "),
    "entities": ('<!DOCTYPE r [<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]>\n<robot>&b;</robot>',
                 r"bad\.urdf:1: declares an entity"),
    "deep": ("<a>" * 100000, r"bad\.urdf:1: more elements"),
    "other": ("<mujoco/>", r'bad\.urdf:1: the first element is "mujoco"'),
    "macros": ('<robot xmlns:xacro="x">\n<xacro:include filename="a"/></robot>', r"bad\.urdf:2: .*xacro FILE"),
    "empty": ("<robot/>", r"bad\.urdf:1: robot has no link"),
    "number": (robot(*GOOD[:1], link("a", "1 2", (0, 0, 0), (1, 1, 1, 0, 0, 0))), r'bad\.urdf:4: value = "1 2" of mass'),
    "mass": (robot(link("a", -1)), r"bad\.urdf:3: mass = -1 kg .* must not be negative"),
    "twice": (robot(*GOOD, link("a")), r'bad\.urdf:5: there is a link "a" already, on line 4'),
    "no link": (robot(*GOOD, joint("j", "fixed", "base", "c")), r'bad\.urdf:5: there is no link "c"'),
    "type": (robot(*GOOD, joint("j", "planar", "base", "a")), r'bad\.urdf:5: joint "j" is of type "planar"'),
    "roots": (robot(*GOOD), r'bad\.urdf:4: links "base" and "a" are children of no joint'),
    "ring": (robot(*GOOD, joint("j", "continuous", "base", "a"), joint("k", "continuous", "a", "base")),
             r'bad\.urdf:\d: link "\w+" is, over joints, its own parent'),
    "parents": (robot(*GOOD, joint("j", "continuous", "base", "a"), joint("k", "fixed", "base", "a")),
                r'bad\.urdf:6: link "a" is the child of joint "j" on line 5'),
    "range": (robot(*GOOD, joint("j", "revolute", "base", "a", '<limit lower="2" upper="1"/>')),
              r"bad\.urdf:5: lower = 2 is above upper = 1"),
    "axis": (robot(*GOOD, joint("j", "revolute", "base", "a", '<axis xyz="0 0 0"/>')), r"bad\.urdf:5: the axis"),
    "size": (robot(link("base", rest='<collision><geometry><sphere radius="-1"/></geometry></collision>')),
             r"bad\.urdf:3: .*radius"),
    "outside": (robot(link("base", rest='<collision><geometry><mesh filename="../../../../../../etc/passwd.stl"/>'
                                        '</geometry></collision>')), None),
}


def bad(folder):
    for name, (text, words) in BAD.items():
        folder.write("bad.urdf", text)
        result = folder.cairn("run", "bad.urdf", "--quiet", "--until", "0.001", "-o", "bad.out", timeout=10)
        if words is None:
            check("is without its mesh" in result.err, name, result)
        else:
            check_error(result, 3, words, name)
            check(not folder.has("bad.out"), f"{name}: nothing is written")
    folder.write("no.lua", 'import{ "none.urdf" }')
    check_error(folder.cairn("info", "no.lua"), 3, r'no\.lua:1: file "none\.urdf"', "no file")
    folder.write("no.lua", "import{}")
    check_error(folder.cairn("info", "no.lua"), 3, r"no\.lua:1: import wants a file", "no name")


def main():
    with Folder() as folder:
        for part in (turns, lent, starts, meshes, places, bad):
            part(folder)
    finish()


main()
