"""Python's tracing costs a forked run half its speed, and only the block's own frame needs it: modules go without."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch

P = ParamSpec("P")
R = TypeVar("R")


def modules_untraced() -> None:
    """Stop tracing modules in this process."""
    torch.nn.Module.__call__ = untraced(torch.nn.Module.__call__)  # type: ignore[method-assign]


def untraced(call: Callable[P, R]) -> Callable[P, R]:
    """Return the same, traced neither itself nor in what it calls; an error that leaves it is seen by who called it."""

    @wraps(call)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        tracing = sys.gettrace()
        if tracing is None:
            return call(*args, **kwargs)
        sys.settrace(None)
        try:
            return call(*args, **kwargs)
        finally:
            sys.settrace(tracing)

    return quiet
