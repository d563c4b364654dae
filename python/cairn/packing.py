# SPDX-License-Identifier: Apache-2.0
# Packings of spheres and clumps that other programs wrote.
"""LAMMPS and LIGGGHTS data files and dumps, text of Yade, and CSV."""
import csv
import math
import os
import pathlib

import numpy

from . import language
from .errors import ArgumentError, FileError, FormatError

__all__ = ["Packing", "read_packing"]

_FORMATS = ("lammps-data", "lammps-dump", "yade", "csv")
_NAMES = {"xu": "x", "yu": "y", "zu": "z", "r": "radius", "rad": "radius", "type_id": "type",
          "mol": "clump", "clumpid": "clump", "clump_id": "clump", "id_multisphere": "clump",
          "material": "type", "mask": "type", "d": "diameter", "rho": "density"}


class Packing:
    """Spheres: position (n, 3) m, radius (n,) m, velocity (n, 3) m/s, type (n,), density (n,) kg/m3
    or None, clump (n,) with -1 for a sphere that is on its own, box (3, 2) m or None."""

    def __init__(self, columns, where, box=None):
        count = len(columns["x"])
        self.position = numpy.column_stack([columns[k] for k in "xyz"]).reshape(count, 3)
        if "radius" in columns:
            self.radius = columns["radius"]
        elif "diameter" in columns:
            self.radius = 0.5 * columns["diameter"]
        else:
            raise FormatError(f"{where}: there is no column of radii or diameters")
        zero = numpy.zeros(count)
        self.velocity = numpy.column_stack([columns.get("v" + k, zero) for k in "xyz"])
        self.type = columns.get("type", zero + 1).astype(int)
        self.density = columns.get("density")
        self.clump = columns.get("clump", zero - 1).astype(int)
        self.box = box
        if not (numpy.isfinite(self.position).all() and numpy.isfinite(self.velocity).all()):
            raise FormatError(f"{where}: a position or velocity is not finite")
        bad = numpy.flatnonzero(~(self.radius > 0) | ~numpy.isfinite(self.radius))
        if len(bad):
            raise FormatError(f"{where}: sphere {bad[0]} has the radius {self.radius[bad[0]]:g}: "
                              "above 0")

    def __len__(self):
        return len(self.radius)

    def add_to(self, world, material=None, density=None):
        """Adds the spheres, and clumps as compounds, to a world; returns their number of bodies.

        material: a name, or {type: name}. density: kg/m3 in place of the file's
        """
        before = len(world.bodies)
        shapes = {}
        for i in numpy.flatnonzero(self.clump < 0):
            radius = float(self.radius[i])
            shape = shapes.setdefault(radius, language.Expression("sphere", (), {"radius": radius}))
            self._add(world, i, shape, self.position[i], material, density)
        for clump in numpy.unique(self.clump[self.clump >= 0]):
            members = numpy.flatnonzero(self.clump == clump)
            centre = self.position[members].mean(axis=0)
            shape = language.Expression("compound", tuple(
                {"shape": language.Expression("sphere", (), {"radius": float(self.radius[i])}),
                 "position": self.position[i] - centre} for i in members), {})
            self._add(world, members[0], shape, centre, material, density)
        return len(world.bodies) - before

    def _add(self, world, i, shape, position, material, density):
        kind = int(self.type[i])
        if isinstance(material, dict) and kind not in material:
            raise ArgumentError(f"there is no material for type {kind}")
        name = material[kind] if isinstance(material, dict) else material
        if density is None and self.density is not None:
            density = self.density[i]
        velocity = self.velocity[i] if self.velocity[i].any() else None
        world._run_call("body", (), {"shape": shape, "position": position, "velocity": velocity,
                                     "material": name, "density": density})

    def __repr__(self):
        clumps = len(numpy.unique(self.clump[self.clump >= 0]))
        return f"<packing of {len(self)} spheres, {clumps} clumps>"


def read_packing(path, format=None):
    """The Packing of a file.

    format: "lammps-data", "lammps-dump" (LIGGGHTS writes the same; the last frame is read), "yade"
            (x y z r, and a clump's number), "csv" (a line of names); None: by what the file says
    Raises FileError and FormatError with file and line.
    """
    if format is not None and format not in _FORMATS:
        raise ArgumentError(f"format must be one of {', '.join(_FORMATS)}, not {format!r}")
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a packing is read from a path, not from {path!r}")
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if not any(line.strip() for line in lines):
        raise FormatError(f"{path}: the file is empty")
    readers = {"lammps-data": _lammps_data, "lammps-dump": _lammps_dump, "yade": _yade,
               "csv": _csv}
    return readers[format or _guess(lines)](lines, str(path))


def _guess(lines):
    first = next(line for line in lines if line.strip())
    if first.startswith("ITEM:"):
        return "lammps-dump"
    if any(line.split("#")[0].strip() == "Atoms" for line in lines):
        return "lammps-data"
    words = first.lstrip("# ").replace(",", " ").split()
    return "csv" if "," in first and not _is_number(words[0]) and words[0] != "format" else "yade"


def _is_number(word):
    try:
        float(word)
        return True
    except ValueError:
        return False


def _numbers(rows, names, where):
    """{name: column} of rows [(line number, words)]."""
    found = numpy.empty((len(rows), len(names)))
    for i, (number, words) in enumerate(rows):
        if len(words) < len(names):
            raise FormatError(f"{where}:{number}: {len(words)} values, not {len(names)}")
        for k, word in enumerate(words[:len(names)]):
            try:
                found[i, k] = float(word) if word else math.nan
            except ValueError:
                found[i, k] = math.nan
                if names[k] in ("x", "y", "z", "radius", "diameter"):
                    raise FormatError(f"{where}:{number}: {names[k]} is {word!r}, no number"
                                      ) from None
    columns = {}
    for k, name in enumerate(names):
        columns.setdefault(_NAMES.get(name.lower(), name.lower()), found[:, k])
    for need in "xyz":
        if need not in columns:
            raise FormatError(f"{where}: there is no column {need}")
    return columns


def _by_id(columns):
    if "id" not in columns:
        return columns
    order = numpy.argsort(columns["id"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def _lammps_dump(lines, where):
    starts = [i for i, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    if not starts:
        raise FormatError(f"{where}: there is no ITEM: ATOMS")
    start = starts[-1]
    names = lines[start].split()[2:]
    head = [i for i, line in enumerate(lines[:start]) if line.startswith("ITEM: NUMBER OF ATOMS")]
    bounds = [i for i, line in enumerate(lines[:start]) if line.startswith("ITEM: BOX BOUNDS")]
    try:
        count = int(lines[head[-1] + 1])
        box = numpy.array([[float(word) for word in lines[bounds[-1] + 1 + k].split()[:2]]
                           for k in range(3)]) if bounds else None
    except (IndexError, ValueError):
        raise FormatError(f"{where}: the head of the last frame cannot be read") from None
    rows = [(start + 2 + i, line.split()) for i, line in enumerate(lines[start + 1:])
            if line.strip()][:count]
    if len(rows) < count:
        raise FormatError(f"{where}: the last frame has {len(rows)} atoms, not {count}")
    if "xs" in names and box is not None:
        columns = _numbers(rows, ["x" if n == "xs" else "y" if n == "ys" else "z" if n == "zs" else n
                                  for n in names], where)
        for k, name in enumerate("xyz"):
            columns[name] = box[k, 0] + columns[name] * (box[k, 1] - box[k, 0])
    else:
        columns = _numbers(rows, names, where)
    return Packing(_by_id(columns), where, box)


def _lammps_data(lines, where):
    """atom_style sphere: id type diameter density x y z; Velocities: id vx vy vz wx wy wz."""
    sections, box, current = {}, numpy.full((3, 2), math.nan), None
    titles = ("Atoms", "Velocities", "Masses", "Ellipsoids", "Bonds", "Bodies", "Lines")
    for number, line in enumerate(lines, 1):
        text, _, note = line.partition("#")
        words = text.split()
        if not words:
            continue
        if words[0] in titles:
            current = words[0]
            sections[current] = []
            if current == "Atoms" and note.strip() not in ("", "sphere", "granular"):
                raise FormatError(f"{where}:{number}: atoms of style {note.strip()!r} have no "
                                  "radius; cairn reads style sphere")
        elif len(words) == 4 and words[2][1:] == "lo" and words[2][0] in "xyz":
            box["xyz".index(words[2][0])] = float(words[0]), float(words[1])
        elif current:
            sections[current].append((number, words))
    if "Atoms" not in sections:
        raise FormatError(f"{where}: there is no section Atoms")
    columns = _by_id(_numbers(sections["Atoms"],
                              ["id", "type", "diameter", "density", "x", "y", "z"], where))
    if "Velocities" in sections:
        rows = [(number, ["0", "0", "0", *words]) for number, words in sections["Velocities"]]
        moving = _by_id(_numbers(rows, ["x", "y", "z", "id", "vx", "vy", "vz"], where))
        if not numpy.array_equal(moving["id"], columns["id"]):
            raise FormatError(f"{where}: Velocities are of other atoms than Atoms")
        columns.update({k: moving[k] for k in ("vx", "vy", "vz")})
    return Packing(columns, where, None if numpy.isnan(box).any() else box)


def _yade(lines, where):
    """export.text and textExt: "#format x_y_z_r_..." or x y z r and, of textClumps, the clump."""
    names, rows = None, []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if line.lstrip().startswith("#"):
            words = line.lstrip("# \t").split()
            if words[:1] == ["format"] and len(words) > 1:
                names = words[1].split("_")
            elif len(words) >= 4 and [word.lower() for word in words[:3]] == ["x", "y", "z"]:
                names = words
        elif words:
            rows.append((number, words))
    if not rows:
        raise FormatError(f"{where}: there is no sphere")
    if names is None:
        names = ["x", "y", "z", "r", "clump"][:max(4, min(5, len(rows[0][1])))]
    return Packing(_numbers(rows, names, where), where)


def _csv(lines, where):
    rows = [(number, [word.strip() for word in row])
            for number, row in enumerate(csv.reader(lines), 1)
            if row and not row[0].lstrip().startswith("#")]
    return Packing(_numbers(rows[1:], rows[0][1], where), where)
