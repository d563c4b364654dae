# SPDX-License-Identifier: Apache-2.0
# The libraries keep no mutable static data and call nothing that prints, exits or has hidden state.
"""usage: purity.py LIBRARY.a..."""
import re
import subprocess
import sys

import tree

FORBIDDEN_CALLS = {
    "exit", "_exit", "abort", "quick_exit", "longjmp", "_longjmp", "siglongjmp",
    "printf", "vprintf", "puts", "putchar", "perror", "stdout", "stderr", "__printf_chk",
    "__vprintf_chk", "rand", "srand", "random", "srandom", "drand48", "strtok", "setlocale",
    "system",
}
# the C library chooses these by the processor, and their last digits differ: base/elementary.h
FORBIDDEN_CALLS |= {
    "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1",
    "log", "log2", "log10", "log1p", "pow", "hypot", "cbrt",
}
# a line of `objdump -t`: address, seven flags, section, size, name
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+ (?:\.hidden )?(.+)$")
MUTABLE_SECTION = re.compile(r"^(\*COM\*|\.(data|bss|tdata|tbss)(\..*)?)$")
CONSTANT_SECTION = re.compile(r"^\.data\.rel\.ro")


def check_listing(listing):
    problems = []
    member = None
    for line in listing.splitlines():
        if ":     file format " in line:
            member = line.split(":")[0]
        match = SYMBOL.match(line)
        if not match:
            continue
        flags, section, name = match.groups()
        if section == "*UND*" and name in FORBIDDEN_CALLS:
            problems.append(f"{member}: the library must not use {name}")
        if "O" in flags and MUTABLE_SECTION.match(section) and not CONSTANT_SECTION.match(section):
            problems.append(f"{member}: mutable static data: {name}")
    return problems if member else ["nothing to check in the archives"]


def check(archives):
    return check_listing("".join(
        subprocess.run(["objdump", "-t", archive], check=True, capture_output=True,
                       text=True).stdout for archive in archives))


if __name__ == "__main__":
    tree.finish(check(sys.argv[1:]))
