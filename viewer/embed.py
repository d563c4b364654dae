# SPDX-License-Identifier: Apache-2.0
# Writes a C file that holds files as zero-terminated arrays: <prefix><name> and its size.
"""usage: embed.py OUT.c HEADER PREFIX SELF FILE... (the build lists the script among its inputs)"""
import os
import re
import sys


def declare(prefix, path):
    name = re.sub(r"\W", "_", os.path.basename(path))
    with open(path, "rb") as file:
        data = file.read() + b"\0"
    rows = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
    body = ",\n    ".join(rows)
    return (f"const unsigned char {prefix}{name}[] = {{\n    {body}}};\n"
            f"const int {prefix}{name}_size = {len(data) - 1};\n")


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write(f'#include "{sys.argv[2]}"\n\n')
        out.write("\n".join(declare(sys.argv[3], path) for path in sys.argv[5:]))


if __name__ == "__main__":
    main()
