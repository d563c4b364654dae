# SPDX-License-Identifier: Apache-2.0
# The examples of the page about Python run as they stand there.
import os
import re

import cairn
import numpy


def test_examples_of_the_page(tmp_path, monkeypatch, capsys):
    with open(os.path.join(os.environ["CAIRN_ROOT"], "docs/python.md"), encoding="utf-8") as page:
        blocks = re.findall(r"^```python\n(.*?)^```", page.read(), re.M | re.S)
    assert len(blocks) >= 5
    monkeypatch.chdir(tmp_path)
    # what the page takes for granted
    pile = cairn.load("box_stack", boxes=6)
    pile.run(until=0.2)
    pile.write_fclib("problem.hdf5")
    names = {"numpy": numpy, "my_impulses": pile.problem().impulses}
    for block in blocks:
        if "brick 1" in block:
            names["world"].body(name="brick 1", shape=cairn.box(size=(0.1, 0.1, 0.1)), position=(3, 0, 0.05))
        elif "add_law" in block:
            names["world"] = cairn.World(step=1e-4)
        exec(compile(block, "docs/python.md", "exec"), names)
    assert "solved" in capsys.readouterr().out and os.path.exists("solved.hdf5")
