"""Values that send a fork where the run did not go: an exception for a handler, a value for a case."""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any

from ..provenance.safe_lookup import UNREAD, value_of

_SAID = "CUDA out of memory."  # which most handlers of a RuntimeError look for


def error_of(kind: ast.expr | None, frame: FrameType) -> BaseException:
    """Return an exception that a handler of this kind catches, if that can be looked up."""
    while isinstance(kind, ast.Tuple):
        kind = kind.elts[0]
    found = value_of(kind, frame)
    if isinstance(found, tuple) and found:
        found = found[0]
    error: type[BaseException] = RuntimeError
    if isinstance(found, type) and issubclass(found, BaseException):
        error = found
    try:
        return error(_SAID)
    except TypeError:  # it takes other arguments
        return error.__new__(error)


def value_given(node: ast.expr | None, frame: FrameType) -> Any:
    """Return a value that is written out, or looked up; one that equals nothing if it is unknown."""
    found = value_of(node, frame)
    return ... if found is UNREAD else found
