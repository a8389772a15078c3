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

from .loss import HALF, Lost
from .names import SUMS, TAKEN_BACK

if TYPE_CHECKING:
    from ..provenance.record import Record
    from .seen import Seen


class Fused:
    """Compiled code of one run: the calls at work, innermost last, of code that is fused or kept eager."""

    def __init__(self) -> None:
        self._calls = [False]
        self._hooks: list[Any] = []

    def called(self, code: Any, *, fused: bool = True) -> Any:
        """Return a function or module, in whose calls ops count as fused, or as not fused."""
        if isinstance(code, torch.nn.Module):
            before = code.register_forward_pre_hook(
                lambda *_: self._calls.append(fused)
            )
            after = code.register_forward_hook(
                lambda *_: self._returned(), always_call=True
            )
            self._hooks += before, after
            return code

        @functools.wraps(code)
        def run(*args: Any, **kwargs: Any) -> Any:
            self._calls.append(fused)
            try:
                return code(*args, **kwargs)
            finally:
                self._returned()

        return run

    def end(self) -> None:
        """Leave modules as they were."""
        while self._hooks:
            self._hooks.pop().remove()

    def _returned(self) -> None:
        if len(self._calls) > 1:  # always called, also where no call had begun
            del self._calls[-1]

    def find(self, seen: Seen) -> Lost | None:
        """Return a difference that is 0 once the ops around it are fused."""
        if not self._calls[-1] or seen.name not in SUMS:
            return None
        config = sys.modules.get("torch._inductor.config")
        of_rounding = any(_rounded(one, seen.dtype) for one in seen.undone)
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
