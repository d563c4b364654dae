# SPDX-License-Identifier: Apache-2.0
# How far a run is, in a notebook or in a terminal.
"""A line that shows how far a run is."""
import sys
import time

INTERVAL = 0.2  # s between looks


class Progress:
    """A bar in a notebook, a line on standard error of a terminal, and nothing elsewhere."""

    def __init__(self, name):
        self.name = name
        self.begin = self.last = time.monotonic()
        self.display = _notebook_display()
        self.shown = False

    def __call__(self, share):
        now = time.monotonic()
        if now - self.last < INTERVAL and share < 1.0:
            return
        self.last = now
        left = (now - self.begin) * (1.0 / share - 1.0) if share > 0.0 else float("nan")
        line = f"{self.name}: {100.0 * share:5.1f} %, {left:.0f} s left"
        if self.display is not None:
            self.display({"text/plain": line, "text/html":
                          f"<progress value='{share:.4f}'></progress> {line}"}, self.shown)
        elif sys.stderr.isatty():
            print("\r" + line, end="", file=sys.stderr, flush=True)
        self.shown = True

    def close(self):
        if self.shown and self.display is None and sys.stderr.isatty():
            print(file=sys.stderr)


def _notebook_display():
    """A function that shows data in a notebook, in place of what was shown before; or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    identity = f"cairn-{time.monotonic_ns()}"

    def show(data, update):
        display(data, raw=True, display_id=identity, update=update)
    return show
