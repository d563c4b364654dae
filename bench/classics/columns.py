# SPDX-License-Identifier: Apache-2.0
# Where a collapsed column ends.


def connected_front(grains, grain):
    """Largest x and z of the heap: of grains that reach the back, x = 0, through neighbours.

    grains: (x, y, z) of each, m; grain: their mean diameter, m"""
    reach = 1.3 * grain
    cells = {}
    for i, (x, _, z) in enumerate(grains):
        cells.setdefault((int(x // reach), int(z // reach)), []).append(i)
    found = {i for i, place in enumerate(grains) if place[0] < grain}
    open_ends = list(found)
    while open_ends:
        x, _, z = grains[open_ends.pop()]
        for cx in range(int(x // reach) - 1, int(x // reach) + 2):
            for cz in range(int(z // reach) - 1, int(z // reach) + 2):
                for i in cells.get((cx, cz), []):
                    if i not in found and (grains[i][0] - x) ** 2 + (grains[i][2] - z) ** 2 < reach ** 2:
                        found.add(i)
                        open_ends.append(i)
    return max(grains[i][0] for i in found), max(grains[i][2] for i in found)
