"""Decide whether an exception came from the program itself or from Miscast.

Miscast stands between the program and torch. What the program raises is its own, and so is what torch refuses, also
where Miscast asked torch, or says what torch would say (`raise` in its code). What else fails in Miscast's code, or
below it, is Miscast's. In the box, which stands for Python's own functions, what a call raises is the program's: a file
that is not there, a command that is not found. Not told apart: a mistake of Miscast's that torch refuses, as an op
called with wrong arguments.
"""

from __future__ import annotations

import dis
import os
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

import torch

from ...core.failure import FOLDER, is_ours
from .on_behalf import theirs
from .origin import USER, kind_of, locate, places

_REFUSALS = (IndexError, ValueError, TypeError, OverflowError, BufferError)
"""Errors of torch's C++ calls besides RuntimeErrors."""
_BOX_FOLDER = os.path.join(FOLDER, "box", "")
_BEGINS = (
    "program.py",
    "on_behalf.py",
    os.path.join("running", "program", "run.py"),
    os.path.join("running", "distributed", "run.py"),
)
"""The files of Miscast that call the program."""
_DEEP = 100  # Miscast's frames in a row that make a recursion its own
_TORCH_FOLDER = torch.__file__.rpartition("__init__")[0]


class _Step(NamedTuple):
    frame: FrameType
    lasti: int
    line: int


def is_miscasts(error: BaseException) -> bool:
    """Check whether Miscast itself failed; its frames must be in the traceback."""
    steps = _steps(error.__traceback__)
    ours = [i for i, step in enumerate(steps) if is_ours(step.frame.f_code.co_filename)]
    if not ours or steps[ours[-1]].frame.f_code is theirs.__code__:
        return False
    if isinstance(error, RecursionError):
        users = [
            i for i, step in enumerate(steps) if kind_of(step.frame.f_code) == USER
        ]
        return len(steps) - max(users, default=-1) > _DEEP
    innermost, below = steps[ours[-1]], steps[ours[-1] + 1 :]
    boxed = innermost.frame.f_code.co_filename.startswith(_BOX_FOLDER)
    if below:
        return not (
            boxed or below[0].frame.f_code.co_filename.startswith(_TORCH_FOLDER)
        )
    return not _is_meant(error, innermost, boxed=boxed)


def _is_meant(error: BaseException, step: _Step, *, boxed: bool) -> bool:
    """Check whether what came out of Miscast's own line is for the program.

    Raised there, or refused by what it called.
    """
    name = _instruction(step.frame.f_code, step.lasti)
    if name in ("RAISE_VARARGS", "RERAISE") or isinstance(error, RuntimeError):
        return True
    refused = isinstance(error, _REFUSALS) or (boxed and _is_outside(error))
    return refused and "CALL" in name


def _is_outside(error: BaseException) -> bool:
    """Check whether it is of the system, or of another library, as `sqlite3.Error`."""
    return isinstance(error, OSError) or type(error).__module__ != "builtins"


def where(error: BaseException, frame: FrameType | None) -> str:
    """Return the user's line at work, "train.py:14": in the traceback, else on the stack above `frame`.

    "" if none is.
    """
    inner = _innermost(error)
    if inner:
        return inner
    place = places(frame)[0] if frame is not None else None
    if place is None or kind_of(place[0]) != USER:
        return ""
    location = locate(place)
    return f"{location.file}:{location.line}" if location is not None else ""


def own(error: BaseException) -> TracebackType | None:
    """Return the traceback from the first frame that neither began the run nor belongs to `runpy`."""
    trace = error.__traceback__
    while (
        trace is not None
        and trace.tb_next is not None
        and _begins(trace.tb_frame.f_code)
    ):
        trace = trace.tb_next
    return trace


def _begins(code: CodeType) -> bool:
    name = code.co_filename
    return (
        (is_ours(name) and name.endswith(_BEGINS))
        or "runpy" in name
        or "importlib" in name
    )


def _innermost(error: BaseException) -> str:
    """Return the user's line that called the part of Miscast which failed."""
    found = user = ""
    for step in _steps(error.__traceback__):
        if is_ours(step.frame.f_code.co_filename):
            found = user
        elif kind_of(step.frame.f_code) == USER:
            user = f"{step.frame.f_code.co_filename}:{step.line}"
    return found


def _steps(trace: TracebackType | None) -> list[_Step]:
    found = []
    while trace is not None:
        found.append(_Step(trace.tb_frame, trace.tb_lasti, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _instruction(code: CodeType, lasti: int) -> str:
    """Return the name of the instruction at work."""
    return dis.opname[code.co_code[lasti]] if 0 <= lasti < len(code.co_code) else ""
