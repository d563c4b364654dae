# SPDX-License-Identifier: Apache-2.0
# Every program in examples/python runs, and ends well.
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(os.environ["CAIRN_ROOT"]) / "examples/python"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_example(name, tmp_path):
    ended = subprocess.run([sys.executable, FOLDER / name], cwd=tmp_path, capture_output=True,
                           text=True, timeout=60)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout
