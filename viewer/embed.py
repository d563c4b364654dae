# SPDX-License-Identifier: Apache-2.0
# Writes a C file that holds files as zero-terminated arrays: view_file_<name> and its size.
"""usage: embed.py OUT.c SELF FILE... (the build lists the script among its inputs)"""
import os
import re
import sys


def declare(path):
    name = re.sub(r"\W", "_", os.path.basename(path))
    with open(path, "rb") as file:
        data = file.read() + b"\0"
    rows = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
    body = ",\n    ".join(rows)
    return (f"const unsigned char view_file_{name}[] = {{\n    {body}}};\n"
            f"const int view_file_{name}_size = {len(data) - 1};\n")


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "viewer/draw/embedded.h"\n\n')
        out.write("\n".join(declare(path) for path in sys.argv[3:]))


if __name__ == "__main__":
    main()
