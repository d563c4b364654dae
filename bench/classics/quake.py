#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes the synthetic record of ground motion that the scene shaken_wall reads.
"""usage: quake.py > scenes/library/data/quake.csv

White noise through the filter of Kanai and Tajimi for firm ground (frequency 2.5 Hz, damping 0.6; Tajimi 1960),
high-passed by Clough and Penzien's second filter (0.25 Hz, 0.6), under the envelope of Jennings, Housner and Tsai (1968)
in shape: quadratic rise, strong phase, exponential decay. The peak of the horizontal component is 0.35 g, that of
the vertical one, from other noise, two thirds of it.
"""
import math
import random

STEP, LENGTH = 0.01, 7.0
RISE, STRONG, DECAY = 1.5, 4.0, 0.9
GROUND, HIGH_PASS, DAMPING = 2.5, 0.25, 0.6
PEAKS = (0.35, 0.35 * 2 / 3)
FINE = 10


def filtered(noise, frequency, step, output):
    """Relative motion x of an oscillator on ground with acceleration `noise`; output(x, v, w) of every sample."""
    w, x, v, found = 2 * math.pi * frequency, 0.0, 0.0, []
    for a in noise:
        # semi-implicit Euler at a tenth of the record's step
        v += step * (-a - 2 * DAMPING * w * v - w * w * x)
        x += step * v
        found.append(output(x, v, w))
    return found


def envelope(t):
    if t < RISE:
        return (t / RISE) ** 2
    return 1.0 if t < STRONG else math.exp(-DECAY * (t - STRONG))


def component(seed, peak):
    lot, step = random.Random(seed), STEP / FINE
    noise = [lot.gauss(0, 1) for _ in range(round(LENGTH / step) + 1)]
    ground = filtered(noise, GROUND, step, lambda x, v, w: -(w * w * x + 2 * DAMPING * w * v))
    passed = filtered(ground, HIGH_PASS, step, lambda x, v, w: -(w * w * x + 2 * DAMPING * w * v))
    high = [a - b for a, b in zip(ground, passed)]
    shaped = [envelope(i * step) * a for i, a in enumerate(high)][::FINE]
    most = max(map(abs, shaped))
    return [peak * a / most for a in shaped]


def main():
    horizontal, vertical = (component(seed, peak) for seed, peak in zip((1, 2), PEAKS))
    print("t [s], ax [g], az [g]")
    for i, (a, b) in enumerate(zip(horizontal, vertical)):
        print(f"{i * STEP:.2f}, {a:.5f}, {b:.5f}")


main()
