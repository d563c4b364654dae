# SPDX-License-Identifier: Apache-2.0
# The same bits on every processor: features that the C library and the kernels choose by are masked.
import os
import subprocess

from command import PROGRAM, Folder, Result, check, check_status, finish, load

# scenes whose bodies turn, hang on joints, roll and collide, and laws with powers
RUNS = [
    ("rag_dolls", "--until", "1"),
    ("rockfall", "--until", "0.2"),
    ("capsules", "--set", "capsules=12", "--until", "0.3"),
    ("mixer", "--set", "grains=60", "--set", "fill=0.25", "--until", "0.1"),
    ("sphere_heap", "--law", "spring_dashpot", "--step", "1e-4", "--until", "0.01"),
    ("turning.lua",),
    ("spinning.lua",),
    ("summing.lua", "--until", "0.01"),
]
# the scene's own program, by all functions that it has
TURNING = """
simulation{ step = 1/500, end_time = 0.3 }
ground{}
for i = 1, 12 do
  local a = 0.7 * i
  body{ shape = capsule{ radius = 0.02 + 0.001 * math.exp(math.sin(a)), length = 0.1 + 0.01 * math.log(i + 1) },
        position = { 0.3 * math.cos(a), 0.3 * math.sin(a), 0.2 + 0.02 * math.atan(a, 2) },
        rotation = { axis = { math.sin(a), math.cos(3 * a), math.tan(0.1 * a) }, angle = 40 * math.acos(math.sin(a)) },
        angular_velocity = { 30 * math.sin(i), 20, -10 * math.asin(math.cos(i)) } }
end
body{ name = "drum", kind = "moving", shape = cylinder{ radius = 0.1, length = 0.4 }, position = {0, 0, 0.1} }
motion{ body = "drum", rotation = { axis = {0, 0, 1}, angle = function(t) return 200 * math.sin(9 * t) end } }
"""
# many angles, large and small: the libraries differ for one in some thousands
SPINNING = """
simulation{ step = 1/500, end_time = 0.6 }
for i = 1, 400 do
  body{ shape = box{ size = {0.1, 0.02 + 1e-4 * i, 0.03} }, position = {i, 0, 0},
        angular_velocity = { 0.9 * i, 300 - 0.7 * i, 0.01 * i } }
end
"""
# what the scene's program adds up: every digit of every function goes into where a body is
SUMMING = """
local s = 0
for i = 1, 40000 do
  local x = 0.00137 * i
  s = (3.7 * s + math.sin(x) + math.cos(x) + math.tan(x) + math.exp(-x) + math.log(x) + math.atan(x, 1.3) + math.log(x, 10)
        + math.acos(x / 60) + math.asin(x / 60)) % 1
end
ground{}
body{ shape = sphere{ radius = 0.1 }, position = {s, 0, 0.2} }
"""
MASKS = [
    {},
    {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},
    {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX2,-FMA,-FMA4,-AVX,-AVX512F",
     "CAIRN_VECTORS": "scalar"},
]


def run(folder, words, mask):
    done = subprocess.run([PROGRAM, "run", *words, "--json", "--paraview-every", "0", "--trajectory-every", "0"],
                          cwd=folder.path, text=True, timeout=250, env={**os.environ, **mask}, capture_output=True)
    return Result(done)


with Folder() as main_folder:
    main_folder.write("turning.lua", TURNING)
    main_folder.write("spinning.lua", SPINNING)
    main_folder.write("summing.lua", SUMMING)
    for run_words in RUNS:
        hashes = []
        for features in MASKS:
            result = run(main_folder, run_words, features)
            check_status(result, 0, f"{run_words} with {features}")
            hashes.append(load(result.out)["state_hash"] if result.out else "")
        check(len(set(hashes)) == 1, f"{run_words}: state hashes {hashes}")
finish()
