# SPDX-License-Identifier: Apache-2.0
# Builds a wheel that has the shared library of a build directory in it; scripts/packages.sh calls it.
"""CAIRN_BUILD names the build directory of Meson; without it the installed library is used."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402

ROOT = HERE.parent
BUILD = os.environ.get("CAIRN_BUILD")


def version():
    text = (ROOT / "include/cairn/version.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define CAIRN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def library():
    """The shared library under the name that programs look for."""
    names = sorted(pathlib.Path(BUILD).glob("libcairn.so.*.*"), key=lambda path: len(path.name))
    return names[0]


class Build(build_ext):
    def run(self):
        super().run()
        if BUILD:
            shutil.copy(library(), pathlib.Path(self.build_lib) / "cairn")


def extension():
    builder = generate.builder(ROOT, ["cc"])
    module, source, _, options = builder._assigned_source
    options.update(sources=["helper.c"], include_dirs=[str(HERE), str(ROOT), str(ROOT / "include")],
                   define_macros=[("_GNU_SOURCE", None)], extra_compile_args=["-w"])
    if BUILD:
        options.update(extra_link_args=[str(library()), "-Wl,-rpath,$ORIGIN"])
    else:
        flags = subprocess.run(["pkg-config", "--libs", "cairn"], check=True, capture_output=True,
                               text=True).stdout.split()
        options.update(extra_link_args=flags)
    return builder.distutils_extension("build", verbose=False)


setup(
    name="cairn",
    version=version(),
    description="Rigid bodies in contact",
    license="Apache-2.0",
    packages=["cairn"],
    package_data={"cairn": ["py.typed", "*.pyi"]},
    ext_modules=[extension()],
    cmdclass={"build_ext": Build},
    python_requires=">=3.9",
    install_requires=["cffi", "numpy"],
    extras_require={"all": ["scipy", "h5py", "matplotlib"]},
)
