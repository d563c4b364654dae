# SPDX-License-Identifier: Apache-2.0
# Scenes and laws in random order, each run twice: undisturbed, and with kills, signals, closed
# descriptors, limits on files and restarts on other numbers of threads and processes. Both must leave the same.
"""usage: soak.py PROGRAM [--seed N] [--seconds S]"""
import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# scene, settings that keep it small, simulated seconds, laws that it can take
SCENES = [
    ("arch", [], 0.2, ["signorini_coulomb"]),
    ("billiards", [], 0.5, ["signorini_coulomb"]),
    ("box_stack", ["boxes=4"], 0.5, ["signorini_coulomb"]),
    ("brick_wall", [], 0.05, ["signorini_coulomb"]),
    ("capsules", ["capsules=12"], 0.4, ["signorini_coulomb"]),
    ("chain", ["links=4"], 0.3, ["signorini_coulomb"]),
    ("chain_with_ball", [], 0.3, ["signorini_coulomb"]),
    ("domino", [], 0.2, ["signorini_coulomb"]),
    ("four_bar", [], 0.3, ["signorini_coulomb"]),
    ("granular_column", ["length=8.0"], 0.03, [None]),
    # its steps are those of stiff springs: 0.3 s each where contacts are rigid
    ("granular_column", ["length=8.0"], 0.0012, ["signorini_coulomb"]),
    ("hopper", ["depth=4.0"], 0.02, [None]),
    ("kapla_tower", ["rings=3"], 0.1, ["signorini_coulomb"]),
    ("mixer", ["grains=60", "fill=0.25"], 0.05, [None]),
    ("newton_cradle", [], 0.3, ["signorini_coulomb"]),
    ("pendulum", [], 0.5, ["signorini_coulomb"]),
    ("rag_dolls", [], 0.3, ["signorini_coulomb"]),
    ("rockfall", [], 0.1, ["signorini_coulomb"]),
    ("drum", ["radius=6.0", "length=4.0"], 0.1, [None]),
    ("ball_mill", ["turns=0.0", "diameter=0.6"], 0.1, [None]),
    ("lifted_cylinder", ["radius=4.0", "speed=1.0"], 0.1, [None]),
    ("mesh_hopper", ["orifice=4.0", "depth=1.0", "opening=0.01"], 0.1, [None]),
    ("shaken_wall", ["courses=3", "stones=2"], 0.5, ["signorini_coulomb"]),
    ("slider_crank", [], 0.2, ["signorini_coulomb"]),
    ("sphere_heap", [], 0.004, ["hooke", "hertz_mindlin", "incremental", "spring_dashpot"]),
]
COMPARED = ["energy.csv", "sensors.csv", "bodies.csv", "hashes"]
STEP_OF_SPRINGS = "2e-5"


class Soak:
    def __init__(self, program, seed):
        self.program = program
        self.has_ranks = shutil.which("mpirun") is not None and os.path.exists(program + "-mpi")
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="cairn-soak-")
        self.counts = {}
        self.problems = []

    def book(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def words(self, case, out):
        scene, settings, until, law = case
        words = [self.program, "run", scene, "--until", str(until), "--out", out, "--json", "--quiet",
                 "--accept-unsolved", "--hash", out + "/hashes", "--paraview-every", "7", "--trajectory-every", "5"]
        for setting in settings:
            words += ["--set", setting]
        if law is not None:
            words += ["--law", law]
        if law not in (None, "signorini_coulomb"):
            words += ["--step", STEP_OF_SPRINGS]
        return words

    def reference(self, case, key):
        out = os.path.join(self.folder, "reference_" + key)
        if os.path.exists(out):
            return out
        os.makedirs(out)
        done = subprocess.run(self.words(case, out), capture_output=True, text=True, timeout=3600)
        if done.returncode != 0:
            self.problems.append(f"{key}: undisturbed run: exit status {done.returncode}: {done.stderr[-300:]}")
        return out

    def disturb(self, words):
        """Starts a run and does something to it. Returns its exit status."""
        fault = self.random.choice(["kill", "kill", "SIGINT", "SIGTERM", "SIGUSR1", "closed", "file limit", "none", "processes"])
        if fault == "processes" and not self.has_ranks:
            fault = "none"
        self.book(fault)
        if fault == "processes":
            # whose messages are held up at random
            words = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(self.random.choice([2, 3, 7])), *words]
            os.environ["CAIRN_RANKS_DELAY"] = "300"
        closed = self.random.sample([0, 1, 2], self.random.randint(1, 3)) if fault == "closed" else []
        limit = self.random.choice([0, 300, 4000, 30000, 200000]) if fault == "file limit" else None

        def prepare():
            for descriptor in closed:
                os.close(descriptor)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        run = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=prepare, close_fds=True)
        if fault in ("kill", "SIGINT", "SIGTERM", "SIGUSR1"):
            time.sleep(self.random.expovariate(1 / 0.25))
            run.send_signal(signal.SIGKILL if fault == "kill" else getattr(signal, fault))
        status = run.wait(timeout=3600)
        allowed = {"kill": (0, -9), "SIGINT": (0, 130, -2), "SIGTERM": (0, 130, -15), "SIGUSR1": (0, -10),
                   "closed": (0, 1), "file limit": (0, 1), "none": (0,), "processes": (0,)}[fault]
        if status not in allowed:
            self.problems.append(f"{' '.join(words)}: {fault}: exit status {status}")
        # without standard output the object of --json cannot be told, which is status 1 after all is done
        return 0 if fault == "closed" and 1 in closed and status == 1 else status

    def attempt(self, case, key):
        out = os.path.join(self.folder, "disturbed")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        base = self.words(case, out) + ["--checkpoint-steps", str(self.random.choice([3, 10, 40]))]
        for number in range(40):
            words = base + ["--threads", str(self.random.choice([1, 2, 3, 5]))]
            checkpoint = os.path.join(out, "checkpoint.h5")
            if os.path.exists(checkpoint):
                words += ["--restart", checkpoint]
                self.book("restarts")
            # in the end it is left alone
            status = self.disturb(words) if number < 6 else subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, timeout=3600).returncode
            if status == 0 and self.ended(out):
                return out
        self.problems.append(f"{key}: does not come to its end")
        return out

    @staticmethod
    def ended(out):
        try:
            with open(os.path.join(out, "summary.json")) as file:
                return json.load(file)["status"] == "done"
        except (OSError, ValueError, KeyError):
            return False

    def compare(self, key, whole, disturbed):
        for name in COMPARED:
            paths = [os.path.join(folder, name) for folder in (whole, disturbed)]
            texts = [open(path, "rb").read() if os.path.exists(path) else None for path in paths]
            if texts[0] != texts[1]:
                self.problems.append(f"{key}: {name} differs")
        names = [sorted(name for name in os.listdir(os.path.join(folder, "paraview")))
                 for folder in (whole, disturbed)]
        if names[0] != names[1]:
            self.problems.append(f"{key}: frames differ: {len(names[0])} and {len(names[1])}")
        done = subprocess.run([self.program, "compare", whole, disturbed, "--tolerance", "0"], capture_output=True,
                              text=True, timeout=120)
        if done.returncode != 0:
            self.problems.append(f"{key}: compare: {done.stdout[-300:]} {done.stderr[-300:]}")

    def once(self):
        scene, settings, until, laws = self.random.choice(SCENES)
        law = self.random.choice(laws)
        key = f"{scene}_{law or 'own'}"
        case = (scene, settings, until, law)
        whole = self.reference(case, key)
        if self.problems:
            return
        disturbed = self.attempt(case, key)
        self.compare(key, whole, disturbed)
        self.book("runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    soak = Soak(os.path.abspath(options.program), options.seed)
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and not soak.problems:
        soak.once()
    print(f"seed {options.seed}: " + ", ".join(f"{count} {what}" for what, count in sorted(soak.counts.items())))
    for problem in soak.problems:
        print("FAILED:", problem)
    if soak.problems:
        print("files are in", soak.folder)
        return 1
    shutil.rmtree(soak.folder)
    return 0


sys.exit(main())
