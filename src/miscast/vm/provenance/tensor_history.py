"""Tensor history while a program runs: a note on each storage, and recent results of watched calls.

Both say where a dtype and a device came from. A note hangs on the Python object of the storage: views, `.detach()` and
`nn.Parameter` share it, nothing is kept alive by it, and neither pickling nor copying a tensor sees it. The results are
for the parts of an expression that no variable holds, `mm(a, b.half())`: what they were, without the tensors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import NamedTuple

import torch

from .origin import Origin

NAME = "_miscast_note"
RECENT = "_miscast"
"""The attribute of a watched function that holds the last results of all of them."""
MOST = 256


class Note(NamedTuple):
    """Known origins of a storage."""

    dtype: Origin | None
    device: Origin | None


NOTHING = Note(None, None)


class Result(NamedTuple):
    """The result of a watched call, and the instruction that made it. `frame` is an id, of a live or ended frame."""

    frame: int
    code: CodeType
    lasti: int
    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    note: Note


def note(tensor: torch.Tensor) -> Note:
    """Return what is known of a tensor; nothing for one that an op computed."""
    try:
        return getattr(tensor.untyped_storage(), NAME, NOTHING)
    # sparse, and what `torch.func` wraps: no storage
    except (RuntimeError, NotImplementedError):
        return NOTHING


def hang(tensor: torch.Tensor, what: Note) -> None:
    """Note it, where there is a storage to hold it."""
    try:
        setattr(tensor.untyped_storage(), NAME, what)
    except (RuntimeError, NotImplementedError):
        return


def remember(
    recent: deque[Result], frame: FrameType, tensor: torch.Tensor, what: Note
) -> None:
    """Record the newest result of a call that `frame` made. Subclasses are skipped: their sizes may hold graphs."""
    if type(tensor) is torch.Tensor:
        recent.append(
            Result(
                id(frame),
                frame.f_code,
                frame.f_lasti,
                tensor.dtype,
                tensor.device,
                tensor.shape,
                what,
            )
        )


def results(frame: FrameType) -> Iterable[Result]:
    """Return what watched calls of a frame gave, the newest first; nothing where no recorder is in place."""
    code, name = frame.f_code, id(frame)
    recent: Iterable[Result] = tuple(getattr(torch.zeros, RECENT, ()))[::-1]
    return [one for one in recent if one.frame == name and one.code is code]


def recording() -> bool:
    """Check whether creations and casts are recorded in this process."""
    return hasattr(torch.zeros, RECENT)
