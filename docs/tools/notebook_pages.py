# SPDX-License-Identifier: Apache-2.0
# Executes the notebooks of the examples and writes a page of each, with what its cells printed and drew.
import base64
import os
import re
import subprocess
import sys
import tempfile

import nbclient
import nbformat


def text_block(text):
    return ["", "```text", text.rstrip("\n"), "```", ""]


def shown(output, stem, out):
    """The lines of Markdown for one output of a cell; pictures are written into `out`."""
    if output.output_type == "stream":
        return text_block(output.text)
    data = output.get("data", {})
    if "image/png" in data:
        with open(os.path.join(out, stem + ".png"), "wb") as file:
            file.write(base64.b64decode(data["image/png"]))
        return ["", f"![what the cell drew]({stem}.png)", ""]
    return text_block(data.get("text/plain", ""))


def page(notebook, name, out):
    lines = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            lines += [cell.source, ""]
            continue
        lines += ["```python", cell.source, "```", ""]
        for place, output in enumerate(cell.outputs):
            lines += shown(output, f"{name}_{number}_{place}", out)
    lines += [f"This page is `examples/python/{name}.py`; the same as a {{download}}`notebook <{name}.ipynb>`."]
    return "\n".join(lines) + "\n"


def make(program, source, out):
    """Writes the pages of the notebooks that docs/notebooks/index.md lists into out/notebooks."""
    root = os.path.dirname(source)
    folder = os.path.join(out, "notebooks")
    with open(os.path.join(folder, "index.md"), encoding="utf-8") as file:
        listed = re.search(r"```{toctree}.*?\n\n(.*?)```", file.read(), re.S).group(1).split()
    programs = [os.path.join(root, "examples/python", name + ".py") for name in listed]
    subprocess.run([sys.executable, os.path.join(root, "python/notebooks.py"), folder, *programs], check=True)
    os.environ["CAIRN_COMMAND"] = program
    # plots are to be drawn into the notebook
    os.environ.pop("MPLBACKEND", None)
    # the debugger of the kernel is not used, and has a warning of its own
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    for name in listed:
        print("notebook:", name, flush=True)
        notebook = nbformat.read(os.path.join(folder, name + ".ipynb"), as_version=4)
        with tempfile.TemporaryDirectory() as work:
            nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                    resources={"metadata": {"path": work}}).execute()
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(page(notebook, name, folder))
