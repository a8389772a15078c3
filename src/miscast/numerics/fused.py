"""Differences that take back what was rounded, in code that torch.compile fuses: there nothing is rounded in between.

hi = x.to(torch.bfloat16)
lo = x - hi.float()                      # 0 in compiled code

Inductor drops a cast to a half dtype and back, and keeps float32 between fused ops of a half dtype: see
`emulate_precision_casts` in torch/_inductor/config.py of torch 2.6 and later.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import torch

from ..provenance.record import find
from .loss import HALF, Lost
from .names import SUMS, TAKEN_BACK

if TYPE_CHECKING:
    from ..provenance.record import Record
    from .seen import Seen


class Fused:
    """Compiled code of one run: how many calls of it are at work."""

    def __init__(self) -> None:
        self._calls = 0
        self._hooks: list[Any] = []

    def compiled(self, code: Any) -> Any:
        """Return a function or module, in whose calls ops count as fused."""
        if isinstance(code, torch.nn.Module):
            before = code.register_forward_pre_hook(lambda *_: self._count(1))
            after = code.register_forward_hook(
                lambda *_: self._count(-1), always_call=True
            )
            self._hooks += before, after
            return code

        @functools.wraps(code)
        def run(*args: Any, **kwargs: Any) -> Any:
            self._count(1)
            try:
                return code(*args, **kwargs)
            finally:
                self._count(-1)

        return run

    def end(self) -> None:
        """Leave modules as they were."""
        while self._hooks:
            self._hooks.pop().remove()

    def _count(self, more: int) -> None:
        self._calls += more

    def find(self, seen: Seen) -> Lost | None:
        """Return a difference that is 0 once the ops around it are fused."""
        if not self._calls or seen.name not in SUMS or not seen.undoes:
            return None
        config = sys.modules.get("torch._inductor.config")
        given = (seen.tensor(name) for name in ("self", "other"))
        behind = (find(one) for one in given if one is not None)
        of_rounding = any(one and _rounded(one, seen.dtype) for one in behind)
        if not of_rounding or getattr(config, "emulate_precision_casts", False):
            return None
        return Lost(
            rule="precision-not-held",
            operand="",
            form="fused",
            figures="this takes back what half precision rounded off, but in compiled code nothing is rounded between "
            "these ops: the difference is 0",
        )


def _rounded(record: Record, dtype: torch.dtype | None) -> bool:
    """Check whether numbers are what a sum in a half dtype rounded off, or were cast to one and back."""
    return record.chain == TAKEN_BACK if dtype in HALF else record.narrowed
