"""Find a line's module in a file with several, as in "torch/nn/modules/conv.py, line 310, in forward".

The lines are those of each version of torch (`module_lines.json`, written by docs/module_lines.py). Which version a
traceback is of, its frames of module.py tell; where they do not, what most versions have in this line is taken.
"""

from __future__ import annotations

import json
import pkgutil
from collections import Counter
from functools import cache

from .frame import Frame

_SINCE_2_1 = "_wrapped_call_impl"
_Lines = dict[str, dict[str, tuple[int, int]]]


def module_at(frames: tuple[Frame, ...]) -> str:
    """Return the class of the innermost frame, "" where no version runs a module in this line."""
    fitting = [
        version for version in _versions() if _fits(frames, version["module.py"])
    ]
    return _most(frames[-1], fitting) or _most(frames[-1], _versions())


def _most(frame: Frame, versions: list[_Lines]) -> str:
    """Return the class that most of the versions have in the frame's line."""
    found = Counter(
        filter(None, (_at(frame, version.get(frame.base, {})) for version in versions))
    )
    return max(found, key=found.__getitem__, default="")


@cache
def _versions() -> list[_Lines]:
    """Return first and last line by version, file, and class or method of module.py. The newest version is first."""
    known: dict[str, _Lines] = json.loads(
        pkgutil.get_data(__package__, "module_lines.json") or b"{}"
    )
    return list(known.values())[::-1]


def _at(frame: Frame, names: dict[str, tuple[int, int]]) -> str:
    for name, (first, last) in names.items():
        if first <= (frame.line or 0) <= last:
            return name
    return ""


def _fits(frames: tuple[Frame, ...], callers: dict[str, tuple[int, int]]) -> bool:
    """Check whether the frames may be of the version whose module.py has these methods that call a module.

    Where none of them is shown it is an old one: since torch 2.1 hardly a traceback is pasted without.
    """
    called = [
        frame
        for frame in frames
        if frame.base == "module.py" and "_call_" in frame.method
    ]
    if called:
        return all(_at(frame, callers) == frame.method for frame in called)
    return _SINCE_2_1 not in callers
