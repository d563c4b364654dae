# SPDX-License-Identifier: Apache-2.0
# The command as a user types it: exit statuses, messages, help, files of a run, JSON.
"""usage: test_command.py PROGRAM ROOT"""
import ctypes
import glob
import os
import platform
import re
import signal
import shutil
import subprocess
import time

from command import PROGRAM, ROOT, SMALL, Folder, check, check_error, check_status, finish, load

SUMMARY = ["kind", "scene", "law", "solver", "steps", "time", "bodies", "contacts_max", "iterations_mean",
           "error_max", "error_scaled_max", "error_siconos_max", "energy_residual",
           "penetration_max", "seconds_stepping", "seconds_per_step", "state_hash", "phases", "status",
           "stop", "steps_solved", "steps_unsolved", "tolerance", "parameters"]
COMMANDS = ["run", "view", "render", "solve", "bench", "check", "compare", "law", "info", "list", "sweep",
            "doctor", "help"]
# blocks that fall apart on a table, for more than one contact count
FALL = """
simulation{ step = 1 / 100, end_time = 0.5 }
pair{ friction = 0.3 }
ground{}
for i = 1, 3 do
  body{ shape = sphere{ radius = 0.1 }, position = {i, 0, 0.11 + 0.05 * i} }
end
"""


def check_processes():
    """A launcher of parallel programs is told that a scene runs in one process, by one of them."""
    with Folder() as folder:
        folder.write("fall.lua", FALL)
        for size, rank in [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
                           ("PMI_SIZE", "PMI_RANK")]:
            first = folder.cairn("run", "fall.lua", env={**os.environ, size: "3", rank: "0"})
            check_error(first, 4, "3 processes were started together", size)
            later = folder.cairn("run", "fall.lua", env={**os.environ, size: "3", rank: "2"})
            check(later.status == 4 and later.err == "", "the other processes are silent", later)
            alone = folder.cairn("run", "fall.lua", "-q", env={**os.environ, size: "1", rank: "0"})
            check_status(alone, 0, "one process")
        check(sorted(os.listdir(folder.path)) == ["fall.lua", "out"], "nothing of several processes")


def check_help():
    with Folder() as folder:
        for words in [("--help",), ("-h",), ("help",)]:
            result = folder.cairn(*words)
            check_status(result, 0, f"cairn {words[0]}")
            for name in COMMANDS:
                check(re.search(rf"^  {name} ", result.out, re.M), f"cairn {words[0]} lists {name}")
        check_status(folder.cairn(), 2, "no command")
        version = folder.cairn("--version")
        check(re.fullmatch(r"cairn \d+\.\d+\.\d+\n", version.out), "cairn --version", version)
        man = folder.cairn("help", "--man")
        completion = folder.cairn("help", "--completion", "bash")
        for name in COMMANDS:
            result = folder.cairn(name, "--help")
            check_status(result, 0, f"{name} --help")
            check(result.out.startswith(f"usage: cairn {name}"), f"{name} --help: usage", result)
            check(folder.cairn("help", name).out == result.out, f"help {name} is {name} --help")
            options = re.findall(r"--([a-z-]+)", result.out.split("options:")[1])
            check("help" in options, f"{name} --help lists --help")
            for option in set(options) - {"help", "strict"}:
                check(f"--{option}" in completion.out, f"completion has --{option}")
                check("\\-\\-" + option.replace("-", "\\-") in man.out, f"man page has --{option}")
        folder.write("completion.bash", completion.out)
        script = ("source completion.bash; COMP_WORDS=(cairn ru); COMP_CWORD=1; _cairn; "
                  'echo "${COMPREPLY[*]}"; COMP_WORDS=(cairn run --fclib-f); COMP_CWORD=2; _cairn; '
                  'echo "${COMPREPLY[*]}"; COMP_WORDS=(cairn run --fclib-form g); COMP_CWORD=3; '
                  '_cairn; echo "${COMPREPLY[*]}"')
        done = subprocess.run(["bash", "-c", script], cwd=folder.path, text=True,
                              stdout=subprocess.PIPE)
        check(done.stdout == "run\n--fclib-form\nglobal\n", f"completion works: {done.stdout!r}")
        check(not re.search(r"^(?!\.)[^\n]*(?<!\\)--", man.out, re.M), "man page: dashes escaped")
        check_shells(folder)


def check_shells(folder):
    """Completions of zsh and fish name every option, and the shells can read them where they are."""
    for shell, form in (("zsh", "--{}["), ("fish", "-l {} ")):
        script = folder.cairn("help", "--completion", shell)
        check_status(script, 0, f"completion of {shell}")
        for name in COMMANDS:
            listed = folder.cairn(name, "--help").out.split("options:")[1]
            for option in re.findall(r"^(?:  -.,|     ) --([a-z-]+)", listed, re.M):
                short = re.search(rf"{{-.,--{option}}}", script.out) and shell == "zsh"
                check(form.format(option) in script.out or short, f"{shell}: --{option} of {name}")
        folder.write("completion." + shell, script.out)
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", folder.path + "/completion." + shell],
                                  capture_output=True, text=True)
            check(done.returncode == 0, f"{shell} reads its completion: {done.stderr}")
    if shutil.which("fish"):
        done = subprocess.run(["fish", "-c", "source completion.fish; complete -C 'cairn sw'"],
                              cwd=folder.path, capture_output=True, text=True)
        check(done.stdout.startswith("sweep\t"), f"fish completes sweep: {done.stdout!r}")


def check_usage():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        for words, pattern in [
                (("rn",), r'unknown command "rn" \(did you mean "run"\?\)'),
                (("run",), r"cairn run wants SCENE"),
                (("run", "small.lua", "other.lua"), r'unexpected argument "other\.lua"'),
                (("run", "small.lua", "--tolerence", "1"), r"unknown option --tolerence \(did you mean --tolerance\?\)"),
                (("run", "small.lua", "-z"), r"unknown option -z"),
                (("run", "small.lua", "--tolerance"), r"--tolerance wants a value"),
                (("run", "small.lua", "--tolerance", "big"), r'--tolerance wants a number, not "big"'),
                (("run", "small.lua", "--tolerance", "nan"), r"--tolerance wants a number"),
                (("run", "small.lua", "--step", "-1"), r"--step -1 is out of range"),
                (("run", "small.lua", "--seed", "5000000000"), r"--seed 5000000000 is out of range: 0 to 2147483647"),
                (("run", "small.lua", "--until", "0"), r"--until 0 is out of range: greater than 0"),
                (("run", "small.lua", "--threads", "1.5"), r"--threads wants a whole number"),
                (("run", "small.lua", "--threads", "0"), r"--threads 0 is out of range: 1 to 256"),
                (("run", "small.lua", "--json=yes"), r"--json takes no value"),
                (("run", "small.lua", "--law", "signorini"), r'unknown law "signorini"'),
                (("run", "small.lua", "--solver", "gauss"), r'unknown solver "gauss"'),
                (("run", "small.lua", "--local", "x"), r'unknown one-contact solver "x"'),
                (("run", "small.lua", "--solver-set", "colour=1"), r'unknown key "colour"'),
                (("run", "small.lua", "--fclib-form", "dense"), r'--fclib-form "dense" is not one of local, global, both'),
                (("run", "small.lua", "--fclib-when", "contact > 1"), r'unknown quantity "contact" \(did you mean "contacts"\?\)'),
                (("run", "small.lua", "--fclib-when", "contacts > 1 and"), r"expected a quantity or a number at the end"),
                (("list", "lows"), r'no list of "lows"'),
                (("list",), r"cairn list wants"),
        ]:
            check_error(folder.cairn(*words), 2, pattern, " ".join(words))
        check_error(folder.cairn("run", "small.lua", "--restart", "x.h5"), 3,
                    r"--restart: x\.h5: No such file", "--restart")
        folder.write("p.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(600))
        check(folder.cairn("info", "p.hdf5").status in (3, 4), "info of a broken problem file")
        check(folder.names() == ["p.hdf5", "small.lua"], f"usage leaves {folder.names()}")


def check_run():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        result = folder.cairn("run", "small.lua", "--json")
        check_status(result, 0, "run")
        check(result.out.count("\n") == 1, "--json prints one line", result)
        summary = load(result.out)
        check(list(summary) == SUMMARY, f"keys of the summary: {list(summary)}")
        check(summary["scene"] == "small" and summary["steps"] == 10 and summary["bodies"] == 2 and
              abs(summary["time"] - 0.05) < 1e-12, f"summary: {summary}")
        check(re.fullmatch(r"[0-9a-f]{16}", summary["state_hash"]), "state_hash: 16 hex digits")
        check("solver" in summary["phases"], "phases have the solver")
        check(sorted(os.listdir(folder.path + "/out/small")) ==
              ["bodies.csv", "checkpoint.h5", "energy.csv", "paraview", "resolved.json", "sensors.csv", "summary.json",
               "summary.txt", "trajectory.h5"],
              f"files of a run: {os.listdir(folder.path + '/out/small')}")
        written = load(folder.read("out/small/summary.json"))
        for key in SUMMARY:
            check(written[key] == summary[key], f"summary.json: {key}")
        check(written["status"] == "done" and written["steps_unsolved"] == 0, "summary.json: status")
        energy = folder.read("out/small/energy.csv").splitlines()
        check(len(energy) == 12 and energy[0].startswith("step,time [s],kinetic [J],potential [J]"),
              "energy.csv: header and 11 rows")
        check(all(len(row.split(",")) == 13 for row in energy), "energy.csv: 13 columns")
        check("plastic dissipation [J]" in energy[0].split(","), "energy.csv: plastic dissipation")
        sensors = folder.read("out/small/sensors.csv").splitlines()
        check(sensors[0] == "step,time [s],floor force x [N],floor force y [N],floor force z [N]",
              f"sensors.csv: {sensors[0]}")
        weight = 0.2 * 0.2 * 0.1 * 2000 * 9.81
        force = float(sensors[-1].split(",")[4])
        check(abs(force + weight) < 1e-3 * weight, f"sensors.csv: {force} N on the ground, weight {weight} N")
        resolved = load(folder.read("out/small/resolved.json"))
        check(resolved["simulation"]["step"] == 1 / 200, "resolved.json: step")
        check(resolved["pairs"][1]["parameters"]["friction"] == 0.5, "resolved.json: friction")
        table = folder.cairn("run", "small.lua", "--out", "second", "--paraview-every", "0")
        check("state hash   " + summary["state_hash"] in table.out, "the same hash again", table)
        check(not folder.has("second/paraview"), "--paraview-every 0")
        check(folder.cairn("run", "small.lua", "--quiet").out == "", "--quiet prints nothing")
        info = folder.cairn("info", "out/small")
        check_status(info, 0, "info of a run")
        check("state hash   " + summary["state_hash"] in info.out, "info of a run: hash", info)
        check(list(load(folder.cairn("info", "out/small", "--json").out))[:len(SUMMARY)] == SUMMARY, "info --json of a run")
        scene = folder.cairn("info", "small.lua")
        check("1 dynamic" in scene.out and "1 fixed" in scene.out, "info of a scene", scene)
        check(load(folder.cairn("info", "small.lua", "--json").out)["bodies"] == 2, "info --json of a scene")
        check("stable step" not in scene.out and load(folder.cairn("info", "small.lua", "--json").out)["stable_step"] is None,
              "info of a scene without a stable step", scene)
        folder.write("springs.lua", 'simulation{ step = 1 } material{ name = "glass" } pair{ law = "hooke", normal_stiffness = 1e5 }\n'
                     'ground{} emitter{ region = { min = {0, 0, 0.1}, max = {1, 1, 1} }, size = 0.02, rate = 10 }\n')
        step = load(folder.cairn("info", "springs.lua", "--json").out)["stable_step"]
        check(1e-6 < step < 1e-3, f"stable step {step}")
        check(f"  stable step  {step:.3g} s, of hooke between glass and glass; --step auto takes" in folder.cairn("info", "springs.lua").out,
              "info: the stable step")
        check(f"exceeds the stable step {step:.3g} s" in folder.cairn("run", "springs.lua", "--until", "1").err,
              "the stable step of info is that of run")


def check_overrides():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        result = folder.cairn("run", "small.lua", "--json", "--step", "0.01", "--until", "0.03", "-j2",
                              "--tolerance=1e-6", "--out", "a/b/c")
        check(load(result.out)["steps"] == 3, "--step and --until", result)
        simulation = load(folder.read("a/b/c/resolved.json"))["simulation"]
        check(simulation["tolerance"] == 1e-6 and simulation["threads"] == 2 and
              simulation["end_time"] == 0.03, f"overrides: {simulation}")


def check_threads():
    """The same bits whatever the number of threads."""
    with Folder() as folder:
        hashes = {load(folder.cairn("run", ROOT + "/scenes/library/kapla_tower.lua", "--set", "rings=3", "--until", "0.05",
                                    "--threads", threads, "--json", "--out", "r").out)["state_hash"]
                  for threads in ("1", "2", "5")}
        check(len(hashes) == 1, f"state hashes of 1, 2 and 5 threads: {hashes}")


def check_fclib():
    with Folder() as folder:
        folder.write("fall.lua", FALL)
        result = folder.cairn("run", "fall.lua", "--fclib", "problems", "--fclib-form", "both", "--json")
        check_status(result, 0, "fclib")
        names = sorted(os.path.basename(path) for path in glob.glob(folder.path + "/problems/*"))
        check(names and all(re.fullmatch(r"fall-(local|global)-i\d{5}-[1-9]\d*\.hdf5", name) for name in names),
              f"names of problems: {names[:3]}")
        counts = {int(name.split("-")[-1][:-5]) for name in names}
        check(counts == {1, 2, 3}, f"contacts of the problems: {counts}")
        for path in glob.glob(folder.path + "/problems/*"):
            with open(path, "rb") as file:
                check(file.read(8) == b"\x89HDF\r\n\x1a\n", f"{path} is HDF5")
        steps = {int(name.split("-i")[1][:5]) for name in names}
        folder.cairn("run", "fall.lua", "--fclib", "few", "--fclib-every", "5", "--fclib-when",
                     "contacts >= 2 and not (step > 40)")
        few = sorted(os.path.basename(path) for path in glob.glob(folder.path + "/few/*"))
        expected = sorted(name for name in names if "local" in name and int(name.split("-i")[1][:5]) % 5 == 0
                          and int(name.split("-i")[1][:5]) <= 40 and int(name.split("-")[-1][:-5]) >= 2)
        check(few == expected and few, f"--fclib-every and --fclib-when: {few}, expected {expected}")
        check(min(steps) > 1, "steps without contacts are not written")


WALL = """
simulation{ step = 1 / 500, end_time = 0.6 }
gravity{ 4, 0, -9.81 }
material{ name = "s", density = 1000 }
pair{ friction = 0, restitution = 0 }
ground{ material = "s" }
local cube = box{ size = {0.2, 0.2, 0.2} }
body{ name = "wall", kind = "fixed", shape = cube, material = "s", position = {0.2, 0, 0.1} }
body{ name = "a", shape = cube, material = "s", position = {0, 0, 0.1} }
body{ name = "b", shape = cube, material = "s", position = {-0.2, 0, 0.1} }
sensor{ name = "wall", body = "wall" }
sensor{ name = "ground", body = "ground" }
sensor{ name = "both", bodies = {"a", "b"} }
sensor{ name = "b", body = "b" }
"""


def check_sensors():
    """Two cubes slide against a wall: forces on a wall, a group and one body are known."""
    with Folder() as folder:
        folder.write("wall.lua", WALL)
        check_status(folder.cairn("run", "wall.lua", "--out", "r", "--quiet"), 0, "sensors")
        last = [float(x) for x in folder.read("r/sensors.csv").splitlines()[-1].split(",")[2:]]
        expected = {"wall": (64, 0, 0), "ground": (0, 0, -156.96), "both": (-64, 0, 156.96),
                    "b": (-32, 0, 78.48)}
        for k, (name, force) in enumerate(expected.items()):
            seen = last[3 * k:3 * k + 3]
            check(all(abs(x - y) < 0.2 for x, y in zip(seen, force)), f"sensor {name}: {seen}, not {force}")


def check_failures():
    with Folder() as folder:
        folder.write("hard.lua", FALL.replace("ground{}", "ground{}\nsolver{ \"gauss_seidel\" }"))
        words = ("run", "hard.lua", "--tolerance", "1e-16", "--out", "r")
        loose = folder.cairn(*words)
        unsolved = load(folder.read("r/summary.json"))["steps_unsolved"]
        check_status(loose, 5 if unsolved > 0 else 0, "not strict")
        if unsolved == 0:
            return
        check("above the tolerance" in loose.err, "unsolved steps: a warning", loose)
        strict = folder.cairn(*words, "--strict", "--quiet")
        check_status(strict, 1, "--strict")
        check("is above the tolerance" in strict.err, "--strict: message", strict)
        check(load(folder.read("r/summary.json"))["status"] == "failed", "--strict: status")
        check(glob.glob(folder.path + "/r/fclib/hard-local-*.hdf5"), "--strict: the problem is kept")


def check_interrupt():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with Folder() as folder:
            folder.write("small.lua", SMALL.replace("end_time = 0.05", "end_time = 100000"))
            run = subprocess.Popen([PROGRAM, "run", "small.lua", "--out", "r"], cwd=folder.path, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not folder.has("r/energy.csv") and run.poll() is None:
                time.sleep(0.05)
            time.sleep(0.5)
            run.send_signal(number)
            out, err = run.communicate(timeout=60)
            check(run.returncode == 130, f"signal {number}: exit status {run.returncode} {err}")
            check(load(folder.read("r/summary.json"))["status"] == "interrupted", "interrupted: summary.json")
            rows = folder.read("r/energy.csv").splitlines()
            check(len(rows[-1].split(",")) == 13, "interrupted: energy.csv ends with a whole row")


def check_scene_is_kept():
    with Folder() as folder:
        folder.write("small.lua", SMALL)
        result = folder.cairn("run", "small.lua", "--out", "r", "--hash", "./small.lua")
        check_status(result, 1, "--hash with the scene's own name")
        check("this is the scene" in result.err, "--hash: message", result)
        check(folder.read("small.lua") == SMALL, "--hash: the scene stays as it is")


def check_lists():
    with Folder() as folder:
        for what in ["laws", "solvers", "locals", "scenes", "shapes"]:
            result = folder.cairn("list", what, "--json")
            check_status(result, 0, f"list {what}")
            names = [load(line)["name"] for line in result.out.splitlines()]
            check(len(names) > 0 and len(set(names)) == len(names), f"list {what}: {names}")
            plain = folder.cairn("list", what).out
            for name in names:
                check(re.search(rf"^{name}\b", plain, re.M), f"list {what} has {name}")
        scenes = [os.path.basename(path)[:-4] for path in glob.glob(ROOT + "/scenes/library/*.lua")]
        listed = [load(line)["name"] for line in folder.cairn("list", "scenes", "--json").out.splitlines()]
        check(sorted(scenes) == listed, f"list scenes: {listed}")
        doctor = folder.cairn("doctor", "--json")
        check(set(load(doctor.out)) >= {"version", "compiler", "threads", "cpu", "hdf5", "lua", "gl"},
              "doctor --json", doctor)
        check("hdf5" in folder.cairn("doctor").out, "doctor")
        # what is said of the kernel is what the kernel itself answers (calls 444 and 317 of x86-64)
        if platform.machine() == "x86_64":
            call = ctypes.CDLL(None).syscall
            limits = load(doctor.out)["reading_limits"]
            check(("landlock" in limits) == (call(444, None, 0, 1) > 0), f"doctor on landlock: {limits}")
            kill_process = ctypes.c_uint(0x80000000)
            check(("seccomp" in limits) == (call(317, 2, 0, ctypes.byref(kill_process)) == 0),
                  f"doctor on seccomp: {limits}")


def check_scenes():
    small = {"kapla_tower": ["rings=2"], "capsules": ["capsules=12"], "box_stack": ["boxes=4"], "chain": ["links=4"],
             "granular_column": ["length=8.0"], "hopper": ["depth=4.0"], "mixer": ["grains=60", "fill=0.25"]}
    with Folder() as folder:
        for path in sorted(glob.glob(ROOT + "/scenes/library/*.lua")):
            name = os.path.basename(path)[:-4]
            words = [word for value in small.get(name, []) for word in ("--set", value)]
            result = folder.cairn("run", name, *words, "--until", "0.05", "--json")
            check_status(result, 0, f"scene {name}")
            check("overlap" not in result.err, f"scene {name}: no overlaps", result)


check_processes()
check_help()
check_usage()
check_run()
check_overrides()
check_threads()
check_fclib()
check_sensors()
check_failures()
check_interrupt()
check_scene_is_kept()
check_lists()
check_scenes()
finish()
