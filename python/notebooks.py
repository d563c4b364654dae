# SPDX-License-Identifier: Apache-2.0
# Makes Jupyter notebooks of programs that are written in cells.
"""usage: notebooks.py FOLDER PROGRAM.py...

Writes FOLDER/NAME.ipynb of every program. A line "# %%" begins a cell of code, a line
"# %% [markdown]" one of text, whose lines are comments; what stands before the first of them is
left out. Editors that know such cells run the programs as notebooks themselves.
"""
import json
import pathlib
import re
import sys

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def cells(text):
    """Pairs (kind, source) of a program, with kind "code" or "markdown"."""
    parts = re.split(r"^# %%(.*)\n", text, flags=re.MULTILINE)[1:]
    for title, source in zip(parts[::2], parts[1::2]):
        source = source.strip("\n")
        if "[markdown]" in title:
            yield "markdown", re.sub(r"^# ?", "", source, flags=re.MULTILINE)
        else:
            yield "code", source


def notebook(text):
    """The notebook of a program's text, as a dictionary in nbformat 4.5."""
    made = []
    for number, (kind, source) in enumerate(cells(text), 1):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {},
                "source": source.splitlines(keepends=True)}
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        made.append(cell)
    return {"cells": made, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def main(folder, programs):
    for program in map(pathlib.Path, programs):
        made = notebook(program.read_text(encoding="utf-8"))
        if not made["cells"]:
            raise SystemExit(f"{program} has no line \"# %%\", which begins a cell")
        path = pathlib.Path(folder, program.stem + ".ipynb")
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2:])
