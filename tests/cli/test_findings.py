# SPDX-License-Identifier: Apache-2.0
# What an attack on the command found, one check each; docs/reliability.md says what and why.
import csv
import os
import re
import subprocess
import time

try:
    import h5py
except ImportError:
    h5py = None

from command import PROGRAM, SMALL, Folder, check, check_error, check_status, finish, load

ROCK = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

FAR_JOINT = """
simulation{ step = 1/200, end_time = 0.05 }
ground{}
body{ name = "a", shape = sphere{radius = 0.1}, position = {0, 0, 0.1} }
body{ name = "b", shape = sphere{radius = 0.1}, position = {0, 1e308, 0.25} }
joint{ name = "far", kind = "rod", bodies = {"a", "b"}, at = {0, 0, 0.1}, to = {0.1, 0.1, 0.3} }
"""
# springs that a step hundreds of times too long lets gain energy
ENERGY_FROM_NOTHING = """
simulation{ step = 1e-3, end_time = 0.5 }
pair{ law = "hertz_mindlin", young_modulus = 70e9 }
ground{}
body{ name = "a", shape = sphere{ radius = 0.1 }, position = {0, 0, 0.2} }
body{ name = "b", shape = sphere{ radius = 0.1 }, position = {0, 0, 0.39} }
"""
# solves that end after three iterations, around a rock of 1e19 m
UNCONVERGED = """
simulation{ step = 1/200, end_time = 1.0, max_iterations = 3 }
solver{"gauss_seidel"}
material{ name = "stone", density = 2600 }
pair{ friction = 0.5, restitution = 0.3 }
ground{ material = "stone" }
body{ name = "a", shape = box{size={0.2,0.1,0.3}}, material = "stone", position = {0.01, 0.02, 0.05},
      rotation = { axis = {1, 0.3, 0}, angle = 20 }, velocity = {1, 0, -2}, angular_velocity = {3, 1, 2} }
body{ name = "b", shape = cylinder{radius=0.1,length=0.05}, density = 300, position = {0.05, 0.1, 0.25} }
body{ name = "c", kind = "moving", shape = polyhedron{file="rock.obj",scale=1e20}, position = {0.3, 0.1, 0.1},
      velocity = {-1, 0, 0} }
"""
HOSTILE_TEXTS = (
    b'title "A \\27]0;PWNED\\7\\27[31mRED <b>&amp; \\"q\\" , \\n line2 \\200\\255 \\u{1F600} \\127"\n'
    b'material{name="m\\27[31m<>&\\"\\n,\\255", density=1000}\n'
    b'ground{name="g\\27[2J,\\"<&>\\n\\255"}\n'
    b'body{name="b\\27[31m,\\"x\\"<&>\\n\\255\\r=1+1", shape=sphere{radius=0.1}, position={0,0,0.09}}\n'
    b'local p=param("q","te\\27xt<&>\\255\\n,","help \\27[31m <&> \\255\\n")\n'
    b'sensor{name="s\\27[31m<&>\\255", body="b\\27[31m,\\"x\\"<&>\\n\\255\\r=1+1", quantity="force"}\n'
    b'print("log \\27[31m \\255 \\n line")\nsimulation=nil\n')


def check_not_finite():
    with Folder() as folder:
        folder.write("far.lua", FAR_JOINT)
        result = folder.cairn("run", "far.lua", "--quiet")
        check_error(result, 1, r'step 1, t = 0 s: .*joint 0 \("far"\)', "a joint that is not finite is named")
        info = folder.cairn("info", "out/far/checkpoint.h5")
        check(info.status != 0 or folder.has("out/far/checkpoint.h5"), "no checkpoint of what is not finite")


def check_energy():
    with Folder() as folder:
        folder.write("rock.obj", ROCK)
        folder.write("nothing.lua", ENERGY_FROM_NOTHING)
        check_error(folder.cairn("run", "nothing.lua", "--quiet"), 1, r'step \d+ at \S+ s: explosion: .* J in a scene that holds \S+ J; body \d \("[ab]"\) has the most kinetic '
                    r'energy, at \S+ m/s. Likely cause: the time step 0.001 s, which is longer than the stable step \S+ s of law hertz_mindlin',
                    "energy from nothing")
        folder.write("unconverged.lua", UNCONVERGED)
        check_error(folder.cairn("run", "unconverged.lua", "--quiet"), 5, r"\d+ of 200 steps .* above the tolerance",
                    "unconverged solves")
        check_status(folder.cairn("run", "box_stack", "--set", "boxes=4", "-q", "-o", "b"), 0, "box_stack")
        with open(folder.path + "/b/energy.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        friction = [float(row["friction dissipation [J]"]) for row in rows]
        check(all(b >= a for a, b in zip(friction, friction[1:])), "friction never gives energy back")


def check_end_times():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        folder.write("long.lua", SMALL.replace("end_time = 0.05", "end_time = 1e18"))
        check_error(folder.cairn("run", "small.lua", "--until", "1e17"), 2, r"--until 1e\+17 s takes 2e\+19 steps", "--until")
        check_error(folder.cairn("run", "long.lua"), 3, r"long\.lua: end_time 1e\+18 s takes", "end_time")
        check(not folder.has("out"), "end times that cannot be reached leave nothing")
        film = folder.cairn("render", "long.lua", "-o", "a.mp4", "--until", "1e300", timeout=60)
        check(film.status in (1, 2, 4), f"a film without end: exit status {film.status}", film)


def check_other_law():
    """--law on scenes whose default pair does not name its law."""
    with Folder() as folder:
        folder.write("unnamed.lua", "pair{ friction = 0.5, restitution = 0.1 }\nmaterial{ name = 'a' }\n"
                     "pair{ 'a', 'a', friction = 0.1, restitution = 0 }\nground{}\n"
                     "body{ shape = sphere{radius = 0.1}, position = {0, 0, 0.1} }\n")
        laws = [load(line)["name"] for line in folder.cairn("list", "laws", "--json").out.splitlines()]
        for scene in ("unnamed.lua", "arch", "chain"):
            for law in laws:
                result = folder.cairn("run", scene, "--law", law, "--step", "1e-5", "--until", "1e-5", "-q", "-o", "r")
                check_status(result, 0, f"{scene} with law {law}")
                used = {pair["law"] for pair in load(folder.read("r/resolved.json"))["pairs"]}
                check(used == {law}, f"{scene} with law {law}: laws {used}")
        folder.write("wrong.lua", "pair{ friction = 0.5, frction = 0.1 }\nground{}\n")
        check_error(folder.cairn("run", "wrong.lua", "--law", "hooke"), 3, "frction", "a wrong key stays wrong")


def check_laws_in_use():
    """A run and `info` name the laws by which bodies can touch, not one that nothing follows."""
    pairs = {
        "pair{ law = 'hooke' }\npair{ 'a', 'a', law = 'hertz_mindlin' }": "hertz_mindlin",
        "pair{ law = 'hooke' }\nmaterial{ name = 'b' }\n"
        "body{ shape = sphere{radius = 0.1}, position = {1, 0, 0.1}, material = 'b' }\n"
        "pair{ 'a', 'a', law = 'hertz_mindlin' }": "hertz_mindlin, hooke",
        "pair{ law = 'hooke' }": "hooke",
    }
    with Folder() as folder:
        for written, expected in pairs.items():
            folder.write("laws.lua", "simulation{ step = 1e-5, end_time = 1e-4 }\nmaterial{ name = 'a' }\n"
                         "ground{ material = 'a' }\nbody{ shape = sphere{radius = 0.1}, position = {0, 0, 0.1}, material = 'a' }\n"
                         + written + "\n")
            result = folder.cairn("run", "laws.lua", "--json")
            check(load(result.out)["law"] == expected, f"run names {expected}", result)
            described = folder.cairn("info", "laws.lua", "--json")
            check(load(described.out)["law"] == expected, f"info names {expected}", described)
        nothing = folder.cairn("info", "chain", "--json")
        check(load(nothing.out)["law"] == "signorini_coulomb", "a built-in scene", nothing)


def check_endless_functions():
    """Library functions of a scene are bounded before they begin, in motions too."""
    hang = SMALL + """
local s = ("("):rep(1000000)
body{ name = "t", kind = "moving", shape = box{ size = {1, 1, 0.05} }, position = {0, 0, 3} }
motion{ body = "t", position = function(t) if t > 0.008 then s:find("%b()") end return 0.02 * t, 0, 3 end }
"""
    loads = {
        "balanced": ('("("):rep(1000000):find("%b()")', "too costly"),
        "plain": ('("a"):rep(8e6):find(("a"):rep(4e6) .. "b", 1, true)', "too costly"),
        "empty": ('(""):rep(1e18)', "1e9 repetitions"),
        "reference": ('("a"):rep(200000):find("(a)%1b")', "too costly"),
        "long text": ('local t = ("x"):rep(15e6) t = t .. t', "16 MB"),
    }
    with Folder() as folder:
        folder.write("hang.lua", hang)
        check_error(folder.cairn("run", "hang.lua", "-q", timeout=60), 1, r'motion of "t".*too costly', "a motion's search")
        for name, (line, message) in loads.items():
            folder.write("load.lua", line + "\nground{}\n")
            check_error(folder.cairn("run", "load.lua", timeout=60), 3, r"load\.lua(:1)?: .*" + message, f"{name}")
        for line in ('local t = {} for i = 1, 3e6 do t[i] = i end for i = 1, 1e7 do table.insert(t, 1, i) end',
                     'local s = ("a"):rep(30000) for i = 1, 1e9 do s:find("a-b") end',
                     'local a, b, t = ("x"):rep(1e7) .. "a", ("x"):rep(1e7) .. "b", {} '
                     'for i = 1, 1e6 do t[i] = i % 2 == 0 and a or b end table.sort(t)'):
            folder.write("load.lua", line + "\nground{}\n")
            started = time.monotonic()
            result = folder.cairn("run", "load.lua", "--scene-time-limit", "1", timeout=60)
            check_error(result, 3, "too long|more than", line[:40])
            check(time.monotonic() - started < 30, f"{line[:40]}: {time.monotonic() - started} s of one allowed")


def check_memory():
    bomb = 'ground{name="g"}\nlocal l = {}\nfor i = 1, 1000000 do l[i] = "g" end\n' \
           'for i = 1, 2000 do sensor{ name = "s" .. i, bodies = l } end\n'
    shapes = 'ground{}\nfor i = 1, 1e7 do\n  polyhedron{ points = { {0,0,0}, {i,0,0}, {0,i,0}, {0,0,i} } }\nend\n'
    with Folder() as folder:
        folder.write("bomb.lua", bomb)
        folder.write("twice.lua", SMALL + 'sensor{ name = "t", bodies = {"block", "block"} }')
        folder.write("shapes.lua", shapes)
        check_error(folder.cairn("run", "bomb.lua"), 3, r"bomb\.lua:4: .*1000000 bodies, more than there are", "sensors")
        check_error(folder.cairn("run", "twice.lua"), 3, 'names body "block" twice', "a body twice in a sensor")
        check_error(folder.cairn("run", "shapes.lua", "--memory-limit", "8"), 3,
                    r"shapes\.lua.* more than 8 MB .*--memory-limit", "a loop of shapes")


def check_texts():
    """Nothing of a scene's names reaches a terminal raw; all files are valid UTF-8."""
    controls = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
    with Folder() as folder:
        folder.write("esc.lua", HOSTILE_TEXTS)
        for words in (("run", "esc.lua", "-o", "r"), ("run", "esc.lua", "--help"), ("info", "esc.lua"), ("info", "r"),
                      ("run", "esc.lua", "--json", "-o", "s"), ("info", "r/trajectory.h5"), ("compare", "r", "s"),
                      ("run", "esc.lua", "--set", "qq=1"), ("run", "\x1b[31mno.lua"), ("info", "r", "--json"),
                      ("compare", "r", "s", "--json"), ("info", "esc.lua", "--json")):
            done = subprocess.run([PROGRAM, *words], cwd=folder.path, capture_output=True, timeout=120)
            for text in (done.stdout, done.stderr):
                check(controls.search(text) is None, f"{words}: controls in {text[:300]}")
                try:
                    text.decode()
                except UnicodeDecodeError as problem:
                    check(False, f"{words}: not UTF-8: {problem}")
        for name in ("summary.json", "resolved.json"):
            load(folder.read("r/" + name))
        for name in ("sensors.csv", "bodies.csv", "energy.csv"):
            with open(f"{folder.path}/r/{name}", encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            check(len({len(row) for row in rows}) == 1, f"{name}: rows of one length")
        if h5py is None:
            return
        with h5py.File(folder.path + "/r/trajectory.h5") as file:
            for key, value in file.attrs.items():
                if isinstance(value, bytes):
                    value.decode()
            check(file["scene_text"][()] == HOSTILE_TEXTS, "the scene's text is kept as it was")


def check_laws_and_meshes():
    with Folder() as folder:
        folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n")
        folder.write("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
        for shape, name in (("polyhedron", "flat"), ("mesh", "line")):
            folder.write("s.lua", f'ground{{}}\nbody{{ kind = "fixed", shape = {shape}{{ file = "{name}.obj" }} }}\n')
            check_error(folder.cairn("run", "s.lua"), 3, rf"s\.lua:2: .*{name}\.obj: ", f"the file of a {shape} is named")
        folder.write("zero.lua", SMALL.encode() + b'-- \0\nbody{}\n')
        check_error(folder.cairn("run", "zero.lua"), 3, "zero byte", "a scene with a zero byte")
        huge = folder.cairn("law", "hertz_mindlin", "--set", "overlap=1e300")
        check(huge.status != 0 or "nan" not in huge.out.lower(), "a law prints no NaN as an answer", huge)


def check_hints():
    """What a user types first has an answer that says how it is right."""
    cases = [
        ('sphre{ radius = 0.1 }', r"""h\.lua:1: unknown call 'sphre' \(did you mean "sphere"\?\)"""),
        ('qqqqqqqq{}', r"h\.lua:1: unknown call 'qqqqqqqq' \(there are: title, param, simulation"),
        ('simulation{ gravity = {0, 0, -9.81} }', r'gravity is a call of its own'),
        ('body{ zzzzz = 1 }', r'unknown key "zzzzz" \(there are: name, kind, shape'),
    ]
    with Folder() as folder:
        for line, pattern in cases:
            folder.write("h.lua", line + "\n" + SMALL)
            check_error(folder.cairn("run", "h.lua"), 3, pattern, line)
        for ends, swapped in (("at = {0, 0, 2}, to = {0, 0, 1}", False), ("at = {0, 0, 1}, to = {0, 0, 2}", True)):
            folder.write("rod.lua", 'body{ name = "bob", shape = sphere{ radius = 0.1 }, position = {0, 0, 1} }\n'
                         f'joint{{ kind = "rod", bodies = {{"bob"}}, {ends} }}\n')
            result = folder.cairn("run", "rod.lua", "--until", "0.01")
            check_status(result, 0, ends)
            check(("are they swapped?" in result.err) == swapped, f"rod: {ends}: {result.err}")
        check_error(folder.cairn("run", "kapla"), 3, r'did you mean the built-in scene "kapla_tower"', "kapla")
        folder.write("p.lua", 'local a = param("angle", 20, "degrees")\n'
                     'local n = param("n", 3, "count", { integer = true })\nprint("angle" .. a, "n" .. n)\n' + SMALL)
        for words, pattern in ((("angle=26.5",), "angle26.5 n3"), (("angle=30", "n=4"), "angle30 n4"), ((), "angle20 n3")):
            sets = [word for value in words for word in ("--set", value)]
            result = folder.cairn("run", "p.lua", *sets)
            check_status(result, 0, f"parameters {words}")
            check(pattern in result.err, f"parameters {words}: {result.err}")
        check_error(folder.cairn("run", "p.lua", "--set", "n=2.5"), 2, "n = 2.5 must be a whole number", "n=2.5")
        spheres = folder.cairn("run", "sphere_heap", "--law", "hooke", "--step", "1e-5", "--until", "1e-4")
        check_status(spheres, 0, "a run of an explicit law")
        check("iterations a step" not in spheres.out and "one-contact" not in spheres.out, "no solver line", spheres)


def check_byte_order_marks():
    """Editors of some systems put one before a text: scenes, tables, meshes, parameters of a sweep."""
    with Folder() as folder:
        mark = "\ufeff"
        folder.write("rock.obj", mark + "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        folder.write("grains.csv", mark + "name,x,y,z,radius\na,5,0,1,0.1\n")
        folder.write("quake.csv", mark + "t [s],ax [g]\n0,0\n1,0\n")
        folder.write("part.lua", mark + "return 0.02\n")
        folder.write("s.lua", mark + """title "marked"
local mu = param("mu", 0.5)
simulation{ step = 1 / 200, end_time = require("part") }
pair{ friction = mu }
ground{}
bodies_from_csv{ file = "grains.csv" }
body{ name = "rock", shape = polyhedron{ file = "rock.obj" }, density = 6000, position = {0, 0, 1} }
gravity{ 0, 0, -9.81, frame = { table("quake.csv", "ax"), 0, 0 } }
""")
        found = load(folder.cairn("info", "s.lua", "--json").out)
        check(abs(found["mass"] - 1000 - 1000 * 4 / 3 * 3.14159265 * 1e-3) < 1e-3, f"marked files: {found}")
        folder.write("t.csv", mark + "mu\n0.1\n")
        check_status(folder.cairn("sweep", "s.lua", "t.csv", "-q", "-o", "sweep"), 0, "a marked table of a sweep")


def check_checkpoint_size():
    """A checkpoint has what the same bits need, compressed: no lists that a restart makes again."""
    with Folder() as folder:
        folder.write("bed.lua", """
simulation{ step = 1e-5, end_time = 2e-4 }
material{ name = "m", density = 2500 }
pair{ law = "hooke" }
ground{ material = "m" }
local grain = sphere{ radius = 0.005 }
for i = 0, 7999 do
  body{ shape = grain, material = "m",
        position = { i % 20 * 0.00995 + 1e-6 * math.random(), i // 20 % 20 * 0.00995, 0.0049 + i // 400 * 0.00995 } }
end
""")
        check_status(folder.cairn("run", "bed.lua", "--out", "r", "--quiet"), 0, "a bed")
        contacts = load(folder.read("r/summary.json"))["contacts_max"]
        size = os.path.getsize(os.path.join(folder.path, "r/checkpoint.h5")) / 8000
        check(contacts > 20000 and size < 600, f"a checkpoint of {contacts} contacts has {size} bytes a sphere")


check_not_finite()
check_energy()
check_hints()
check_end_times()
check_other_law()
check_laws_in_use()
check_endless_functions()
check_memory()
check_texts()
check_laws_and_meshes()
check_byte_order_marks()
check_checkpoint_size()
finish()
