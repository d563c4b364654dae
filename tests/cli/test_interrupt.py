# SPDX-License-Identifier: Apache-2.0
# A stop inside a long solve: the run ends soon, with a checkpoint of the last whole step, from which
# it goes on as if it had not been stopped.
"""usage: test_interrupt.py PROGRAM ROOT"""
import os
import signal
import subprocess
import time

from command import PROGRAM, Folder, check, check_status, finish
from same import check_same

# no step meets the tolerance: each solve takes as long as the limit on its iterations says
SLOW = """
simulation{ step = 1 / 200, end_time = 1, tolerance = 1e-16, max_iterations = ITERATIONS }
solver{ "SOLVER" }
pair{ friction = 0.5, restitution = 0 }
ground{}
for i = 0, 11 do
  body{ name = "block" .. i, shape = box{ size = {0.2, 0.2, 0.1} },
        position = {0.03 * (i % 3), 0.02 * (i % 2), 0.05 + 0.1 * i}, velocity = {0.2, 0.1 * i, 0} }
end
"""


def words(scene, out, until, *more):
    return ["run", scene, "--until", str(until), "--out", out, "--hash", out + "/hash.csv",
            "--trajectory-every", "1", "--accept-unsolved", "--quiet",
            *more]


def rows(folder, out):
    path = os.path.join(folder.path, out, "hash.csv")
    return len(folder.read(out + "/hash.csv").splitlines()) if os.path.exists(path) else 0


def stop(folder, scene, out, number):
    """Sends a signal into the solve of a step behind the first ones; seconds to the end."""
    os.makedirs(os.path.join(folder.path, out))
    running = subprocess.Popen([PROGRAM, *words(scene, out, 1)], cwd=folder.path,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    begin = time.monotonic()
    running.send_signal(number)
    _, text = running.communicate(timeout=60)
    seconds = time.monotonic() - begin
    check(running.returncode == 130, f"{scene}: status {running.returncode}: {text}")
    check("checkpoint.h5 goes on" in text, f"{scene}: {text}")
    return seconds


def main():
    with Folder() as folder:
        folder.write("endless.lua", SLOW.replace("ITERATIONS", "2000000000")
                     .replace("SOLVER", "proximal_point"))
        # 0.5 s are promised; a busy machine may take its time
        seconds = stop(folder, "endless.lua", "endless", signal.SIGINT)
        check(seconds < 3.0, f"an endless solve ends {seconds} s after the signal")
        status = folder.cairn("info", "endless/checkpoint.h5", "--json")
        check_status(status, 0, "the checkpoint of the endless run")

        folder.write("slow.lua", SLOW.replace("ITERATIONS", "10000").replace("SOLVER", "admm"))
        seconds = stop(folder, "slow.lua", "parts", signal.SIGTERM)
        check(seconds < 3.0, f"a slow solve ends {seconds} s after the signal")
        done = rows(folder, "parts")
        until = (done + 3) / 200
        check_status(folder.cairn(*words("slow.lua", "parts", until, "--restart",
                                         "parts/checkpoint.h5", "--threads", "2")), 0, "goes on")
        os.makedirs(os.path.join(folder.path, "whole"))
        check_status(folder.cairn(*words("slow.lua", "whole", until)), 0, "the whole run")
        check_same(folder, "whole", "parts", "a stop inside a solve")
    finish()


main()
