# SPDX-License-Identifier: Apache-2.0
# Whether every file that a run left can be read, for the tests beside this file.
import glob
import os
import xml.etree.ElementTree

from command import check, check_status

try:
    import h5py
except ImportError:
    h5py = None


def check_table(path, what):
    """Whole rows but for the last one, which the disk may have cut."""
    with open(path) as file:
        lines = file.read().split("\n")
    width = lines[0].count(",")
    check(all(line.count(",") == width for line in lines[:-1]), f"{what}: rows of {path}")


def check_index(path, what):
    """Every frame that a ParaView index names is there."""
    try:
        sets = xml.etree.ElementTree.parse(path).findall(".//DataSet")
    except xml.etree.ElementTree.ParseError as error:
        check(False, f"{what}: {path}: {error}")
        return
    for entry in sets:
        there = os.path.exists(os.path.join(os.path.dirname(path), entry.get("file")))
        check(there, f"{what}: {path} names {entry.get('file')}")


def check_trajectory(path, what):
    """All frames that it says it has."""
    if h5py is None:
        return
    with h5py.File(path, "r", swmr=True) as file:
        frames = file["time"].shape[0]
        for name in ("step", "position", "velocity"):
            check(len(file[name][:frames]) == frames, f"{what}: {path}: {name}")


def check_readable(folder, run, what, parts=False):
    """What was finished reads; what could not be finished does not carry a finished file's name.

    parts: unfinished *.part files may be left"""
    for path in glob.glob(os.path.join(folder.path, run, "**"), recursive=True):
        name = os.path.relpath(path, folder.path)
        if path.endswith(".part") or os.path.isdir(path):
            check(parts or not path.endswith(".part"), f"{what}: {name} is left")
        elif path.endswith(".hdf5") and h5py is not None:
            h5py.File(path, "r").close()
        elif path.endswith((".h5", ".hdf5")):
            check_status(folder.cairn("info", name), 0, f"{what}: {name}")
            if "trajectory" in name:
                check_trajectory(path, what)
        elif path.endswith(".pvd"):
            check_index(path, what)
        elif path.endswith(".vtp"):
            check(open(path, "rb").read().endswith(b"</VTKFile>\n"), f"{what}: {name} is whole")
        elif path.endswith(".csv"):
            check_table(path, what)
