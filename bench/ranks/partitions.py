#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Slots that processes need of each other, for several ways to deal out a bed: ranges of chunks, chunks by recursive
# coordinate bisection, and slots by it, with slots numbered by rows of cells (as the sphere executor does) or along a
# space-filling curve.
"""usage: partitions.py [PROCESSES...]     needs numpy and scipy"""
import sys

import numpy as np
from scipy.spatial import cKDTree

BEDS = {"bed 46 x 46 x 47": (46, 46, 47), "column 20 x 20 x 250": (20, 20, 250), "layer 100 x 100 x 10": (100, 100, 10)}
CHUNK, CELL, REACH = 128, 1.2, 1.15


def make_bed(counts):
    grid = np.stack(np.meshgrid(*[np.arange(count) for count in counts], indexing="ij"), -1)
    return grid.reshape(-1, 3) + 0.12 * np.random.default_rng(1).standard_normal((grid.size // 3, 3))


def cells_of(places):
    return np.floor((places - places.min(0)) / CELL).astype(np.int64)


def by_rows(places):
    cells = cells_of(places)
    axis = np.argsort(cells.max(0))
    return np.lexsort((cells[:, axis[0]], cells[:, axis[1]], cells[:, axis[2]]))


def along_curve(places):
    cells, keys = cells_of(places), np.zeros(len(places), np.int64)
    for bit in range(12):
        for axis in range(3):
            keys |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(keys, kind="stable")


def bisect(places, weights, count):
    part = np.zeros(len(places), int)

    def cut(members, first, parts):
        if parts == 1:
            part[members] = first
            return
        axis = np.argmax(np.ptp(places[members], axis=0))
        members = members[np.argsort(places[members, axis], kind="stable")]
        sums = np.cumsum(weights[members])
        middle = np.searchsorted(sums, sums[-1] * (parts // 2) / parts)
        cut(members[:middle], first, parts // 2)
        cut(members[middle:], first + parts // 2, parts - parts // 2)

    cut(np.arange(len(places)), 0, count)
    return part


def measure(pairs, owner, count):
    """Slots that come from others, all and at most to one; neighbours of a process; pairs that are computed twice."""
    a, b = owner[pairs[:, 0]], owner[pairs[:, 1]]
    across = a != b
    needed = np.unique(np.concatenate([pairs[across, 0] * count + b[across], pairs[across, 1] * count + a[across]]))
    neighbours = len(np.unique(owner[needed // count] * count + needed % count)) / count
    return needed.size, np.bincount(needed % count, minlength=count).max(), neighbours, across.mean()


def main():
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    counts = [int(word) for word in sys.argv[1:]] or [2, 4, 8, 16, 64]
    print("bed, numbering, processes, dealt out, slots that come, most to one, neighbours, pairs twice")
    for name, size in BEDS.items():
        places = make_bed(size)
        pairs = cKDTree(places).query_pairs(REACH, output_type="ndarray")
        for numbering in (by_rows, along_curve):
            order = numbering(places)
            slot = np.empty(len(places), int)
            slot[order] = np.arange(len(places))
            sorted_places, slot_pairs = places[order], slot[pairs]
            chunk = np.arange(len(places)) // CHUNK
            weights = np.bincount(chunk).astype(float)
            centres = np.stack([np.bincount(chunk, sorted_places[:, k]) / weights for k in range(3)], -1)
            for count in counts:
                ranges = np.arange(len(weights)) * count // len(weights)
                ways = {"ranges": ranges[chunk], "chunks bisected": bisect(centres, weights, count)[chunk],
                        "slots bisected": bisect(sorted_places, np.ones(len(places)), count)}
                for way, owner in ways.items():
                    total, most, neighbours, twice = measure(slot_pairs, owner, count)
                    print(f"{name}, {numbering.__name__}, {count}, {way}, {total}, {most}, {neighbours:.1f}, {100 * twice:.1f} %")


if __name__ == "__main__":
    main()
