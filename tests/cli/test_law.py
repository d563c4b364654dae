# SPDX-License-Identifier: Apache-2.0
# cairn law against the closed forms of docs/laws.md, its sweeps and drawings, and wrong input.
"""usage: test_law.py PROGRAM ROOT"""
import csv
import io
import json
import math
import random
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


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def connector(state, p, history, program):
    """Force and torque of the connector of docs/laws.md (6.1)-(6.6) on B, and the torque on A."""
    (x0, x1), (v0, v1), (w0, w1) = (state[k] for k in ("positions", "velocities", "angular_velocities"))
    r0, r1 = state["radii"]
    way = sub(x1, x0)
    l = math.sqrt(dot(way, way))
    n = [x / l for x in way]
    d = r0 + r1 - l
    v_n = dot(n, sub(v1, v0))
    k, e = p["contact_stiffness"], p["restitution_coefficient"]
    power, model = p["contact_stiffness_exponent"], p["impact_model"]
    f = k * d ** power
    plastic = history["plastic_overlap"]
    if model == 0 and p["contact_plasticity_ratio"] > 0:
        ratio = p["contact_plasticity_ratio"]
        plastic = max(plastic, ratio ** (1 / power) * d)
        x = 1 if program and power == 1 else p["adhesion_exponent"]
        line = k / (1 - ratio) * (d ** power - plastic ** power)
        f = min(f, max(line, -p["adhesion_coefficient"] * d ** x)) - p["constant_pull_off_force"]
    v_i = max(p["minimum_impact_velocity"], history["impact_velocity"])
    if model > 0 and v_i > 0:
        factor = 1.5 * (e - 1)
        if model == 2:
            factor = 1.5 * (e - 1) * (11 - e) / (1 + 9 * e) if e > 1 / 3 else (e * e - 1) / e
        f += k * d ** power * factor * v_n / v_i
    f -= p["contact_damping"] * v_n
    arm0, arm1 = [(r0 - d / 2) * x for x in n], [-(r1 - d / 2) * x for x in n]
    v_t = [a + b - c - g for a, b, c, g in zip(v1, cross(w1, arm1), v0, cross(w0, arm0))]
    v_t = [a - dot(v_t, n) * b for a, b in zip(v_t, n)]
    speed = math.sqrt(dot(v_t, v_t))
    limit = p["dynamic_friction"] * (f if program else max(f, 0.0))
    size = limit / max(speed, p["friction_proportional_zone"])
    force = [f * a - size * b for a, b in zip(n, v_t)]
    return force, cross(arm0, [-x for x in force]), cross(arm1, force), plastic


def check_connector_states(folder):
    """States of exudyn_sphere drawn by lot, in both modes."""
    lot = random.Random(11)
    vector = lambda size: [lot.uniform(-size, size) for _ in range(3)]
    pulled = 0
    for number in range(40):
        radii = [lot.uniform(0.02, 0.2), lot.uniform(0.02, 0.2)]
        way, centre = vector(1), vector(0.5)
        l = math.sqrt(dot(way, way))
        d = lot.uniform(0.001, 0.05) * min(radii)
        power = lot.choice([1, 1, 1.5, 2])
        p = {"contact_stiffness": 10 ** lot.uniform(4, 6), "contact_stiffness_exponent": power,
             "contact_damping": lot.choice([0, 30]), "dynamic_friction": lot.uniform(0.1, 0.9),
             "friction_proportional_zone": lot.choice([1e-3, 0.5, 3.0]),
             "constant_pull_off_force": lot.choice([0, 2.0]),
             "contact_plasticity_ratio": lot.choice([0, 0.3, 0.8]),
             "adhesion_coefficient": lot.choice([0, 1e4]), "adhesion_exponent": lot.choice([1, 2]),
             "restitution_coefficient": lot.uniform(0.05, 1), "impact_model": lot.choice([0, 0, 1, 2]),
             "minimum_impact_velocity": lot.choice([0, 0.4])}
        history = {"gap": -d, "tangential_velocity": 0.0,
                   "impact_velocity": lot.choice([0, 0.2, 1.5]),
                   "plastic_overlap": lot.choice([0, 0.9, 1.5]) * d}
        state = {"radii": radii, "velocities": [vector(1), vector(1)], "instantaneous": True,
                 "angular_velocities": [vector(20), vector(20)],
                 "positions": [centre, [c + x / l * (sum(radii) - d) for c, x in zip(centre, way)]]}
        for mode in ("physical", "exudyn"):
            answer = evaluate(folder, "exudyn_sphere", {**state, "history": history,
                              "parameters": {**p, "compatibility": mode}})
            f, t0, t1, plastic = connector(state, p, history, mode == "exudyn")
            scale = max(map(abs, f)) * 1e-9
            pulled += dot(f, answer["frame"][0]) < 0
            for k in range(3):
                what = f"state {number} {mode}"
                check(abs(answer["forces"][1][k] - f[k]) <= scale, f"{what}: force {answer} {f}")
                check(abs(answer["forces"][0][k] + f[k]) <= scale, f"{what}: force on A")
                check(abs(answer["torques"][0][k] - t0[k]) <= scale, f"{what}: torque on A")
                check(abs(answer["torques"][1][k] - t1[k]) <= scale, f"{what}: torque on B")
            close(answer["history"]["plastic_overlap"], plastic if p["impact_model"] == 0 and
                  p["contact_plasticity_ratio"] > 0 else history["plastic_overlap"],
                  f"state {number}: plastic overlap")
    check(pulled > 3, f"{pulled} states in tension")


def penalty(h, gap, W, B, V, R, p, cohesive):
    """The algorithm of docs/laws.md section 4, forces, components (N, T1, T2)."""
    s, d, m = p["spring"], p["dashpot"], p["hpow"]
    if p["variant"] == "semi_explicit":
        b = B[0] + W[0][1] * R[1] + W[0][2] * R[2]
        g = min(gap + h / 4 * (b - V[0]), 0)
        s1 = s * m * (-g) ** (m - 1)
        if d < 0:
            d = 2 * math.sqrt(s1 / W[0][0])
        F = (s * (-g) ** m - d / 2 * (b + V[0])) / (1 + (s1 * h / 4 + d / 2) * h * W[0][0])
    else:
        g = min(gap, 0)
        if d < 0:
            d = 2 * math.sqrt(s * m * (-g) ** (m - 1) / W[0][0])
        F = s * (-g) ** m - d * V[0]
    if F < 0 and not cohesive:
        return [0, 0, 0], False
    u = [B[i] + h * W[i][0] * F for i in (1, 2)]
    det = W[1][1] * W[2][2] - W[1][2] * W[2][1]
    T = [-(W[2][2] * u[0] - W[1][2] * u[1]) / det / h, -(W[1][1] * u[1] - W[2][1] * u[0]) / det / h]
    if cohesive and F < -p["cohesion"]:
        F, cohesive = -p["cohesion"], False
    size, most = math.hypot(*T), p["friction"] * abs(F)
    if size > most:
        T, cohesive = [x * most / size for x in T], False
    return [F, *T], cohesive


def check_given_contact(folder):
    """gap, V, B and W of the contact itself."""
    lot = random.Random(5)
    for number in range(24):
        A = [[lot.uniform(-1, 1) for _ in range(3)] for _ in range(3)]
        W = [[sum(A[i][k] * A[j][k] for k in range(3)) + (i == j) for j in range(3)] for i in range(3)]
        V = [lot.uniform(-0.5, 0.1), lot.uniform(-0.3, 0.3), lot.uniform(-0.3, 0.3)]
        B = [v + lot.uniform(-0.02, 0.02) for v in V]
        h, gap = 1e-3, lot.choice([-1e-3, -3e-4, -1e-5])
        previous = [0.01, lot.uniform(-0.01, 0.01), lot.uniform(-0.01, 0.01)]
        cohesive = number % 3 == 0
        p = {"spring": 1e5, "dashpot": lot.choice([0, 20, 200, -1]), "hpow": lot.choice([1, 1.5]),
             "friction": lot.choice([0.05, 0.4, 3]), "cohesion": 2.0 if cohesive else 0.0,
             "variant": lot.choice(["semi_explicit", "explicit"])}
        answer = evaluate(folder, "spring_dashpot", {
            "h": h, "gap": gap, "W": W, "V": V, "B": B, "previous_impulse": previous,
            "history": {"cohesive": int(cohesive)}, "parameters": p})
        wanted, bond = penalty(h, gap, W, B, V, previous, p, cohesive)
        for x, y in zip(force(answer), wanted):
            check(abs(x - y) <= 1e-9 * max(map(abs, wanted)) + 1e-12, f"penalty {number}: {answer} {wanted}")
        check(answer["history"]["cohesive"] == bond, f"penalty {number}: bond")
        close(answer["gap"], gap, "given gap")
    # restitution and friction of a cone law on a given contact
    R = [337.22960326801524, -58.49305551485604, -33.57848521521017]
    U = [0.21894896449456513, 1.3183111740370215, 0.7567888508612036]
    answer = evaluate(folder, "signorini_coulomb", {
        "gap": -1e-4, "parameters": {"friction": 0.2, "restitution": 0.5},
        "V": [-0.4378979289891302, 1.2343591499500648, 0.8674137494491752],
        "B": [-0.3995736651925451, 1.2251888018109327, 0.8503200175060193],
        "W": [[0.001988084094127878, 0.0009137509101795465, -4.5561974192450064e-05],
              [0.0009137509101795465, 0.003261472755425173, 0.0007221283986118766],
              [-4.5561974192450064e-05, 0.0007221283986118766, 0.0010699358063554233]]})
    for i in range(3):
        close(answer["impulse"][i], R[i], "given contact: R", 1e-8)
        close(answer["velocity_end"][i], U[i], "given contact: U", 1e-7)


def check_chain(folder):
    """The history of an answer is that of the next call, for every explicit law."""
    for name in LAWS[1:]:
        state = {**STATE, "instantaneous": False, "h": 1e-5}
        first = evaluate(folder, name, state)
        second = evaluate(folder, name, {**state, "history": first["history"],
                                         "previous_impulse": first["impulse"]})
        check(second["history"].keys() == first["history"].keys(), f"{name}: names of the history")
        result = folder.cairn("law", name, "--help")
        for key in first["history"]:
            check(key in result.out, f"law {name} --help names {key}", result)
    answer = evaluate(folder, "incremental", STATE)
    twice = evaluate(folder, "incremental", {**STATE, "history": answer["history"]})
    close(force(twice)[1], 2 * force(answer)[1], "incremental: shear adds up", 1e-6)


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
    # a contact given by its own quantities: sliding is turned back, and a kept contact attracts
    given = {"gap": -1e-6, "h": 1e-3, "V": [-1.0, 0.5, 0.0], "fresh": True,
             "W": [[2.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 7.0]],
             "parameters": {"friction": 5.0, "restitution": 0.5, "tangential_restitution": 0.4,
                            "cohesion": 300.0}}
    answer = evaluate(folder, "signorini_coulomb", given)
    close(answer["velocity_end"][0], 0.5, "cone: bounces", 1e-9)
    close(answer["velocity_end"][1], -0.2, "cone: sliding turned back", 1e-9)
    close(answer["impulse"][0], 0.75, "cone: a fresh contact does not attract", 1e-9)
    # of 0.3 N s of attraction 0.2 N s are needed against a separation of 0.4 m/s
    kept = {**given, "fresh": False, "V": [0.4, 0.0, 0.0],
            "parameters": {"cohesion": 300.0, "restitution": 0.0, "friction": 0.5}}
    answer = evaluate(folder, "signorini_coulomb", kept)
    check(abs(answer["velocity_end"][0]) < 1e-12, "cone: cohesion stops the separation")
    close(answer["impulse"][0], -0.2, "cone: by a pull", 1e-9)
    kept["V"] = [1.0, 0.0, 0.0]
    answer = evaluate(folder, "signorini_coulomb", kept)
    close(answer["impulse"][0], -0.3, "cone: no more than the cohesion pulls", 1e-9)
    close(answer["velocity_end"][0], 0.4, "cone: so that the bodies part", 1e-9)
    check(answer["status"] == "parting", f"cone: parting, not {answer['status']}")
    kept["V"] = [0.4, 0.0, 0.0]
    check(evaluate(folder, "signorini_coulomb", kept)["status"] == "sticking", "cone: cohesion holds")


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
            ('{"fresh": 1}', "fresh must be true or false"), ('{"gap": "small"}', "gap must be a number"),
            ('{"W": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}', "positive definite")]:
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
            (("hooke", "--set", "overlp=1"), r'unknown key "overlp" for hooke \(did you mean "overlap"\?\); there are: overlap, v_n'),
            (("hooke", "--set", "overlap=big"), "overlap must be a number"),
            (("hooke", "--set", "overlap=0.03"), "overlap = 0.03 m is out of range: B would pass the centre of A"),
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
    with open(ROOT + "/cli/law/law_read.c") as source:
        keys = re.findall(r'\{"(\w+)",\s*read_\w+\s*\}', source.read())
    check(len(keys) >= 20, f"keys: {keys}")
    for key in keys:
        check(f"`{key}`" in text, f"the page has the key {key}")


def check_conformance(folder):
    """Every explicit law keeps the rules; bad words are told."""
    laws = [load(line) for line in folder.cairn("list", "laws", "--json").out.splitlines()]
    laws = [law["name"] for law in laws if law["kind"] != "cone"]
    check(len(laws) >= 8, f"laws: {laws}")
    for name in laws:
        # without a stiffness this one has no force
        given = ["--set", "contact_stiffness=1e5"] if name == "exudyn_sphere" else []
        result = folder.cairn("law", name, "--conformance", *given)
        check_status(result, 0, name)
        check(result.out == f"{name}: conforms\n", f"{name} says so", result)
    result = folder.cairn("law", "hooke", "--conformance", "--json", "--set", "restitution=0.3")
    check(load(result.out) == {"kind": "conformance", "law": "hooke", "conforms": True, "message": None},
          "hooke as JSON", result)
    result = folder.cairn("law", "exudyn_sphere", "--conformance", "--json")
    check_status(result, 5, "spheres without a force")
    answer = load(result.out)
    check(not answer["conforms"] and "do not feel each other" in answer["message"], "what is wrong", result)
    check_error(folder.cairn("law", "exudyn_sphere", "--conformance"), 5, "do not feel each other", "as a message")
    for words, pattern in [(("secular", "--conformance"), "wants a law"),
                           (("signorini_coulomb", "--conformance"), "signorini_coulomb"),
                           (("hooke", "--conformance", "--sweep", "overlap=0:1:5"), "exclude each other"),
                           (("hooke", "--conformance", "--set", "friction=-1"), "out of range")]:
        check_error(folder.cairn("law", *words), 2, pattern, " ".join(words))


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
    # what such steps make of the energy is said, too, up to an explosion
    result = folder.cairn("run", "slow.lua", "--json", "--step", "0.003", "--until", "1")
    check_status(result, 0, "a step that makes energy")
    check("J of energy do not add up, 100 % of" in result.err, "a step that makes energy", result)
    result = folder.cairn("run", "slow.lua", "--json", "--until", "1")
    check_status(result, 1, "a step that makes much energy")
    check("energy grew without a source" in result.err, "a step that makes much energy", result)
    result = folder.cairn("run", "slow.lua", "--json", "--step", "1e-4", "--until", "1")
    check_status(result, 0, "a step that keeps energy")
    check("add up" not in result.err, "a step that keeps energy", result)
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
    for part in (check_hooke, check_hertz, check_others, check_connector_states,
                 check_given_contact, check_chain, check_cone, check_planes, check_locals,
                 check_sweep, check_all, check_wrong, check_page, check_conformance, check_step):
        part(place)
finish()
