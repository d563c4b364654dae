# SPDX-License-Identifier: Apache-2.0
# A disk that is truly full: a file system of 2 MB in a name space of its own.
"""usage: test_full_disk.py PROGRAM ROOT; skipped where name spaces are forbidden"""
import os
import re
import subprocess
import sys
import tempfile

from command import SMALL, Folder, check, check_status, finish
from readable import check_readable

SKIPPED = 77
ROOM = 2 << 20
RUN = ["run", "small.lua", "--out", "r", "--quiet", "--fclib", "r/fclib", "--fclib-form", "both",
       "--hash", "r/hash.csv", "--paraview", "surfaces", "--paraview-every", "1", "--trajectory-every", "1",
       "--checkpoint-steps", "2"]
PAGE = 4096


def enter():
    """Runs this file again where it may mount."""
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    with tempfile.TemporaryDirectory(prefix="cairn-disk-") as place:
        try:
            mounts = subprocess.run([*inside, "mount", "-t", "tmpfs", "-o", "size=2m", "none", place],
                                    capture_output=True, text=True, timeout=60)
        except FileNotFoundError:
            print("skipped: there is no unshare here")
            sys.exit(SKIPPED)
        if mounts.returncode != 0:
            print("skipped: no file systems may be mounted here:", mounts.stderr.strip())
            sys.exit(SKIPPED)
        sys.exit(subprocess.run([*inside, sys.executable, *sys.argv, place], timeout=280).returncode)


class Disk(Folder):
    """A folder on a file system of its own, gone afterwards."""

    def __init__(self, place):
        self.path = place

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", self.path], check=True)
        return self

    def __exit__(self, *unused):
        subprocess.run(["umount", self.path], check=True)

    def leave(self, free):
        """Fills the disk but for so many bytes."""
        self.make_room()
        status = os.statvfs(self.path)
        size = status.f_bavail * status.f_frsize - free
        check(size > 0, f"no more than {free} bytes are free")
        with open(self.path + "/filler", "wb") as file:
            file.write(b"x" * size)

    def make_room(self):
        if self.has("filler"):
            os.unlink(self.path + "/filler")


def check_messages(result, what):
    check_status(result, 1, what)
    lines = result.err.strip().split("\n")
    check(all(line.startswith("cairn: error: ") for line in lines) and len(lines) < 5 and not result.out,
          f"{what}: messages", result)


def check_fresh(place):
    """A run of which not all fits: at one size or another every writer is the one that fails."""
    named = set()
    for free in [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96]:
        with Disk(place) as disk:
            disk.write("small.lua", SMALL)
            disk.leave(free * PAGE)
            result = disk.cairn(*RUN)
            what = f"{free} pages"
            if result.status == 0:
                continue
            check_messages(result, what)
            named.update(re.findall(r"r/[\w/-]*?([a-z]+)[\w-]*\.(?:csv|h5|hdf5|vtp|pvd)", result.err.split("\n")[0]))
            check_readable(disk, "r", what)
    print("what failed first:", sorted(named))
    check(len(named) >= 4, f"too few writers were met: {named}")


def check_later(place):
    """A run that was fine and goes on without room; with room again it ends as if nothing had been."""
    with Disk(place) as disk:
        disk.write("small.lua", SMALL)
        check_status(disk.cairn(*RUN), 0, "with room")
        whole = {name: open(f"{disk.path}/r/{name}", "rb").read()
                 for name in ("hash.csv", "energy.csv", "sensors.csv", "bodies.csv", "paraview/bodies.pvd")}
        subprocess.run(["rm", "-r", disk.path + "/r"], check=True)
        check_status(disk.cairn(*RUN, "--until", "0.02"), 0, "room at first")
        failed = 0
        for free in (0, 1, 2, 4, 8, 12, 16, 24):
            disk.leave(free * PAGE)
            result = disk.cairn(*RUN, "--restart", "r/checkpoint.h5")
            failed += result.status != 0
            check(result.status in (0, 1), f"{free} pages later", result)
            check_readable(disk, "r", f"{free} pages later")
        check(failed >= 4, f"only {failed} runs met the full disk")
        disk.make_room()
        check_status(disk.cairn(*RUN, "--restart", "r/checkpoint.h5"), 0, "room again")
        for name, data in whole.items():
            check(open(f"{disk.path}/r/{name}", "rb").read() == data, f"room again: {name}")


if len(sys.argv) < 4:
    enter()
check_fresh(sys.argv[3])
check_later(sys.argv[3])
finish()
