# SPDX-License-Identifier: Apache-2.0
# What would be taken or given without a word: links in place of a run's folders, hard links, addresses in
# scenes, cells too far away, emitters by the thousand, forms of problems that there are not.
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from command import PROGRAM, SMALL, Folder, check, check_status, finish, load

FIELDS = SMALL.replace("end_time = 0.05", "end_time = 0.1") + """
fields{ min = {-1, -1, 0}, max = {1, 1, 1}, cells = {2, 2, 2}, width = 0.3, every = 10, format = "FORMAT" }
"""


def holds(folder, name, text):
    """Whether a file has this text and no more, whatever else was written into it."""
    if not folder.has(name):
        return False
    with open(os.path.join(folder.path, name), "rb") as file:
        return file.read() == text.encode()


def check_links():
    for form, ending in (("vti", "vti"), ("hdf5", "h5")):
        for place in ("fields", "paraview", "fclib", ".earlier"):
            with Folder() as folder:
                folder.write("s.lua", FIELDS.replace("FORMAT", form))
                names = [f"fields_000000010.{ending}", "bodies.pvd", "energy.csv"]
                for name in names:
                    folder.write("victim/" + name, "secret")
                if place == ".earlier":
                    folder.cairn("run", "s.lua", "-q", "-o", "r")
                os.makedirs(os.path.join(folder.path, "r"), exist_ok=True)
                os.symlink("../victim", os.path.join(folder.path, "r", place))
                more = ["--fclib-every", "1", "--fclib-form", "local"] if place == "fclib" else []
                done = folder.cairn("run", "s.lua", "-q", "-o", "r", "--paraview-every", "5", *more)
                for name in names:
                    check(holds(folder, "victim/" + name, "secret"), f"{place}: {name} was written through a link")
                check(folder.list("victim") == sorted(names), f"{place}: files came through a link: {folder.list('victim')}")
                check(done.status == (0 if place == "fclib" else 1), f"{place}: status {done.status}: {done.err}")
    # fields of an earlier run go, whatever their format
    with Folder() as folder:
        folder.write("s.lua", FIELDS.replace("FORMAT", "hdf5"))
        check_status(folder.cairn("run", "s.lua", "-q", "-o", "r"), 0, "fields")
        check_status(folder.cairn("run", "s.lua", "-q", "-o", "r", "--until", "0.05"), 0, "fewer fields")
        check(folder.list("r/fields") == ["fields_000000010.h5"], f"fields of an earlier run stay: {folder.list('r/fields')}")


def check_lock():
    with Folder() as folder:
        folder.write("s.lua", SMALL)
        folder.write("mine", "secret")
        os.mkdir(os.path.join(folder.path, "r"))
        os.link(os.path.join(folder.path, "mine"), os.path.join(folder.path, "r/run.lock"))
        check_status(folder.cairn("run", "s.lua", "-q", "-o", "r"), 0, "a hard link in place of the lock")
        check(holds(folder, "mine", "secret"), "a file was overwritten by the lock")


ADDRESSES = """
local text, t, f = "", {}, function() end
local named, mine = setmetatable({}, { __name = "mine" }), setmetatable({}, { __tostring = function() return "text" end })
for i, value in ipairs{ t, f, print, sphere{ radius = 1 }, named, mine, math, setmetatable({}, { __name = 3 }), t } do
  text = text .. tostring(value) .. string.format("%s|%10s|%-9.3s", value, value, value) .. string.format("%q", tostring(value))
  print(value, tostring(nil), 1.5, true)
end
assert(not text:find("0x"), text)
assert(tostring(t) == tostring(t) and tostring(t) ~= tostring({}) and tostring("x") == "x" and tostring(2.5) == "2.5")
assert(tostring(mine) == "text" and ("%s"):format(mine) == "text" and string.format("%5.1f%%p", 2.5) == "  2.5%p")
local a = 0
for digit in text:gmatch("%d") do a = (7 * a + tonumber(digit)) % 4096 end
body{ shape = sphere{ radius = 0.1 }, position = { 0, 0, 1 + a / 4096 } }
"""


def check_addresses():
    with Folder() as folder:
        folder.write("s.lua", ADDRESSES)
        seen = set()
        for _ in range(3):
            done = folder.cairn("run", "s.lua", "--until", "0.02", "--json", "-o", "r")
            check_status(done, 0, "texts of tables and functions")
            check("0x" not in done.err, f"an address: {done.err}")
            seen.add((load(done.out)["state_hash"], done.err))
        check(len(seen) == 1, f"the scene is another one each time: {seen}")
        for format in ("%p", "%5p", "%-8p", "%s %p"):
            folder.write("p.lua", f'string.format("{format}", {{}}, {{}}) ground{{}}')
            check("address" in folder.cairn("run", "p.lua", "-q", "-o", "r").err, f"{format} is taken")


FAR = """simulation{ step = 1e-5, end_time = 1e-4 } gravity{ 0, 0, 0 } pair{ law = "LAW" } cell{ size = {1, 1, 1} }
body{ name = "far", shape = SHAPE, position = { PLACE, 0.5, 0.5 }, velocity = { 0, 0, 0 } }
body{ shape = SHAPE, position = { 0.03, 0.5, 0.5 } }"""


def check_far_cells():
    with Folder() as folder:
        for law in ("hooke", "signorini_coulomb"):
            for shape in ("sphere{ radius = 0.02 }", "box{ size = {0.04, 0.04, 0.04} }"):
                for power, sign in ((0, 1), (10, 1), (20, -1), (23, 1), (25, 1), (31, -1), (33, 1), (60, -1), (1000, 1)):
                    text = FAR.replace("LAW", law).replace("SHAPE", shape).replace("PLACE", f"{sign} * 2^{power}")
                    folder.write("s.lua", text)
                    done = folder.cairn("run", "s.lua", "--json", "-o", "r", "--accept-unsolved")
                    if power <= 24:
                        check_status(done, 0, f"{law}, {shape}, 2^{power}")
                        check(load(done.out)["contacts_max"] > 0, f"{law}, {shape}: no contact at 2^{power} cells")
                    else:
                        check(done.status == 3 and '"far"' in done.err and "cells away" in done.err, f"2^{power}: {done.status} {done.err}")
        # one that gets there
        folder.write("s.lua", 'simulation{ step = 1e-3, end_time = 1 } gravity{ 0, 0, 1e154 } cell{ size = {1, 1, 1} }'
                     'body{ shape = sphere{ radius = 0.02 } } body{ shape = box{ size = {0.1, 0.1, 0.1} }, position = {0.5, 0, 0} }')
        check(folder.cairn("run", "s.lua", "-q", "-o", "r").status == 1, "bodies went beyond all cells")


def check_emitters():
    count = 20000
    with Folder() as folder:
        folder.write("s.lua", f'for i = 1, {count} do emitter{{ name = "e" .. i, region = {{ min = {{0, 0, 0}}, max = {{1, 1, 1}} }}, '
                     'size = 0.1, count = 1 } end')
        done = folder.cairn("run", "s.lua", "--until", "0.001", "-q", "-o", "r")
        check_status(done, 0, "many emitters")
        check(done.err.count("has no room") == 8 and "are not named" in done.err, f"{done.err.count('has no room')} warnings")
        # by the clock of its own: others may have the processors
        process = subprocess.Popen([PROGRAM, "run", "s.lua", "--until", "9", "-q", "-o", "r"], cwd=folder.path, stderr=subprocess.DEVNULL)

        def used():
            with open(f"/proc/{process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        while process.poll() is None and used() < 0.7:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        before = after = used()
        while process.poll() is None:
            after = used()
            time.sleep(0.02)
        check(process.returncode == 130, f"status {process.returncode} after SIGTERM")
        check(after - before < 2.0, f"{after - before} s of work after SIGTERM")


CELL = """
simulation{ step = 1e-3, end_time = 0.02 }
gravity{ 0, 0, 0 }
cell{ size = {0.1, 0.1, 0.1} }
packing{ region = { min = {0, 0, 0}, max = {0.1, 0.1, 0.1} }, size = 0.022, porosity = 0.5, method = "growth" }
servo{ cell = "x", stress = 900, speed = 0.5 }
"""


def check_forms():
    with Folder() as folder:
        folder.write("s.lua", CELL)
        done = folder.cairn("run", "s.lua", "-q", "-o", "r", "--fclib", "f", "--fclib-form", "both", "--accept-unsolved")
        check_status(done, 0, "both forms of problems that have one")
        check(folder.has("r/checkpoint.h5"), "the run left no checkpoint")
        local = [name for name in folder.list("f") if "-local-" in name]
        check(len(local) > 0 and len(folder.list("f")) == len(local), f"problems {folder.list('f')}")
        check(done.err.count("in the local form alone") == 1, f"said {done.err}")


REST = """
simulation{ step = STEP, end_time = 60 * STEP }
gravity{ 0, 0, 0 }
pair{ cohesion = PULL }
body{ shape = sphere{ radius = R } }
body{ shape = sphere{ radius = R }, position = { 1.99999 * R, 0, 0 } }
body{ shape = sphere{ radius = R }, position = { R, 1.7320508 * R, 0 } }
"""


def check_sentences():
    """What is wrong is said in words, not by what the system calls it."""
    with Folder() as folder:
        folder.write("s.lua", SMALL)
        folder.write("victim", "secret")
        os.makedirs(os.path.join(folder.path, "r"))
        os.symlink("../victim", os.path.join(folder.path, "r", "run.lock"))
        linked = folder.cairn("run", "s.lua", "-q", "-o", "r")
        check(linked.status == 1 and "run.lock: is a symbolic link, which is not written through" in linked.err, linked.err)
        check(folder.read("victim") == "secret", "a lock was written through a link")
        restarted = folder.cairn("run", "s.lua", "-q", "-o", "q", "--restart", ".")
        check(restarted.status == 3 and "--restart: .: not a file but a folder" in restarted.err, restarted.err)
        for separator, name in ((";", "semicolons"), ("\t", "tabs")):
            folder.write("g.csv", separator.join(("x", "y", "z", "radius")) + "\n" + separator.join("0001") + "\n")
            folder.write("c.lua", 'bodies_from_csv{ file = "g.csv" }')
            read = folder.cairn("run", "c.lua", "-q", "-o", "c", "--until", "0.01")
            check(read.status == 3 and f"g.csv line 1: values are separated by {name}; write commas" in read.err, read.err)


def check_rest():
    with Folder() as folder:
        for radius, step, pull in ((0.01, 1e-3, 0.01), (1e-4, 1e-4, 1e-6), (1.0, 1e-2, 100.0), (0.02, 1e-5, 1.0)):
            folder.write("s.lua", REST.replace("STEP", repr(step)).replace("PULL", repr(pull)).replace("R", repr(radius)))
            check_status(folder.cairn("run", "s.lua", "-q", "-o", "r"), 0, f"balls of {radius} m at rest")


check_links()
check_lock()
check_addresses()
check_far_cells()
check_emitters()
check_forms()
check_sentences()
check_rest()
finish()
