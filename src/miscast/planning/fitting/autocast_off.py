"""The program's own autocast regions without effect: in what models compute, a candidate says alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.utils import checkpoint

from ...policy.boundary import Boundary
from ...running.process.patching import Patch, applied

_NEAR = 3
"""So many callers are looked at: between there may be the virtual machine's."""


@contextmanager
def without_autocast() -> Iterator[None]:
    """Disable the program's own autocast regions within the block; only a policy opens regions."""
    original = torch.autocast.__init__

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if not _stays(sys._getframe(1)):
            self._enabled = False  # set by autocast.__init__, read by its __enter__

    with applied([Patch(torch.autocast, "__init__", begin)]):
        yield


def _stays(frame: FrameType | None) -> bool:
    """Check whether a region belongs to a policy, or to a forward that torch recomputes."""
    for _ in range(_NEAR):
        if frame is None:
            return False
        again = frame.f_globals.get("__name__") == checkpoint.__name__
        if again or frame.f_code is Boundary.call.__code__:
            return True
        frame = frame.f_back
    return False
