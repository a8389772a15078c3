"""Differences that take back what was rounded, in code that torch.compile fuses: there nothing is rounded in between.

hi = x.to(torch.bfloat16)
lo = x - hi.float()                      # 0 in compiled code

Inductor drops a cast to a half dtype and back, and keeps float32 between fused ops of a half dtype: see
`emulate_precision_casts` in torch/_inductor/config.py of torch 2.6 and later. Where the graph breaks, as at `print`,
`.item()` or `nonzero`, a fused region ends, and what goes on to the next one is rounded.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import torch

from .loss import HALF, Lost
from .names import SUMS, TAKEN_BACK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...vm.provenance.record import Record
    from .seen import Seen

BREAKS = frozenset(
    {"nonzero", "masked_select", "_unique2", "unique_dim", "unique_consecutive"}
)
"""Ops whose result has as many elements as the data say."""


class Fused:
    """Compiled code of one run: the calls at work, innermost last, of code that is fused or kept eager."""

    def __init__(self, serials: Iterator[int]) -> None:
        self._calls = [False]
        self._hooks: list[Any] = []
        self._serials, self._region = serials, 0

    def breaks(self) -> None:
        """Begin another region: what was computed up to now is rounded."""
        self._region = next(self._serials)

    def called(self, code: Any, *, fused: bool = True) -> Any:
        """Return a function or module, in whose calls ops count as fused, or as not fused."""
        if isinstance(code, torch.nn.Module):
            before = code.register_forward_pre_hook(lambda *_: self._called(fused))
            after = code.register_forward_hook(
                lambda *_: self._returned(), always_call=True
            )
            self._hooks += before, after
            return code

        @functools.wraps(code)
        def run(*args: Any, **kwargs: Any) -> Any:
            self._called(fused)
            try:
                return code(*args, **kwargs)
            finally:
                self._returned()

        return run

    def end(self) -> None:
        """Leave modules as they were."""
        while self._hooks:
            self._hooks.pop().remove()

    def _called(self, fused: bool) -> None:
        self.breaks()
        self._calls.append(fused)

    def _returned(self) -> None:
        self.breaks()
        if len(self._calls) > 1:  # always called, also where no call had begun
            del self._calls[-1]

    def find(self, seen: Seen) -> Lost | None:
        """Return a difference that is 0 once the ops around it are fused."""
        if seen.name in BREAKS:
            self.breaks()
        if not self._calls[-1] or seen.name not in SUMS:
            return None
        config = sys.modules.get("torch._inductor.config")
        of_rounding = any(self._rounded(one, seen.dtype) for one in seen.undone)
        if not of_rounding or getattr(config, "emulate_precision_casts", False):
            return None
        return Lost(
            rule="precision-not-held",
            operand="",
            form="fused",
            figures="this takes back what half precision rounded off, but in compiled code nothing is rounded between "
            "these ops: the difference is 0",
        )

    def _rounded(self, record: Record, dtype: torch.dtype | None) -> bool:
        """Check whether this region rounded numbers by a sum in a half dtype or a cast to one, and has it back."""
        if dtype not in HALF:
            return record.narrowed and record.serial > self._region
        total = max(map(abs, record.made_from), default=0)
        return record.chain == TAKEN_BACK and total > self._region
