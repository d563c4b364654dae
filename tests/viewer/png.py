# SPDX-License-Identifier: Apache-2.0
# Reads the PNG files that the viewer writes, and compares pictures as an eye would.
import struct
import zlib

import numpy


def _unfilter(rows, width, height):
    """Undoes the filters of PNG; three bytes a pixel."""
    stride = 3 * width
    before = numpy.zeros(stride, dtype=numpy.int32)
    picture = numpy.empty((height, stride), dtype=numpy.int32)
    for y in range(height):
        kind = rows[y * (stride + 1)]
        line = numpy.frombuffer(rows, dtype=numpy.uint8, count=stride,
                                offset=y * (stride + 1) + 1).astype(numpy.int32)
        if kind == 1 or kind >= 3:
            for x in range(stride):
                left = line[x - 3] if x >= 3 else 0
                up, corner = before[x], before[x - 3] if x >= 3 else 0
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    nearest = left + up - corner
                    distances = [abs(nearest - v) for v in (left, up, corner)]
                    guess = (left, up, corner)[distances.index(min(distances))]
                line[x] = (line[x] + guess) & 255
        elif kind == 2:
            line = (line + before) & 255
        picture[y] = before = line
    return picture.reshape(height, width, 3).astype(float)


def read(path):
    """Pixels as an array [height][width][3] of 0..255."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path} is no PNG file")
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[:10])
            if (depth, colour) != (8, 2):
                raise ValueError(f"{path}: {depth} bits, colour type {colour}")
        elif kind == b"IDAT":
            body += content
        at += 12 + length
    return _unfilter(zlib.decompress(body), width, height)


def _blocks(grey, size):
    height, width = (n // size * size for n in grey.shape)
    cut = grey[:height, :width].reshape(height // size, size, width // size, size)
    return cut.transpose(0, 2, 1, 3).reshape(-1, size * size)


def similarity(a, b, size=8):
    """Mean structural similarity of the brightness over blocks that have something in them."""
    x, y = (_blocks(picture.mean(axis=2), size) for picture in (a, b))
    mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
    var_x, var_y = x.var(axis=1), y.var(axis=1)
    both = ((x - mean_x[:, None]) * (y - mean_y[:, None])).mean(axis=1)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    index = ((2 * mean_x * mean_y + c1) * (2 * both + c2)
             / ((mean_x ** 2 + mean_y ** 2 + c1) * (var_x + var_y + c2)))
    busy = numpy.maximum(var_x, var_y) > 30.0
    return float(index[busy].mean()) if busy.any() else 1.0


def colour_difference(a, b):
    """Mean difference of the colours, 0..255."""
    return float(numpy.abs(a - b).mean())
