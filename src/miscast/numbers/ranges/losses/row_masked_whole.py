"""A row of scores that is -inf throughout: its softmax is nan."""

from __future__ import annotations

import linecache
import sys

import torch

from ....vm.provenance.origin import user_frames
from ..loss import Lost
from ..seen import Seen

OPS = frozenset({"softmax", "_softmax", "log_softmax"})
PLAIN = True
WIDENS = True
_REPAIRS = ("nan_to_num", "where(", "isnan", "masked_fill(~", "masked_fill_(")
_LINES = 3


def find(seen: Seen) -> Lost | None:
    """Return a finding if a row of known scores is fully masked; torch's own attention gives 0 for such a row."""
    dim = seen.given.get("dim", -1)
    values = seen.known("self")
    if values is None or not isinstance(dim, int) or not values.dim():
        return None
    found = _told((values == -torch.inf).all(dim), "self")
    return None if found is None or _repaired() else found


def _repaired() -> bool:
    """Check whether the program's own lines around the softmax put something in the place of the nan."""
    frames = user_frames(sys._getframe(1))
    if not frames:
        return False
    file, line = frames[0].f_code.co_filename, frames[0].f_lineno
    text = "".join(linecache.getline(file, n) for n in range(line, line + _LINES))
    return any(word in text for word in _REPAIRS)


def _told(rows: torch.Tensor, operand: str) -> Lost | None:
    lost = int(rows.sum())
    if not lost or not rows.numel():
        return None
    return Lost(
        rule="row-masked-whole",
        operand=operand,
        wanted="",
        figures=f"{lost} of {rows.numel()} rows are entirely -inf",
    )
