"""Lists that index: `x[[0, 2]]`, `x[:, order[:8]]`, `x[[True, False]] = 0`.

C++ makes a tensor of such a list on the device that it believes `x` to be on. That is `meta`, so it does not even read
the list, and asks for memory without data. The line that indexes tells which list it was, if it is written out there or
has a name; what a function returned is unknown.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

import torch

from ..provenance import factories
from ..provenance.safe_lookup import UNREAD, value_of
from .asked_expression import Sources, asking_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from ..provenance.origin import Place

_KINDS = (list, tuple, range, bytearray)
_DTYPES = (torch.bool, torch.int64)


class Indices:
    """The lists of one run, and how many of an index were asked for so far."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._turns: dict[Place, int] = {}

    def asked(self, sizes: Sequence[int]) -> torch.Tensor | None:
        """Return the list of this shape that is being read, as a real tensor of bool or int64.

        None where it is not known.

        All lists of an index are asked for, from left to right: the third question at a line with two is the first
        again.
        """
        frame = asking_frame(sys._getframe(1))
        if frame is None or not (lists := self._lists(frame, sizes)):
            return None
        place = frame.f_code, frame.f_lasti
        turn = self._turns.get(place, 0) % len(lists)
        self._turns[place] = turn + 1
        return _tensor(lists[turn], sizes)

    def _lists(self, frame: FrameType, sizes: Sequence[int]) -> list[Any]:
        """Return the lists of an index; none where one of its parts may be a list and cannot be read."""
        found = self._sources.node(frame)
        if found is None or not isinstance(found[1], ast.Subscript):
            return []
        parts = _parts(found[1].slice, frame, sizes)
        if any(p is UNREAD for p in parts):
            return []
        return [p for p in parts if type(p) in _KINDS]


def _parts(index: ast.expr, frame: FrameType, sizes: Sequence[int]) -> Sequence[Any]:
    """Return the values between the brackets, split at commas."""
    if isinstance(index, ast.Tuple):
        return [
            None if isinstance(e, ast.Slice) else value_of(e, frame) for e in index.elts
        ]
    whole = value_of(index, frame)
    # torch takes `[[0, 1], [1, 0]]` for a tuple
    if type(whole) is list and _tensor(whole, sizes) is None:
        return whole
    return whole if type(whole) is tuple else [whole]


def _tensor(data: Any, sizes: Sequence[int]) -> torch.Tensor | None:
    try:
        made = factories.tensor(
            data, dtype=None if len(data) else torch.int64, device="cpu"
        )
    except (TypeError, ValueError, RuntimeError):
        return None
    return made if made.dtype in _DTYPES and tuple(made.shape) == tuple(sizes) else None
