# SPDX-License-Identifier: Apache-2.0
# cairn law against the closed forms of docs/laws.md, its sweeps and drawings, and wrong input.
"""usage: test_law.py PROGRAM ROOT"""
import csv
import io
import json
import math
import re
import xml.etree.ElementTree

from command import ROOT, Folder, check, check_error, check_status, finish, load

# two unlike spheres that approach each other with sliding
STATE = {"radii": [0.02, 0.03], "masses": [0.1, 0.3], "overlap": 2e-4, "v_n": -0.3, "v_t": 0.05,
         "h": 1e-6, "instantaneous": True}
R_STAR = 1 / (1 / 0.02 + 1 / 0.03)
M_STAR = 1 / (1 / 0.1 + 1 / 0.3)
LAWS = ["signorini_coulomb", "spring_dashpot", "incremental", "exudyn_sphere", "hertz_mindlin",
        "hooke"]
LOCALS = ["secular", "nonsmooth_newton", "velocity_newton", "projected_gradient", "de_saxce_feng"]


def close(actual, expected, what, relative=1e-9):
    check(abs(actual - expected) <= relative * max(abs(actual), abs(expected)) + 1e-300,
          f"{what}: {actual!r}, expected {expected!r}")


def evaluate(folder, name, state, *words):
    folder.write("state.json", json.dumps(state))
    result = folder.cairn("law", name, "--state", "state.json", "--json", *words)
    check_status(result, 0, f"law {name} {state}")
    check(result.out.count("\n") == 1 and result.err == "", f"law {name}: one line", result)
    return load(result.out)


def force(answer):
    return [x / answer["h"] for x in answer["impulse"]]


def check_balance(answer, name, arms):
    """Forces are opposite; torques are those of the force at the contact point."""
    a, b = answer["forces"]
    check(all(x == -y for x, y in zip(a, b)), f"{name}: opposite forces")
    n, t1, t2 = answer["frame"]
    f = force(answer)
    for k in range(3):
        close(b[k] + 1.0, sum(f[i] * (n, t1, t2)[i][k] for i in range(3)) + 1.0, f"{name}: force")
    # n x t1 = t2: the arm to A is along n, that to B against it
    for side, arm, sign in ((0, arms[0], -1.0), (1, -arms[1], 1.0)):
        for k in range(3):
            turning = sign * arm * (f[1] * t2[k] - f[2] * t1[k])
            close(answer["torques"][side][k] + 1.0, turning + 1.0, f"{name}: torque {side}")


def check_hooke(folder):
    k, c, mu = 3e5, 40.0, 0.4
    parameters = {"normal_stiffness": k, "damping": "viscous", "normal_damping": c, "friction": mu,
                  "tangential_damping_ratio": 0.0}
    answer = evaluate(folder, "hooke", {**STATE, "parameters": parameters})
    close(answer["gap"], -2e-4, "gap")
    close(answer["velocity"][0], -0.3, "V_N")
    close(answer["velocity"][1], 0.05, "V_T1")
    close(force(answer)[0], k * 2e-4 + c * 0.3, "hooke: F_N")
    # first step of the tangential spring, 2/7 of k_n
    close(force(answer)[1], -2 / 7 * k * 1e-6 * 0.05, "hooke: F_T")
    check_balance(answer, "hooke", (0.02 - 1e-4, 0.03 - 1e-4))
    history = {"shear_x": 0.0, "shear_y": 0.0, "shear_z": 0.0}
    history["shear_y" if abs(answer["frame"][1][1]) > 0.5 else "shear_z"] = 1000.0
    answer = evaluate(folder, "hooke", {**STATE, "parameters": parameters, "history": history})
    close(math.hypot(*force(answer)[1:]), mu * (k * 2e-4 + c * 0.3), "hooke: slip")
    close(math.hypot(*(answer["history"]["shear_" + x] for x in "xyz")),
          mu * (k * 2e-4 + c * 0.3), "hooke: spring at slip")
    check(answer["friction_dissipation"] != 0.0, "hooke: slip dissipates")


def check_hertz(folder):
    E, nu = (5e7, 2e8), (0.3, 0.2)
    parameters = {"young_modulus": E[0], "poisson_ratio": nu[0], "young_modulus_second": E[1],
                  "poisson_ratio_second": nu[1], "restitution": 1.0}
    answer = evaluate(folder, "hertz_mindlin", {**STATE, "parameters": parameters})
    young = 1 / sum((1 - n * n) / e for n, e in zip(nu, E))
    shear = 1 / sum(2 * (2 - n) * (1 + n) / e for n, e in zip(nu, E))
    a = math.sqrt(R_STAR * 2e-4)
    close(force(answer)[0], 4 / 3 * young * a * 2e-4, "hertz: F_N")
    close(force(answer)[1], -8 * shear * a * 1e-6 * 0.05, "hertz: F_T")
    close(answer["elastic"], 8 / 15 * young * a * 2e-4 ** 2, "hertz: energy", 1e-5)
    # with attraction beta is exact: e = exp(-pi beta / sqrt(1 - beta^2))
    e = 0.6
    parameters.update(restitution=e, attraction=True)
    answer = evaluate(folder, "hertz_mindlin", {**STATE, "parameters": parameters})
    beta = -math.log(e) / math.hypot(math.pi, math.log(e))
    S = 2 * young * a
    close(force(answer)[0], 2 / 3 * S * 2e-4 + 2 * beta * math.sqrt(5 / 6 * S * M_STAR) * 0.3,
          "hertz: damped F_N")


def check_others(folder):
    answer = evaluate(folder, "spring_dashpot", {**STATE, "parameters": {
        "spring": 1e7, "dashpot": 30.0, "hpow": 1.5, "variant": "explicit"}})
    close(force(answer)[0], 1e7 * 2e-4 ** 1.5 + 30 * 0.3, "spring_dashpot: F_N")
    answer = evaluate(folder, "incremental", {**STATE, "parameters": {
        "young_modulus": 1e7, "stiffness_ratio": 0.5, "ratcheting_correction": False}})
    close(force(answer)[0], 2e7 * R_STAR * 2e-4, "incremental: F_N")
    close(force(answer)[1], -0.5 * 2e7 * R_STAR * 1e-6 * 0.05, "incremental: F_s")
    for model, factor in ((1, 1.5 * (0.7 - 1)), (2, 1.5 * (0.7 - 1) * (11 - 0.7) / (1 + 9 * 0.7))):
        answer = evaluate(folder, "exudyn_sphere", {
            **STATE, "history": {"gap": -1e-5, "impact_velocity": 0.5},
            "parameters": {"contact_stiffness": 1e6, "contact_stiffness_exponent": 1.5,
                           "impact_model": model, "restitution_coefficient": 0.7,
                           "dynamic_friction": 0.3, "friction_proportional_zone": 0.2}})
        f = 1e6 * 2e-4 ** 1.5 * (1 + factor * -0.3 / 0.5)
        close(force(answer)[0], f, f"exudyn_sphere: model {model}")
        close(force(answer)[1], -0.3 * f * 0.05 / 0.2, "exudyn_sphere: friction in the zone")
        close(answer["history"]["gap"], -2e-4, "exudyn_sphere: gap in the history")


def check_cone(folder):
    state = {**STATE, "parameters": {"friction": 0.2, "restitution": 0.5}}
    answer = evaluate(folder, "signorini_coulomb", state)
    close(answer["impulse"][0], 1.5 * 0.3 * M_STAR, "cone: R_N of Newton's law")
    close(answer["velocity_end"][0], 0.15, "cone: U_N")
    check(answer["status"] == "sticking" and answer["converged"], "cone: sticks")
    state["v_t"] = 5.0
    answer = evaluate(folder, "signorini_coulomb", state)
    close(answer["impulse"][1], -0.2 * answer["impulse"][0], "cone: slips")
    check(answer["status"] == "sliding", "cone: slides")
    # W of two solid spheres along the surface: (1/m)(1 + 5/2), by about 1 - d / (2 r)
    for i, value in ((0, 1 / M_STAR), (1, 3.5 / M_STAR)):
        close(answer["W"][i][i], value, f"cone: W_{i}{i}", 0.02)
    state["overlap"] = -1e-3
    check(evaluate(folder, "signorini_coulomb", state)["status"] == "open", "cone: open")


def check_planes(folder):
    state = {"radii": [0.02, "infinite"], "positions": [[0, 0, 0.019], [5, 5, 0]],
             "velocities": [[0, 0, -0.4], [0, 0, 0]],
             "parameters": {"normal_stiffness": 1e4, "restitution": 1.0}}
    answer = evaluate(folder, "hooke", state)
    close(answer["gap"], -1e-3, "plane: gap", 1e-9)
    close(answer["forces"][0][2], 10.0, "plane: pushes up")
    close(answer["velocity"][0], -0.4, "plane: approach")
    state = {"radii": [-0.05, 0.02], "overlap": 1e-4,
             "parameters": {"young_modulus": 1e7, "restitution": 1.0}}
    answer = evaluate(folder, "hertz_mindlin", state)
    radius = 1 / (1 / 0.02 - 1 / 0.05)
    young = 1e7 / (2 * (1 - 0.09))
    close(force(answer)[0], 4 / 3 * young * math.sqrt(radius) * 1e-4 ** 1.5, "hollow sphere: F_N")


def check_locals(folder):
    W, b = [[2, 0.3, 0.1], [0.3, 3, 0.2], [0.1, 0.2, 4]], [-1.0, 0.9, -0.4]
    for name in LOCALS:
        answer = evaluate(folder, name, {"W": W, "b": b, "mu": 0.3})
        R, U = answer["R"], answer["U"]
        for i in range(3):
            close(U[i] + 1, sum(W[i][k] * R[k] for k in range(3)) + b[i] + 1, f"{name}: U")
        check(answer["status"] == "sliding" and answer["error"] < 1e-6, f"{name}: solved: {answer}")
        close(math.hypot(R[1], R[2]), 0.3 * R[0], f"{name}: on the cone", 1e-6)
        check(abs(U[0]) < 1e-6, f"{name}: U_N")
        # friction against the sliding
        check(abs(R[1] * U[2] - R[2] * U[1]) < 1e-6 and R[1] * U[1] + R[2] * U[2] < 0, f"{name}: opposed")
    check(evaluate(folder, "secular", {"b": [1, 0, 0]})["status"] == "open", "secular: open")


def check_sweep(folder):
    folder.write("state.json", json.dumps({"parameters": {"young_modulus": 1e8}}))
    words = ("law", "hertz_mindlin", "--state", "state.json", "--sweep", "overlap=0:1e-3:5")
    result = folder.cairn(*words, "--svg", "force.svg")
    check_status(result, 0, "sweep")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    check([float(row["overlap [m]"]) for row in rows] == [0, 2.5e-4, 5e-4, 7.5e-4, 1e-3], "sweep: x")
    young = 1e8 / (2 * (1 - 0.09))
    for row in rows[1:]:
        d = float(row["overlap [m]"])
        close(float(row["F_n [N]"]), 4 / 3 * young * math.sqrt(0.005) * d ** 1.5, "sweep: F_N")
    as_json = [load(line) for line in folder.cairn(*words, "--json").out.splitlines()]
    check([row["F_n"] for row in as_json] == [float(row["F_n [N]"]) for row in rows],
          "sweep: JSON rows are the CSV rows")
    drawing = folder.read("force.svg")
    xml.etree.ElementTree.fromstring(drawing)
    for text in ("overlap [m]", "force on B [N]", "hertz_mindlin", "normal F_n"):
        check(text in drawing, f"drawing has {text}")
    # the plastic overlap stays: unloading is below loading
    words = ("law", "exudyn_sphere", "--set", "contact_stiffness=1e5", "--set",
             "contact_plasticity_ratio=0.5", "--follow", "--json", "--sweep")
    up = [load(x) for x in folder.cairn(*words, "overlap=1e-5:1e-4:10").out.splitlines()]
    close(up[-1]["F_n"], 10.0, "loading")
    plastic = up[-1]["history plastic_overlap"]
    close(plastic, 5e-5, "plastic overlap")
    down = [load(x) for x in folder.cairn(*words, "overlap=1e-4:6e-5:5").out.splitlines()]
    close(down[-1]["F_n"], 2e5 * (6e-5 - plastic), "unloading", 1e-6)
    for name, sweep in (("hooke", "v_n=-1:1:3"), ("hooke", "friction=0:1:3"),
                        ("secular", "mu=0:1:3"), ("signorini_coulomb", "v_t=0:1:3")):
        result = folder.cairn("law", name, "--sweep", sweep, "--svg", "x.svg")
        check_status(result, 0, f"{name} {sweep}")
        check(result.out.count("\n") == 4 and "nan" not in result.out + folder.read("x.svg"),
              f"{name} {sweep}: 4 lines", result)


def check_all(folder):
    for name in LAWS + LOCALS:
        result = folder.cairn("law", name)
        check_status(result, 0, f"law {name}")
        check(name in result.out.splitlines()[0], f"law {name}: table", result)
    result = folder.cairn("law", "hooke", "--help")
    check_status(result, 0, "law hooke --help")
    check("tangential_damping_ratio" in result.out, "law hooke --help: parameters", result)
    result = folder.cairn("law", "hooke", "--set", "v_n=-0.1", "--set", "damping=mass", "--set",
                          "shear_z=0.1")
    check_status(result, 0, "--set")


def check_wrong(folder):
    for text, pattern in [
            ('{"radii": [1, 2}', r'state\.json:1: expected "," or "\]" before "\}"'),
            ('{\n"radi": [1, 2]}', r'state\.json:2: unknown key "radi" \(did you mean "radii"\?\)'),
            ('{"radii": [1]}', "radii must be a list of two"),
            ('{"radii": [0, 1]}', "radii 0 m and 1 m"),
            ('{"radii": ["infinite", "infinite"]}', "one body at least must be able to move"),
            ('{"masses": [-1, 1]}', "mass = -1 kg of body A must be positive"),
            ('{"positions": [[0, 0], [1, 1, 1]]}', "must be a list of 3 numbers"),
            ('{"h": 0}', "step = 0 s must be positive"),
            ('{"h": "small"}', "h must be a number, not a text"),
            ('{"history": {"sheer_x": 1}}', r'unknown history "sheer_x" \(did you mean "shear_x"\?\)'),
            ('{"parameters":\n {"frction": 1}}', r':2: unknown parameter "frction" \(did you mean "friction"'),
            ('{"parameters": {"friction": -1}}', r"state\.json:1: friction = -1 is out of range"),
            ('{"parameters": {"damping": "viscos"}}', r'did you mean "viscous"'),
            ('{"parameters": {"friction": [1]}}', "friction must be"),
            ('[1]', "must be an object"), ("", "expected a value at the end"),
            ('{"fresh": 1}', "fresh must be true or false")]:
        folder.write("state.json", text)
        check_error(folder.cairn("law", "hooke", "--state", "state.json"), 3, pattern, text)
    for text, pattern in [('{"W": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}', "positive definite"),
                          ('{"mu": -1}', "friction = -1 is out of range"),
                          ('{"radii": [1, 1]}', 'unknown key "radii"')]:
        folder.write("state.json", text)
        check_error(folder.cairn("law", "secular", "--state", "state.json"), 3, pattern, text)
    check_error(folder.cairn("law", "hooke", "--state", "none.json"), 3, "none.json", "no file")
    for words, pattern in [
            (("hoke",), r'unknown law or one-contact solver "hoke" \(did you mean "hooke"\?\)'),
            (("hooke", "--set", "overlp=1"), r'unknown key "overlp" \(did you mean "overlap"\?\)'),
            (("hooke", "--set", "overlap=big"), "overlap must be a number"),
            (("hooke", "--set", "friction=-1"), "friction = -1 is out of range"),
            (("hooke", "--sweep", "overlap=0:1"), "--sweep wants NAME=A:B:N"),
            (("hooke", "--sweep", "overlap=0:1:1"), "--sweep wants NAME=A:B:N"),
            (("hooke", "--sweep", "overlap=0:nan:5"), "--sweep wants NAME=A:B:N"),
            (("hooke", "--sweep", "overlp=0:1:5"), "did you mean"),
            (("hooke", "--svg", "x.svg"), "--svg wants --sweep"),
            ((), "cairn law wants NAME")]:
        check_error(folder.cairn("law", *words), 2, pattern, " ".join(words))


def check_page(folder):
    """The commands of the page run, and its table has every key."""
    with open(ROOT + "/docs/laws.md") as page:
        text = page.read()
    folder.write("state.json", json.dumps({**STATE, "parameters": {"young_modulus": 1e8}}))
    commands = re.findall(r"^    cairn (law .*)$", text, re.M)
    check(len(commands) >= 5, f"{len(commands)} commands of the page")
    for command in commands:
        check_status(folder.cairn(*command.split()), 0, command)
    with open(ROOT + "/cli/law_read.c") as source:
        keys = re.findall(r'\{"(\w+)",\s*read_\w+\s*\}', source.read())
    check(len(keys) >= 20, f"keys: {keys}")
    for key in keys:
        check(f"`{key}`" in text, f"the page has the key {key}")


SLOW = """
simulation{ step = 1 / 200, end_time = 0.01 }
material{ name = "stone", density = 2000 }
pair{ law = "hooke", normal_stiffness = 1e6, restitution = 1, tangential_stiffness = 1 }
ground{ material = "stone" }
body{ shape = sphere{ radius = 0.05 }, material = "stone", position = {0, 0, 0.06} }
"""


def check_step(folder):
    folder.write("slow.lua", SLOW)
    mass = 2000 * 4 / 3 * math.pi * 0.05 ** 3
    stable = math.sqrt(mass / 1e6)
    result = folder.cairn("run", "slow.lua", "--json")
    check("exceeds the stable step" in result.err and '"stone" and "stone"' in result.err and
          f"{stable:.3g} s" in result.err, "run warns of the step", result)
    result = folder.cairn("run", "slow.lua", "--json", "--step", "auto")
    check_status(result, 0, "--step auto")
    check(result.err.count("warning") == 0, "--step auto: no warning", result)
    close(load(folder.read("out/slow/resolved.json"))["simulation"]["step"], stable / 30, "auto step")
    result = folder.cairn("run", "slow.lua", "--json", "--step", "auto", "--law",
                          "signorini_coulomb")
    check_status(result, 0, "--step auto of a cone law")
    check(load(result.out)["steps"] == 2 and "it stays 0.005 s" in result.err,
          "--step auto of a cone law: the scene's", result)


with Folder() as place:
    for part in (check_hooke, check_hertz, check_others, check_cone, check_planes, check_locals,
                 check_sweep, check_all, check_wrong, check_page, check_step):
        part(place)
finish()
