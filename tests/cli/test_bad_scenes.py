# SPDX-License-Identifier: Apache-2.0
# Wrong scenes: exit status 3, one clear line with file and line, and nothing left behind.
"""usage: test_bad_scenes.py PROGRAM ROOT"""
import os
import time

from command import Folder, check, check_error, check_status, finish

HEAD = 'material{ name = "stone" }\nground{ material = "stone" }\n'
BOX = "box{ size = {1, 1, 1} }"
JOINTED = "body{{ name = 'b', shape = " + BOX.replace("{", "{{").replace("}", "}}") + " }} joint{{ {} }}"

# name: (scene, message); the mistake is in line 3 unless the message says otherwise
BAD = {
    "unknown key": (HEAD + "pair{ frction = 0.3 }", r'bad\.lua:3: unknown key "frction" \(did you mean "friction"\?\)'),
    "a key of other programs": (HEAD + "body{ fixed = true, shape = " + BOX + " }", r'bad\.lua:3: body: unknown key "fixed" \(write kind = "fixed"\)'),
    "a step of other programs": (HEAD + "simulation{ dt = 0.01 }", r'bad\.lua:3: simulation: unknown key "dt" \(write step = \.\.\.\)'),
    "unknown body key": (HEAD + "body{ shape = " + BOX + ", densty = 3 }", r'bad\.lua:3: body: unknown key "densty" \(did you mean "density"\?\); there are: name, kind'),
    "unknown call": (HEAD + "bdy{ shape = 1 }", r"bad\.lua:3: .*bdy"),
    "wrong type": (HEAD + "body{ shape = 3 }", r"bad\.lua:3: shape must be a shape"),
    "wrong number": (HEAD + 'sphere{ radius = "big" }', r"bad\.lua:3: radius must be a number, not string"),
    "wrong list": (HEAD + "box{ size = {1, 2} }", r"bad\.lua:3: size must be a list of 3 numbers"),
    "no table": (HEAD + "body(3)", r"bad\.lua:3: body wants a table"),
    "position in text": (HEAD + "body{ shape = " + BOX + ', position = {0, 0, "x"} }', r"bad\.lua:3: position\[3\] must be a number"),
    "missing key": (HEAD + "body{ position = {0, 0, 1} }", r'bad\.lua:3: body: "shape" is missing'),
    "negative mass": (HEAD + "body{ shape = " + BOX + ", mass = -1 }", r"bad\.lua:3: mass = -1 is out of range"),
    "zero density": (HEAD + "body{ shape = " + BOX + ", density = 0 }", r"bad\.lua:3: density = 0 is out of range"),
    "zero size": (HEAD + "box{ size = {1, 0, 1} }", r"bad\.lua:3: size\[2\] = 0 is out of range"),
    "zero radius": (HEAD + "sphere{ radius = 0 }", r"bad\.lua:3: radius = 0 is out of range"),
    "NaN": (HEAD + "body{ shape = " + BOX + ", position = {0, 0 / 0, 0} }", r"bad\.lua:3: position\[2\] = NaN must be a finite number"),
    "infinity": (HEAD + "body{ shape = " + BOX + ", velocity = {math.huge, 0, 0} }", r"bad\.lua:3: velocity\[1\] = infinity must be"),
    "zero quaternion": (HEAD + "body{ shape = " + BOX + ", orientation = {0, 0, 0, 0} }", r"bad\.lua:3: orientation must not be zero"),
    "zero byte": (HEAD + "body{ name = 'a\\0b', shape = " + BOX + " }", r'bad\.lua:3: name = "a" has a zero byte behind it'),
    "two orientations": (HEAD + "body{ shape = " + BOX + ", orientation = {1, 0, 0, 0}, rotation = {axis = {0, 0, 1}, angle = 3} }", r"bad\.lua:3: .*not both"),
    "negative friction": (HEAD + "pair{ friction = -0.1 }", r"bad\.lua:3: friction = -0\.1 is out of range"),
    "step too small": ("simulation{ step = 0 }", r"bad\.lua:1: step = 0 is out of range"),
    "negative end": ("simulation{ end_time = -1 }", r"bad\.lua:1: end_time = -1 is out of range: greater than 0 s"),
    "late simulation": (HEAD + "simulation{ step = 0.1 }", r"bad\.lua:3: simulation\{\} must come before"),
    "unknown law": (HEAD + 'pair{ law = "signorini_coulom" }', r'bad\.lua:3: unknown law "signorini_coulom" \(did you mean "signorini_coulomb"\?\)'),
    "unknown solver": (HEAD + 'solver{ "gauss_seidl" }', r'bad\.lua:3: unknown solver "gauss_seidl" \(did you mean "gauss_seidel"\?\)'),
    "unknown solver setting": (HEAD + 'solver{ "gauss_seidel", colour = 3 }', r'bad\.lua:3: unknown key "colour"'),
    "unknown material": (HEAD + "body{ shape = " + BOX + ', material = "stne" }', r'bad\.lua:3: unknown material "stne" \(did you mean "stone"\?\)'),
    "material twice": (HEAD + 'material{ name = "stone" }', r'bad\.lua:3: material "stone" is declared twice'),
    "body twice": (HEAD + 'ground{ material = "stone" }', r'bad\.lua:3: a body named "ground" exists already'),
    "one material": (HEAD + 'pair{ "stone", friction = 1 }', r"bad\.lua:3: pair wants two materials"),
    "tensor of no body": (HEAD + 'body{ shape = sphere{ radius = 1 }, mass = 1, inertia = {1, 1, 1, 0.9, 0, 0} }',
                          r"bad\.lua:3: .*is of no body: of its principal moments, which these are, the largest"),
    "centre alone": (HEAD + 'body{ shape = sphere{ radius = 1 }, centre = {1, 0, 0} }',
                     r"bad\.lua:3: .*a centre of mass is given beside mass and inertia"),
    "inertia of no body": (HEAD + "body{ shape = sphere{ radius = 1 }, mass = 1, inertia = {1, 3, 1} }",
                           r"bad\.lua:3: .*inertia = \(1, 3, 1\) is of no body: .* sum of the two others \(2 kg m2\)"),
    "moving plane": (HEAD + "body{ shape = plane{} }", r"bad\.lua:3: body: a plane has no mass"),
    "bad kind": (HEAD + "body{ shape = " + BOX + ', kind = "static" }', r'bad\.lua:3: kind = "static" is not one of "dynamic", "fixed", "moving"'),
    "missing file": (HEAD + 'mesh{ file = "absent.obj" }', r'bad\.lua:3: file "absent\.obj": No such file'),
    "file outside": (HEAD + 'mesh{ file = "../bad.lua" }', r'bad\.lua:3: file "\.\./bad\.lua"'),
    "absolute file": (HEAD + 'mesh{ file = "/etc/passwd" }', r'bad\.lua:3: file "/etc/passwd": give a path relative'),
    "joint without kind": (HEAD + JOINTED.format('bodies = {"b"}, at = {0, 0, 0}'), r'bad\.lua:3: joint: "kind" is missing'),
    "joint of unknown kind": (HEAD + JOINTED.format('kind = "hinges", bodies = {"b"}, at = {0, 0, 0}'), r'bad\.lua:3: .*hinge'),
    "joint of unknown body": (HEAD + JOINTED.format('kind = "ball", bodies = {"c"}, at = {0, 0, 0}'), r'bad\.lua:3: unknown body "c"'),
    "joint of fixed bodies": (HEAD + JOINTED.format('kind = "ball", bodies = {"ground"}, at = {0, 0, 0}'), r"bad\.lua:3: .*must be dynamic"),
    "ball with a motor": (HEAD + JOINTED.format('kind = "ball", bodies = {"b"}, at = {0, 0, 0}, motor = { velocity = 1 }'), r"bad\.lua:3: .*ball joint has no coordinate"),
    "range without 0": (HEAD + JOINTED.format('kind = "hinge", bodies = {"b"}, at = {0, 0, 0}, range = {1, 2}'), r"bad\.lua:3: .*must hold 0"),
    "rod without end": (HEAD + JOINTED.format('kind = "rod", bodies = {"b"}, at = {0, 0, 0}'), r"bad\.lua:3: .*second end"),
    "motion of a dynamic body": (HEAD + "body{ name = 'b', shape = " + BOX + " } motion{ body = 'b', velocity = function(t) return 0, 0, 0 end }", r"bad\.lua:3: .*motion: body \"[^\"]*\" is dynamic: give it kind = \"moving\""),
    "motion that is no function": (HEAD + "body{ name = 'b', kind = 'moving', shape = " + BOX + " } motion{ body = 'b', velocity = 3 }", r"bad\.lua:3: motion: velocity must be three numbers or functions"),
    "motion of too few numbers": (HEAD + "body{ name = 'b', kind = 'moving', shape = " + BOX + " } motion{ body = 'b', position = function(t) return 1 end }", r"bad\.lua:3: .*must return 3 numbers"),
    "unknown sensor joint": (HEAD + 'sensor{ name = "s", joint = "j" }', r'bad\.lua:3: unknown joint "j"'),
    "unknown sensor body": (HEAD + 'sensor{ name = "s", body = "grund" }', r'bad\.lua:3: unknown body "grund" \(did you mean "ground"\?\)'),
    "bad condition": (HEAD + 'output{ fclib_when = "contacts >" }', r"bad\.lua:3: condition .* expected a quantity or a number at the end"),
    "syntax error": (HEAD + "body{ shape = ", r"bad\.lua:3: .*near <eof>"),
    "runtime error": (HEAD + "local x = nil + 1", r"bad\.lua:3: attempt to perform arithmetic on a nil value"),
    "error call": (HEAD + 'error("own words")', r"bad\.lua:3: own words"),
    "error value": (HEAD + "error({})", r"bad\.lua:3: error called with a value that is no text"),
    "pair of parameters": (HEAD + 'param("a", 1)\nparam("a", 2)', r'bad\.lua:4: param "a" is declared twice'),
    "no body": ("simulation{}", r"bad\.lua: the scene has no body"),
    "bytecode": (b"\x1bLua\x54\x00rubbish", r"bad\.lua.*binary chunk"),
    # the sandbox
    "endless loop": (HEAD + "while true do end", r"bad\.lua:3: scene ran for more than .*endless loop"),
    "endless call": (HEAD + "local function f() return f() end f()", r"bad\.lua:3: scene ran for more than .*endless loop"),
    "endless recursion": (HEAD + "local function f() return 1 + f() end f()", r"bad\.lua:3: .*stack overflow"),
    "10 GB table": (HEAD + "local t = {} for i = 1, 1e10 do t[i] = i end", r"bad\.lua:3: scene needs more than 512 MB"),
    "10 GB text": (HEAD + 'local t = ("x"):rep(10000000000)', r"bad\.lua:3: resulting string too large"),
    "1 GB text": (HEAD + 'local t = ("x"):rep(1000000000)', r"bad\.lua: scene needs more than 512 MB"),
    "costly pattern": (HEAD + 'string.find(("a"):rep(100000), ("a*"):rep(20) .. "b")', r"bad\.lua:3: pattern .* too costly"),
    "endless finalizer": (HEAD + "setmetatable({}, {__gc = function() while true do end end})", r"bad\.lua:3: setmetatable: a scene may not set __gc"),
    "endless bodies": (HEAD + "local s = " + BOX + " while true do s = sphere{ radius = 1 } end", r"bad\.lua:3: scene ran for more than"),
    "long name": (HEAD + 'body{ name = ("x"):rep(5000), shape = ' + BOX + "}", r"bad\.lua:3: name is longer than 4000"),
    "long title": (HEAD + 'title(("x"):rep(5000))', r"bad\.lua:3: title is longer than 4000"),
    "compound in compound": (HEAD + "s = sphere{ radius = 1 } while true do s = compound{ { shape = s } } end", r"bad\.lua:3: .*cannot hold a compound"),
    "folder as file": (HEAD + 'mesh{ file = "." }', r"bad\.lua:3: file \"\.\""),
    "coroutine": (HEAD + "coroutine.wrap(print)", r"bad\.lua:3: .*'coroutine'"),
    "many arguments": (HEAD + "table.unpack({}, 1, 1e8)", r"bad\.lua:3: too many results"),
    "false order": (HEAD + "local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() return true end)", r"bad\.lua:3: invalid order function"),
    "io": (HEAD + 'io.open("x", "w")', r"bad\.lua:3: .*'io'"),
    "os": (HEAD + 'os.execute("true")', r"bad\.lua:3: .*'os'"),
    "compound of planes": (HEAD + 'body{ shape = compound{ { shape = plane{} } } }', r'bad\.lua:3: compound: a compound cannot hold a plane'),
    "parameter below": (HEAD + 'param("a", 1, "h", { min = 2 })', r'bad\.lua:3: parameter a = 1 is out of range: at least 2$'),
    "parameter above": (HEAD + 'param("a", 3, "h", { max = 2 })', r'bad\.lua:3: parameter a = 3 is out of range: at most 2$'),
    "sensor of nothing": (HEAD + 'sensor{ name = "x" }', r'sensor: give what it reads: one of body, .*, region, .*"kinetic_energy"'),
    "servo of nothing": (HEAD + 'servo{ force = 1 }', r'servo: give body = .*, the walls, or cell = "x"'),
    "motor without names": (HEAD + 'body{ name = "q", shape = sphere{ radius = 1 } } joint{ kind = "hinge", bodies = { "q" }, '
                            'at = {0, 0, 0}, motor = {1} }', r'motor: unexpected value without a name.*write motor\{ velocity'),
    "law that changes": (HEAD + 'change{ pair = {}, law = "hooke", at = 1 }', r"change: the law of a pair stays"),
    "require outside": (HEAD + 'require("../x")', r'bad\.lua:3: require: "\.\./x" must be a name'),
    "require": (HEAD + 'require("os")', r'bad\.lua:3: file "os\.lua": No such file'),
    "load": (HEAD + 'load("x = 1")', r"bad\.lua:3: load wants a table, .*not string"),
    "dump": (HEAD + "string.dump(print)", r"bad\.lua:3: .*'dump'"),
    "pcall": (HEAD + "pcall(print)", r"bad\.lua:3: .*'pcall'"),
    "string metatable": (HEAD + 'getmetatable("").__index = nil', r"bad\.lua:3: "),
}

CSV = {
    "unknown column": ("name,x,y,zz\n", r'bad\.lua:3: unknown column "zz"'),
    "missing column": ("name,x,y\n", r"column z is missing"),
    "bad number": ("x,y,z\n1,2,3\n# note\n1,two,3\n", r'grains\.csv line 4: y is not a number \("two"\)'),
    "short row": ("x,y,z\n1,2\n", r"grains\.csv line 2: 2 values for 3 columns"),
    "open quotes": ('x,y,z,name\n1,2,3,"a\n', r"grains\.csv line 2: a quoted value does not end"),
    "empty": ("", r"grains\.csv is empty"),
    "NaN": ("x,y,z\nnan,1,1\n", r"line 2: x is not a number"),
}


def check_bad():
    for name, (scene, pattern) in BAD.items():
        with Folder() as folder:
            folder.write("bad.lua", scene)
            started = time.monotonic()
            # the default of 20 s is the same limit
            limit = ("--scene-time-limit", "2") if "ran for more" in pattern else ()
            result = folder.cairn("run", "bad.lua", "--out", "result", *limit)
            check_error(result, 3, pattern, name)
            check(time.monotonic() - started < 60.0, f"{name}: ends in time", result)
            check(folder.names() == ["bad.lua"], f"{name}: leaves {folder.names()}")


def check_csv():
    for name, (table, pattern) in CSV.items():
        with Folder() as folder:
            folder.write("bad.lua", HEAD + "bodies_from_csv{ file = \"grains.csv\", shape = " + BOX + " }")
            folder.write("grains.csv", table)
            result = folder.cairn("run", "bad.lua", "--out", "result")
            check_error(result, 3, pattern, "csv " + name)
            check(not folder.has("result"), f"csv {name}: leaves no folder")


def check_links():
    """Links count by where they lead; pipes and devices are refused at once."""
    with Folder() as folder:
        os.symlink("/etc/passwd", os.path.join(folder.path, "link.obj"))
        os.symlink("/dev/zero", os.path.join(folder.path, "zero.obj"))
        os.symlink("/etc", os.path.join(folder.path, "etc"))
        os.mkfifo(os.path.join(folder.path, "pipe.obj"))
        for name, pattern in [("link.obj", "lies outside"), ("zero.obj", "lies outside"),
                              ("etc/passwd", "lies outside"), ("pipe.obj", "is not a regular data file")]:
            for call in (f'mesh{{ file = "{name}" }}',
                         f'bodies_from_csv{{ file = "{name}", shape = {BOX} }}'):
                folder.write("bad.lua", HEAD + call)
                result = folder.cairn("run", "bad.lua", "--out", "result", timeout=20)
                check_error(result, 3, r"bad\.lua:3: file .*" + pattern, f"{name}: {call[:4]}")


def check_print():
    with Folder() as folder:
        folder.write("bad.lua", HEAD + 'while true do print("x") end')
        result = folder.cairn("run", "bad.lua", "--out", "result")
        check_status(result, 3, "endless print")
        check(len(result.err) < 200000 and "scene prints more than 10000 lines" in result.err,
              "endless print: it ends")


def check_good_csv():
    with Folder() as folder:
        folder.write("heap.lua", HEAD + 'bodies_from_csv{ file = "data/grains.csv", material = "stone" }\n')
        folder.write("data/grains.csv", "name, x, y, z, radius, vz\na, 0, 0, 1, 0.1, -1\n\n# note\n"
                                       '"b, ""two""" ,1,0,1,0.2,\n')
        result = folder.cairn("run", "heap.lua", "--until", "0.01", "--out", "r", "--json")
        check_status(result, 0, "csv")
        check('"bodies": 3' in result.out, "csv: three bodies", result)
        check('"b, ""two"""' in folder.read("r/bodies.csv"), "csv: a name in quotes comes back as it was")


def check_warnings():
    with Folder() as folder:
        body = 'body{ name = "%s", shape = ' + BOX + ", position = {%s, 0, 2} }\n"
        folder.write("over.lua", HEAD + body % ("left", "0") + body % ("right", "0.8"))
        result = folder.cairn("run", "over.lua", "--until", "0.01", "--out", "r")
        check_status(result, 0, "overlap")
        check("warning" in result.err and '"left"' in result.err and '"right"' in result.err and
              "0.2 m" in result.err, "overlap: a warning with names and depth", result)


def check_absent():
    with Folder() as folder:
        check_error(folder.cairn("run", "absent.lua"), 3, r"absent\.lua: No such file", "no scene")
        check_error(folder.cairn("run", "."), 3, r"\.: not a file", "folder as scene")
        check(folder.names() == [], "no scene: leaves nothing")


def check_parameters():
    with Folder() as folder:
        folder.write("p.lua", 'local n = param("count", 3, "bodies", {integer = true, min = 1, max = 10})\n'
                     'local f = param("friction", 0.5, "mu")\nlocal w = param("word", "a", "w", {choices = {"a", "b"}})\n'
                     'local b = param("flag", true, "f")\n' + HEAD +
                     "for i = 1, n do body{ shape = " + BOX + ", position = {3 * i, 0, 1} } end\n")
        ok = folder.cairn("run", "p.lua", "--set", "count=5", "--set", "friction=1", "--set", "word=b",
                          "--set=flag=false", "--until", "0.01", "--json", "--out", "r")
        check_status(ok, 0, "parameters")
        check('"bodies": 6' in ok.out, "parameters: count", ok)
        resolved = folder.read("r/resolved.json")
        check('"parameters": {"count": 5, "friction": 1, "word": "b", "flag": false}' in resolved,
              "parameters in resolved.json: " + resolved[:300])
        for words, pattern in [(("cont=5",), r'no parameter "cont" \(did you mean "count"\?\)'),
                               (("count=2.5",), r"count = 2\.5 must be a whole number"),
                               (("count=11",), r"count = 11 is out of range: 1 to 10"),
                               (("count=many",), r'count = "many" must be a number'),
                               (("flag=1",), r"flag = .* must be true or false"),
                               (("word=c",), r'unknown value "c"'),
                               (("count",), r"--set wants name=value")]:
            result = folder.cairn("run", "p.lua", "--set", *words, "--out", "none")
            check_error(result, 2, pattern, f"--set {words[0]}")
            check(not folder.has("none"), f"--set {words[0]}: leaves no folder")
        helped = folder.cairn("run", "p.lua", "--help")
        check_status(helped, 0, "scene help")
        check("--set count" in helped.out and "default 3" in helped.out, "scene help lists", helped)


def check_same_each_time():
    scene = HEAD + """
local t = { one = 1, two = 2, three = 3, four = 4, five = 5, six = 6 }
for name, value in pairs(t) do
  body{ shape = sphere{ radius = 0.1 + 0.1 * math.random() }, position = {value, math.random(), 3 * math.random()} }
end
"""
    with Folder() as folder:
        folder.write("same.lua", scene)
        hashes = set()
        for i in range(4):
            out = folder.cairn("run", "same.lua", "--until", "0.05", "--json", "--out", "r").out
            hashes.add(out.split('"state_hash": "')[-1][:16])
        check(len(hashes) == 1, f"random numbers and order of keys differ: {hashes}")
        other = folder.cairn("run", "same.lua", "--until", "0.05", "--json", "--out", "r", "--seed", "9").out
        check(other.split('"state_hash": "')[-1][:16] not in hashes, "--seed changes nothing")


check_bad()
check_csv()
check_links()
check_print()
check_good_csv()
check_warnings()
check_absent()
check_parameters()
check_same_each_time()
finish()
