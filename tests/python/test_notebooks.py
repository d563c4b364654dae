# SPDX-License-Identifier: Apache-2.0
# The examples are notebooks too: every cell runs in Jupyter's kernel, and worlds and plots are drawn.
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = pathlib.Path(os.environ["CAIRN_ROOT"])
NAMES = sorted(path.stem for path in (ROOT / "examples/python").glob("*.py"))


def executed(name, folder):
    """The notebook of an example after all of its cells have run in `folder`."""
    subprocess.run([sys.executable, ROOT / "python/notebooks.py", folder, ROOT / f"examples/python/{name}.py"],
                   check=True)
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs(name, tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = executed(name, tmp_path)
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs and not any(output.output_type == "error" for output in outputs)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    if name == "sweep":
        assert "image/png" in kinds
    if name == "five_minutes" and draws():
        assert "image/png" in kinds


def draws():
    """Whether the command has a viewer: without it a world is shown as a line of text."""
    command = os.environ.get("CAIRN_COMMAND") or shutil.which("cairn")
    return subprocess.run([command, "render", "pendulum", "--out", "seen.png", "--size", "16x16"],
                          capture_output=True).returncode != 4


def test_programs_without_cells_are_refused(tmp_path):
    plain = tmp_path / "plain.py"
    plain.write_text("print(1)\n")
    ended = subprocess.run([sys.executable, ROOT / "python/notebooks.py", tmp_path, plain],
                           capture_output=True, text=True)
    assert ended.returncode == 1 and 'no line "# %%"' in ended.stderr
    assert not (tmp_path / "plain.ipynb").exists()
