# SPDX-License-Identifier: Apache-2.0
# What Python adds to the engine: of a step, of a law over batches, of many worlds in threads.
"""usage: overhead.py [--spheres N] [--worlds N]

Run it with the package in PYTHONPATH, on a quiet machine. Every figure is a ratio or a difference
of two measurements of this run, taken in turns; the middle of the rounds is printed.
"""
import argparse
import concurrent.futures
import ctypes
import pathlib
import statistics
import subprocess
import tempfile
import time

try:
    import cairn
    import numpy
except ImportError as missing:
    raise SystemExit(f"{__doc__}\n{missing}: PYTHONPATH=build/python has the package, python3-numpy numpy") from None

ROUNDS = 7
LAW = r"""
#include <cairn/cairn.h>
#include <math.h>
void spring(void *context, const cairn_law_batch *batch)
{
    const double *p = batch->parameters;
    (void)context;
    for (int i = 0; i < batch->count; i++) {
        const cairn_law_contact *contact =
            (const void *)((const char *)batch->contacts + (size_t)i * batch->contact_size);
        cairn_law_answer *answer = (void *)((char *)batch->answers + (size_t)i * batch->answer_size);
        double force = fmax(-p[0] * contact->gap - p[1] * contact->velocity[0], 0.0);
        answer->impulse[0] = batch->step * force;
    }
}
typedef cairn_status step_function(cairn_world *world, cairn_error *error);
int steps(step_function *step, cairn_world *world, int count)
{
    for (int i = 0; i < count; i++)
        if (step(world, NULL) != CAIRN_OK)
            return 1;
    return 0;
}
"""


def compiled(folder):
    """The law above and a loop of steps, compiled."""
    root = pathlib.Path(__file__).resolve().parents[2]
    source, library = folder / "law.c", folder / "law.so"
    source.write_text(LAW)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{root}/include", source, "-o", library, "-lm"],
                   check=True)
    return ctypes.CDLL(str(library))


class PythonLaw:
    """The same spring over arrays; its own time is kept apart."""

    def __init__(self):
        self.own = 0.0

    def __call__(self, batch):
        begin = time.perf_counter()
        p = batch.parameters
        force = numpy.maximum(-p["stiffness"] * batch.gap - p["damping"] * batch.velocity[:, 0], 0.0)
        batch.impulse[:, 0] = batch.step * force
        self.own += time.perf_counter() - begin


def bed(law, count):
    """Spheres in columns on the ground, all in contact."""
    world = cairn.World(step=1e-4)
    world.add_law(law, name="spring", parameters={"stiffness": 2e5, "damping": 30.0})
    world.pair(law="spring")
    world.ground()
    ball = cairn.sphere(radius=0.01)
    side = round((count / 10) ** 0.5)
    for i in range(count):
        world.body(shape=ball, position=(0.025 * (i % side), 0.025 * (i // side % side),
                                         0.01 + 0.02 * (i // side ** 2)))
    world.step(1500)  # until the columns have come to rest
    return world


def seconds(call, *arguments):
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def measure_step(library):
    """us that a step from Python takes more than one in C, of a world of one box."""
    library.steps.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    world = box_world()
    ffi, lib = cairn._cairn.ffi, cairn._cairn.lib
    step, address = (int(ffi.cast("uintptr_t", pointer))
                     for pointer in (ffi.addressof(lib, "cairn_world_step"), world._world))
    differences = []
    for _ in range(ROUNDS):
        in_c = seconds(library.steps, step, address, 20000)
        in_python = seconds(lambda: [world.step() for _ in range(20000)])
        differences.append((in_python - in_c) / 20000)
    print(f"a step from Python: {1e6 * statistics.median(differences):.2f} us more than in C")


def measure_law(library, count):
    """The Python law beside the same in C through the same calls."""
    python = PythonLaw()
    address = ctypes.cast(library.spring, ctypes.c_void_p).value
    worlds = bed(python, count), bed(address, count)
    ratios, parts = [], []
    for _ in range(ROUNDS):
        python.own = 0.0
        whole = seconds(worlds[0].step, 20)
        in_c = seconds(worlds[1].step, 20)
        ratios.append((whole - python.own) / in_c)
        parts.append((whole, python.own, in_c))
    whole, own, in_c = (statistics.median(part) / 20 for part in zip(*parts))
    assert (worlds[0].bodies.position == worlds[1].bodies.position).all()
    print(f"a law over {len(worlds[0].contacts)} contacts: {1e3 * whole:.2f} ms a step, of them {1e3 * own:.2f} ms "
          f"the law's numpy; in C {1e3 * in_c:.2f} ms; without its numpy {statistics.median(ratios):.2f} times C")


def box_world(_=None):
    world = cairn.World(step=1 / 500)
    world.pair(friction=0.2)
    world.ground()
    world.body(shape=cairn.box(size=(0.2, 0.2, 0.05)), position=(0, 0, 0.025))
    return world


def measure_threads(count):
    """Worlds of one box in one thread and in two."""
    worlds = [box_world() for _ in range(count)]
    for steps in (1, 10, 100):
        ratios = []
        for _ in range(ROUNDS):
            took = []
            for threads in (1, 2):
                with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                    took.append(seconds(lambda: list(pool.map(lambda w: w.step(steps), worlds, chunksize=50))))
            ratios.append(took[0] / took[1])
        print(f"{count} worlds, {steps} steps a call: {statistics.median(ratios):.2f} times as fast in two threads")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--spheres", type=int, default=10000)
    words.add_argument("--worlds", type=int, default=1000)
    words = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(pathlib.Path(folder))
        measure_step(library)
        measure_law(library, words.spheres)
        measure_threads(words.worlds)
