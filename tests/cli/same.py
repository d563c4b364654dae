# SPDX-License-Identifier: Apache-2.0
# Whether two runs left the same, file for file and byte for byte; for the tests beside this file.
import filecmp
import json
import os

from command import check

# what a run leaves beside these is the same byte for byte
DIFFERENT = {"summary.json", "summary.txt", "resolved.json", "checkpoint.h5", "checkpoint.1.h5", "trajectory.h5"}

try:
    import h5py
except ImportError:
    h5py = None
    print("h5py is not there: trajectories are not looked at")


def files_of(folder):
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    # a killed writer leaves its unfinished file behind
    return sorted(name for name in found if name not in DIFFERENT and not name.endswith(".part"))


def check_trajectories(a, b, what):
    """The same frames; the file's layout may differ, and so does the command."""
    with h5py.File(a) as one, h5py.File(b) as other:
        check(sorted(one) == sorted(other), f"{what}: sets {sorted(one)} {sorted(other)}")
        for name in one:
            check(one[name][()].tobytes() == other[name][()].tobytes(), f"{what}: {name} differs")
        frames = one["body_count" if "body_count" in one else "position"].shape[0]
        check(one["time"].shape[0] > 2 and frames == one["time"].shape[0],
              f"{what}: frames {one['time'].shape}")
        check(one.attrs["seed"] == other.attrs["seed"], f"{what}: seed")


def check_same(folder, a, b, what):
    a, b = os.path.join(folder.path, a), os.path.join(folder.path, b)
    names = files_of(a)
    check(names == files_of(b), f"{what}: other files: {set(names) ^ set(files_of(b))}")
    for name in names:
        same = os.path.exists(os.path.join(b, name)) and \
            filecmp.cmp(os.path.join(a, name), os.path.join(b, name), shallow=False)
        check(same, f"{what}: {name} differs")
    if h5py:
        check_trajectories(a + "/trajectory.h5", b + "/trajectory.h5", what)
    summaries = [json.load(open(os.path.join(place, "summary.json"))) for place in (a, b)]
    for summary in summaries:
        for key in ("seconds_stepping", "seconds_per_step", "phases"):
            del summary[key]
    check(summaries[0] == summaries[1], f"{what}: summaries {summaries}")
