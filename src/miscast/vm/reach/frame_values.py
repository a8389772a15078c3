"""Look up in a frame of the program's: its dtypes, and values that send a fork where the run did not go."""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any

import torch

from ..provenance.safe_lookup import UNREAD, value_of

_SAID = "CUDA out of memory."  # which most handlers of a RuntimeError look for
_MOST = 64
"""Variables of a frame that are looked at."""


def dtypes_of(frame: FrameType) -> set[torch.dtype]:
    """Return the dtypes of its tensors, and of a parameter of each of its modules. No code of the program is run."""
    found = set[torch.dtype]()
    for value in list(frame.f_locals.values())[:_MOST]:
        tensor = _parameter(value) if isinstance(value, torch.nn.Module) else value
        if isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point:
            found.add(tensor.dtype)
    return found


def _parameter(module: torch.nn.Module) -> Any:
    """Return the first one that a module has, itself or further in."""
    parts: list[Any] = [module]
    for one in parts:  # which grows
        held = vars(one) if isinstance(one, torch.nn.Module) else {}
        own = [p for p in held.get("_parameters", {}).values() if p is not None]
        if own or len(parts) > _MOST:
            return own[0] if own else None
        parts += held.get("_modules", {}).values()
    return None


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
