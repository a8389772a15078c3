"""Marks, in a traceback, where Miscast does something on behalf of the program: what fails below is the program's.

theirs(fn, *args)              # a callback of the program's
theirs(open, path, "rb")       # a file that the program named, and that may not be there
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def theirs(fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """Return `fn(*args, **kwargs)`, called for the program: its exceptions are reported as the program's."""
    return fn(*args, **kwargs)
