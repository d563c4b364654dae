# SPDX-License-Identifier: Apache-2.0
# Emitters, outlets and removals in scenes: rates, overlaps, sizes, restart, messages.
"""usage: test_grains.py PROGRAM ROOT"""
import math

from same import check_trajectories, h5py

from command import Folder, check, check_error, check_status, finish, load

FREE = "simulation{ step = 1/1000, end_time = 1 }\ngravity{ 0, 0, 0 }\n"
BOX = "region = { min = {0, 0, 0}, max = {0.2, 0.2, 0.2} }"
DEM = """simulation{ step = 1e-4, end_time = 0.4 }
material{ name = "glass", density = 2500, young_modulus = 1e7, poisson_ratio = 0.3 }
pair{ law = "%s", friction = 0.4 }
ground{ material = "glass" }
emitter{ name = "pour", region = { from = {0,0,0.15}, to = {0,0,0.25}, radius = 0.05 }, %s, material = "glass",
         rate = 500, to = 0.3, velocity = {0, 0, -1}, spread = 0.1, turned = true }
outlet{ name = "edge", region = { min = {-0.06,-0.06,-1}, max = {0.06,0.06,1} }, outside = true }
"""

BAD = {
    "no room": (f'emitter{{ {BOX}, size = 0.3, rate = 1 }}', r'bad\.lua:3: .*no room: its region holds a ball of 0\.1 m'
                r' radius, and its largest grain needs 0\.15 m'),
    "no rate": (f'emitter{{ {BOX}, size = 0.01 }}', r"bad\.lua:3: .*give a rate"),
    "both": (f'emitter{{ {BOX}, size = 0.01, rate = 1, mass_rate = 1 }}', r"bad\.lua:3: .*not both"),
    "no size": (f'emitter{{ {BOX}, rate = 1 }}', r"bad\.lua:3: .*needs a shape, or the size"),
    "no region": ("emitter{ size = 0.01, rate = 1 }", r"bad\.lua:3: .*region"),
    "empty": ("outlet{ region = { min = {0,0,0}, max = {1,0,1} } }", r"bad\.lua:3: .*empty"),
    "mixed": ("outlet{ region = { min = {0,0,0}, max = {1,1,1}, radius = 1 } }", r"bad\.lua:3: .*region is one of"),
    "typing": (f'emitter{{ {BOX}, sise = 1 }}', r'bad\.lua:3: .*"sise".*did you mean "size"'),
    "kind": ('sizes{ "gauss", mean = 1 }', r'bad\.lua:3: unknown distribution of sizes "gauss"'),
    "order": ('sizes{ "uniform", min = 2, max = 1 }', r"bad\.lua:3: .*sizes from 2 m to 1 m"),
    "key": ('sizes{ "normal", mean = 2, median = 1 }', r'bad\.lua:3: .*"median"'),
    "name": ('remove{ body = "gate", at = 1 }', r'bad\.lua:3: .*"gate"'),
    "time": ('body{ name = "g", shape = sphere{ radius = 1 } } remove{ body = "g" }', r"bad\.lua:3: .*at"),
}


def bodies(folder, name):
    lines = [line.split(",") for line in folder.read(f"{name}/bodies.csv").splitlines()[1:]]
    return [[float(x) for x in row[3:6]] for row in lines if row[2] == "dynamic"]


def summary(folder, name):
    return load(folder.read(name + "/summary.json"))


def check_rate():
    """Grains stay where they come: as many as the rate says, none overlapping, and what waits is said."""
    for rate, key in ((40, "rate"), (40 * 1000 * math.pi / 6 * 0.02**3, "mass_rate")):
        with Folder() as folder:
            folder.write("a.lua", FREE + f"emitter{{ {BOX}, size = 0.02, {key} = {rate}, to = 0.5 }}\n")
            check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, key)
            emitter = summary(folder, "r")["emitters"][0]
            check(emitter["count"] == 20 and emitter["waiting"] == 0, f"{key}: {emitter}")
    with Folder() as folder:
        folder.write("a.lua", FREE + f"emitter{{ {BOX}, size = 0.03, count = 1000, every = 0.1, attempts = 1000 }}\n")
        result = folder.cairn("run", "a.lua", "--out", "r", "--quiet")
        check_status(result, 0, "full")
        check('emitter "emitter" has no room at t = 0 s' in result.err, "what waits is said", result)
        emitter, places = summary(folder, "r")["emitters"][0], bodies(folder, "r")
        check(60 < emitter["count"] < 1000 and emitter["count"] + emitter["waiting"] == 1000, f"full: {emitter}")
        check(len(places) == emitter["count"], "as many bodies as grains")
        gap = min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i]) - 0.03
        wall = min(min(x - 0.015, 0.185 - x) for place in places for x in place)
        check(gap > 0 and wall > -1e-12, f"gaps of {gap} and to the region of {wall}")


def check_kinds():
    """Grains of any kind overlap nothing when they come: without gravity nothing ever touches."""
    mixture = """grains = { { shape = box{ size = {1, 1, 2} }, size = sizes{ "uniform", min = 0.02, max = 0.03 } },
      { shape = polyhedron{ points = { {0,0,0}, {1,0,0}, {0,1,0}, {0,0,1} } }, size = 0.02, share = 2 },
      { shape = compound{ { shape = sphere{ radius = 1 } }, { shape = sphere{ radius = 1 }, position = {1, 0, 0} } },
        size = sizes{ "lognormal", median = 0.02, deviation = 0.2 } },
      { shape = capsule{ radius = 0.01, length = 0.02 } }, by = "mass" }"""
    for region in ("min = {0, 0, 0}, max = {0.2, 0.2, 0.2}", "centre = {0.1, 0.1, 0.1}, radius = 0.12",
                   "hull = polyhedron{ points = { {0,0,0}, {0.4,0,0}, {0,0.4,0}, {0,0,0.4} } }"):
        with Folder() as folder:
            folder.write("a.lua", FREE + "body{ kind = 'fixed', shape = box{ size = {0.1, 0.1, 0.1} } }\n"
                         f"emitter{{ region = {{ {region} }}, {mixture}, count = 60, every = 0.5 }}\n")
            result = folder.cairn("run", "a.lua", "--out", "r", "--json", "--until", "0.2", "--simulation-set",
                                  "margin=false")
            check_status(result, 0, region)
            said = load(result.out)
            check(said["bodies"] > 30 and said["penetration_max"] == 0 and said["contacts_max"] == 0, f"{region}: {said}")


def check_frames(path, name):
    """Each frame has its bodies, their numbers stay, and some frames have contacts."""
    with h5py.File(path) as file:
        first, count, known = (file["body_" + word][()] for word in ("first", "count", "known"))
        check(count[0] == 1 and max(count) > 50 and min(count[5:]) > 1, f"{name}: bodies a frame {count}")
        check(known[-1] == 151 == len(file["body_mass"]), f"{name}: {known[-1]} bodies known")
        for i, (begin, many) in enumerate(zip(first, count)):
            numbers = list(file["body"][begin:begin + many])
            check(len(set(numbers)) == many and max(numbers) < known[i], f"{name}: numbers {numbers}")
        kept = file["contact_count"][()]
        check((kept[::2] >= 0).all() and (kept[1::2] == -1).all() and kept.max() > 0, f"{name}: contacts {kept}")
        check((kept[::2] == file["contacts"][()][::2]).all(), f"{name}: contacts kept of all")


def check_bits():
    """The same bits for threads and after a restart in the middle, and the mass adds up."""
    sizes = 'size = sizes{ "normal", mean = 0.008, deviation = 0.001 }'
    clumps = """shape = compound{ { shape = sphere{ radius = 1 } }, { shape = sphere{ radius = 1 }, position = {1, 0, 0} } },
      size = sizes{ "uniform", min = 0.008, max = 0.012, by = "mass" }"""
    for name, scene in {"spheres": DEM % ("hertz_mindlin", sizes), "clumps": DEM % ("hooke", clumps)}.items():
        with Folder() as folder:
            folder.write("a.lua", scene)
            half = ("run", "a.lua", "--quiet", "--paraview-every", "0", "--trajectory-every", "200",
                    "--contacts-every", "400")
            check_status(folder.cairn(*half, "--out", "one"), 0, name)
            check_status(folder.cairn(*half, "--out", "two", "--threads", "2"), 0, name)
            check_status(folder.cairn(*half, "--out", "half", "--until", "0.16"), 0, name)
            check_status(folder.cairn(*half, "--out", "rest", "--restart", "half/checkpoint.h5"), 0, name)
            one, two, rest = (summary(folder, run) for run in ("one", "two", "rest"))
            check(one["state_hash"] == two["state_hash"], f"{name}: bits of two threads")
            check(one["state_hash"] == rest["state_hash"], f"{name}: bits after restart")
            check(one["emitters"] == rest["emitters"] and one["outlets"] == rest["outlets"], f"{name}: counts")
            check(one["emitters"][0]["count"] == 150 and one["outlets"][0]["count"] > 10, f"{name}: {one['outlets']}")
            check(one["bodies"] == 1 + 150 - one["outlets"][0]["count"], f"{name}: bodies that are left")
            check_status(folder.cairn(*half, "--out", "half", "--restart", "half/checkpoint.h5"), 0, name)
            if h5py:
                check_trajectories(*(f"{folder.path}/{run}/trajectory.h5" for run in ("one", "half")), name)
                check_frames(f"{folder.path}/one/trajectory.h5", name)


def check_remove():
    """A gate goes, and what it held falls."""
    with Folder() as folder:
        folder.write("a.lua", """simulation{ step = 1/500, end_time = 0.5 }
body{ name = "gate", kind = "fixed", shape = box{ size = {1, 1, 0.1} }, position = {0, 0, -0.05} }
body{ name = "ball", shape = sphere{ radius = 0.1 }, position = {0, 0, 0.1} }
remove{ body = "gate", at = 0.2 }
sensor{ name = "z", body = "ball", quantity = "position" }
sensor{ name = "f", body = "gate" }
""")
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet"), 0, "remove")
        rows = [[float(x) for x in line.split(",")] for line in folder.read("r/sensors.csv").splitlines()[1:]]
        for row in rows:
            fallen = max(row[1] - 0.2, 0.0)
            check(abs(row[4] - (0.1 - 0.5 * 9.81 * fallen**2)) < 1e-4, f"at {row[1]} s the ball is at {row[4]} m")
        check(math.isnan(rows[-1][-1]) and abs(rows[50][-1] + 9.81 * 1000 * math.pi / 750) < 1e-3,
              f"force on the gate: {rows[50][-1]}, and none at the end: {rows[-1][-1]}")


def check_draws():
    with Folder() as folder:
        folder.write("a.lua", FREE + 'local s = sizes{ "table", points = { {0.01, 0}, {0.02, 0.5}, {0.05, 1} }, by = "mass" }\n'
                     "local sum = 0\nfor i = 1, 1000 do local d = s() assert(d >= 0.01 and d <= 0.05) sum = sum + d end\n"
                     "assert(sum > 12 and sum < 19, sum)\nground{}\n")
        check_status(folder.cairn("run", "a.lua", "--out", "r", "--quiet", "--until", "0.01"), 0, "draws")


def check_bad():
    for name, (text, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", FREE + text + "\nground{}\n")
            check_error(folder.cairn("run", "bad.lua", "--out", "r"), 3, pattern, name)


check_rate()
check_kinds()
check_bits()
check_remove()
check_draws()
check_bad()
finish()
