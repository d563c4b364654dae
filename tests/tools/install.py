# SPDX-License-Identifier: Apache-2.0
# An installed cairn can be used through pkg-config, from C and, where there is a compiler, C++.
"""usage: install.py BUILD_DIRECTORY PREFIX C_COMPILER"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
PROGRAM = """
#include <cairn/cairn.h>
#include <stdio.h>

int main(void)
{
    return puts(cairn_status_text(CAIRN_ERROR_MEMORY)) < 0;
}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def pkg_config_folder(stage):
    for folder, _, names in os.walk(stage):
        if "cairn.pc" in names:
            return folder
    raise SystemExit("cairn.pc was not installed")


def flags_of(stage, prefix):
    environment = dict(os.environ, PKG_CONFIG_PATH=pkg_config_folder(stage))
    moved = "--define-variable=prefix=" + os.path.join(stage, prefix.lstrip("/"))
    return run("pkg-config", moved, "--cflags", "--libs", "cairn", env=environment).split()


def try_compiler(compiler, source, stage, flags):
    program = os.path.join(stage, "program")
    run(*compiler, "-Wall", "-Wextra", "-Werror", source, "-o", program, *flags)
    libraries = [flag[2:] for flag in flags if flag.startswith("-L")]
    said = run(program, env=dict(os.environ, LD_LIBRARY_PATH=":".join(libraries)))
    if said != "out of memory\n":
        raise SystemExit(f"the program said {said!r}")


def main():
    build, prefix, compiler = sys.argv[1], sys.argv[2], sys.argv[3:]
    if shutil.which("pkg-config") is None:
        print("pkg-config is not installed")
        return SKIP
    with tempfile.TemporaryDirectory() as stage:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", stage)
        flags = flags_of(stage, prefix)
        source = os.path.join(stage, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        try_compiler(compiler + ["-std=c11"], source, stage, flags)
        if shutil.which("g++"):
            try_compiler(["g++", "-std=c++11", "-x", "c++"], source, stage, flags)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)}\n{error.stdout}{error.stderr}")
