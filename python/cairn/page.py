# SPDX-License-Identifier: Apache-2.0
# Pages for browsers and notebooks, written by the command `cairn export`.
"""Runs and worlds as one page that any browser shows, without cairn and without a network."""
import html
import os
import pathlib
import tempfile

from . import errors, guard, library
from .errors import ArgumentError
from .picture import call, still

__all__ = ["to_html"]

_OPTIONS = {"frames": "--frames", "since": "--from", "until": "--until", "most_contacts": "--most-contacts"}
# a notebook keeps what its cells show
_FRAMES_SHOWN, _BYTES_SHOWN = 100, 20_000_000


def _words(settings):
    words = []
    for name, value in settings.items():
        if name not in _OPTIONS:
            raise ArgumentError(f'a page has no setting "{name}"; there are ' + ", ".join(_OPTIONS))
        if value is not None:
            words.append(f"{_OPTIONS[name]}={value}")
    return words


@guard.function
def to_html(subject, path=None, **settings):
    """A Run, or a World as it stands, as a page: everything is in it, and it asks for nothing.

    path:       a file to write; None: the page is returned as a text
    settings:   of runs: frames= at most so many (300), since= and until= in s,
                most_contacts= of a frame (5000)
    Raises UnsupportedError where the command is not installed.
    """
    words = _words(settings)
    path = None if path is None else library.path(path)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "page.html") if path is None else os.fspath(path)
        if hasattr(subject, "folder"):
            call("export", str(subject.folder), "-o", out, *words)
        else:
            if words:
                raise ArgumentError("a world is shown as it is; settings of a page are for runs")
            call("export", still(subject, folder), "-o", out)
        return pathlib.Path(out).read_text(encoding="utf-8") if path is None else None


def shown(subject):
    """What a notebook shows: the page in a frame of its own, which can reach nothing of the notebook's.
    None where there is no page, or too large a one."""
    try:
        page = to_html(subject, frames=_FRAMES_SHOWN) if hasattr(subject, "folder") else to_html(subject)
    except errors.Error:
        return None
    if len(page) > _BYTES_SHOWN:
        return None
    return ('<iframe sandbox="allow-scripts" style="width: 100%; height: 480px; border: 0" '
            f'srcdoc="{html.escape(page)}"></iframe>')
