#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Spheres, clumps and hulls beside LAMMPS, LIGGGHTS and Yade.
"""Spheres, clumps and hulls by cairn and by LAMMPS, LIGGGHTS and Yade: the same beds, in turns, in one run.

usage: compare.py BENCH_DEM WORK_FOLDER [--sizes 1000,10000] [--laws hooke,hertz] [--slopes 0,1]
                  [--kernels avx512,avx2,scalar] [--repeats 2] [--peers lammps,liggghts,yade] [--sides walls,periodic]
                  [--clump 3] [--hull octahedron [--rounding 0.05]] [--memory]

Makes the beds that WORK_FOLDER lacks, and takes the peers that are installed. With periodic sides a bed lies on a floor
alone, in a cell that is closed along x and y (not Yade). With --clump grains are rings of that many spheres that overlap
(no periodic sides); LAMMPS moves them by `fix rigid/small`, Yade as clumps. With --hull grains are regular octahedra,
which in LAMMPS are rounded ones (`pair_style body/rounded/polyhedron`) with the same faces, by a hundredth of their
radius or by --rounding, which then rounds those of cairn, too; in Yade they are sharp, and their force is that of the
volume in which two of them overlap. Speeds are million grain-steps per second of processor time of the stepping loop;
the best of the repeats counts for each, and each ratio is cairn's speed over that of the peer. Contacts a grain, at the
end, tell that all computed the same bed; Yade's have those with walls in them. --memory prints the
bytes that 90 000 more spheres take instead: most resident memory with 100 000 less that with 10 000.
"""
import argparse
import os
import re
import shutil
import subprocess

import beds

STEPS = {1000: 20000, 10000: 2000, 100000: 200}
SKINS = {0: 0.0006, 1: 0.001}  # m, settled and flowing
HULL_STEPS = 100
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {"lammps": "lmp", "liggghts": "liggghts", "yade": "yade"}


class Case:
    """One row: a bed under a law, settled or flowing."""

    def __init__(self, o, size, law="hooke", slope=0, periodic=False):
        self.o, self.size, self.law, self.slope, self.periodic = o, size, law, slope, periodic
        self.text, self.data = beds.make(o.bench, o.folder, size, periodic, o.clump, o.hull, o.rounding)
        self.side = beds.SIDES[size]
        self.steps = HULL_STEPS if o.hull else STEPS[size]
        self.warm = 0 if o.hull else {1000: 5000, 10000: 3000, 100000: 400}[size] if slope else {1000: 5000}.get(size, 500)
        if o.memory:
            self.steps, self.warm = 20, 20

    def label(self):
        what = self.o.hull or (f"clumps of {self.o.clump}" if self.o.clump else "spheres")
        flow = "flowing" if self.slope else "settled"
        return f"{self.size} {what} {self.law} {flow}" + (" cell" if self.periodic else "")


class Run:
    """What a program did: million grain-steps a second, and most resident bytes."""

    def __init__(self, command, case):
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        process = subprocess.Popen(command, cwd=case.o.folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, errors="replace")
        self.text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command[0]} ended with status {process.returncode}:\n{self.text[-2000:]}")
        self.bytes = 1024 * usage.ru_maxrss
        self.speed, self.mean = 0.0, "-"

    def took(self, case, seconds, steps, mean=r"^\s+\d+\s+\S+\s+(\S+)\s*$", parts=1):
        """Speed, and the contacts of a grain, of so many parts whose mean the program prints last."""
        self.speed = 1e-6 * case.size * steps / seconds
        found = re.findall(mean, self.text, re.M)
        self.mean = f"{float(found[-1]) * parts:.2f}" if found else "-"
        return self


def by_cairn(case, kernel):
    o = case.o
    steps = 10 * case.steps if o.hull else case.steps
    words = [o.bench, "--bed", case.text, "--side", str(case.side), "--law", case.law, "--slope", str(case.slope),
             "--warm", str(case.warm or 50), "--steps", str(steps), "--kernel", kernel, "--clump", str(o.clump)]
    words += ["--cell", "xy"] if case.periodic else []
    words += ["--hull", o.hull, "--rounding", str(o.rounding)] if o.hull else []
    run = Run(words, case)
    found = re.search(r"Mps_cpu (\S+) .*coord (\S+) ", run.text)  # none where the processor lacks these vectors
    if found:
        run.speed, run.mean = float(found[1]), f"{float(found[2]):.2f}"
    return run


def variables(**named):
    return [word for name, value in named.items() for word in ("-var", name, str(value))]


def by_lammps(case, script):
    words = [case.o.lammps, "-in", script, "-log", "none"]
    shared = {"bed": case.data, "side": case.side, "skin": SKINS[case.slope], "warm": case.warm, "steps": case.steps,
              "slope": case.slope, "sides": "p" if case.periodic else "f"}
    run = Run(words + variables(model=case.law, clump=case.o.clump, **shared), case)
    part = run.text[run.text.rindex(f"for {case.steps} steps") - 200:]
    seconds, share = (float(re.search(what, part)[1]) for what in (r"Loop time of (\S+) on", r"(\S+)% CPU use"))
    return run.took(case, seconds * share / 100.0, case.steps, parts=max(case.o.clump, 1))


def by_liggghts(case):
    words = [case.o.liggghts, "-in", os.path.join(HERE, "in.liggghts"), "-log", "none"]
    run = Run(words + variables(bed=case.data, side=case.side, skin=SKINS[case.slope], warm=case.warm, steps=case.steps,
                                slope=case.slope, sides="p" if case.periodic else "f", walls=int(not case.periodic),
                                hertz=int(case.law == "hertz")), case)
    # time by the clock: LIGGGHTS prints no other
    return run.took(case, float(re.search(rf"Loop time of (\S+) on \S+ procs for {case.steps} steps", run.text)[1]), case.steps)


def by_yade(case):
    o = case.o
    steps = 20 if o.hull else max(20, case.steps // 4)
    run = Run([o.yade, "-j1", "-n", "-x", os.path.join(HERE, "bed_yade.py"), case.text, str(case.side), case.law,
               str(case.warm), str(steps), str(case.slope), str(o.clump), o.hull or "-"], case)
    return run.took(case, float(re.search(r"yade seconds (\S+)", run.text)[1]), steps, r"contacts (\S+) fastest")


def runs_of(case, peers):
    """(name, what makes the run) of all that take part in a row."""
    found = [("cairn " + kernel, lambda kernel=kernel: by_cairn(case, kernel)) for kernel in case.o.kernels.split(",")]
    if "lammps" in peers:
        script = os.path.join(HERE, "in.bodies" if case.o.hull else "in.lammps")
        found.append(("lammps", lambda: by_lammps(case, script)))
    if "liggghts" in peers and not case.o.hull and not case.o.clump:
        found.append(("liggghts", lambda: by_liggghts(case)))
    if "yade" in peers and not case.periodic and not case.o.rounding:
        found.append(("yade", lambda: by_yade(case)))
    return found


def print_row(case, peers):
    best, mean = {}, {}
    for _ in range(case.o.repeats):
        for name, make in runs_of(case, peers):
            run = make()
            best[name], mean[name] = max(best.get(name, 0.0), run.speed), run.mean
    own = [name for name in best if name.startswith("cairn")]
    words = [f"{name[6:]} {best[name]:.3g}" for name in own]
    for peer in (name for name in best if name not in own):
        words.append(f"{peer} {best[peer]:.3g} (" + ", ".join(f"{best[name] / best[peer]:.3g}" for name in own) + ")")
    words.append("contacts a grain " + ", ".join(mean.values()))
    print(f"{case.label():36} " + "  ".join(words), flush=True)


def print_memory(o, peers):
    sizes = (10000, 100000)
    for law in o.laws.split(","):
        cases = [Case(o, size, law) for size in sizes]
        names = [name for name, _ in runs_of(cases[0], peers)]
        bytes_of = [[dict(runs_of(case, peers))[name]().bytes for case in cases] for name in names]
        print(f"bytes a sphere, {law}: " + ", ".join(
            f"{name} {(large - small) / (sizes[1] - sizes[0]):.0f}" for name, (small, large) in zip(names, bytes_of)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("folder")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--laws", default="hooke,hertz")
    parser.add_argument("--slopes", default="0,1")
    parser.add_argument("--kernels", default="avx512,avx2")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--peers", default="lammps,liggghts,yade")
    parser.add_argument("--sides", default="walls,periodic")
    parser.add_argument("--clump", type=int, default=0)
    parser.add_argument("--hull", default="", choices=["", "octahedron"])
    parser.add_argument("--rounding", type=float, default=0.0)
    parser.add_argument("--memory", action="store_true")
    o = parser.parse_args()
    o.bench, o.folder = os.path.abspath(o.bench), os.path.abspath(o.folder)
    beds.check(o.bench)
    if o.clump or o.hull:
        o.sides = "walls"
    if o.hull:
        o.laws, o.slopes, o.kernels = "hooke", "0", "avx512"
    os.makedirs(o.folder, exist_ok=True)
    peers = []
    for peer in o.peers.split(","):
        setattr(o, peer, shutil.which(PROGRAMS.get(peer, peer)))
        if getattr(o, peer):
            peers.append(peer)
        else:
            print(f"{peer} is not installed")
    if o.memory:
        print_memory(o, peers)
        return
    for size in map(int, o.sizes.split(",")):
        for side in o.sides.split(","):
            for law in o.laws.split(","):
                for slope in map(int, o.slopes.split(",")):
                    print_row(Case(o, size, law, slope, side == "periodic"), peers)


if __name__ == "__main__":
    main()
