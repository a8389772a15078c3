"""Ops whose result's shape depends on values (torch's tag `dynamic_output_shape`), and those without a meta kernel.

`x[mask]`, `nonzero`, `unique`: their results have the shape that known values give them, else that of stand-ins.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..autograd_graph import linked
from ..call import Call, over
from ..key import Exclude
from ..provenance import factories
from ..provenance.record import Record, attach, filled, is_meta, view_of
from ..virtualize import is_plain
from .known_storage import BELOW_AUTOCAST, keep, known, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..judging.recorder import Recorder
    from .answers import Answers
    from .host_reads import HostReads

_MOST = 1 << 24  # elements of all operands of an op that is run on stand-ins for them
_MASKS = (torch.bool, torch.uint8)


class DataDependent:
    """Runs such ops on the values of their operands, or on what stands for them."""

    def __init__(self, recorder: Recorder, answers: Answers, reads: HostReads) -> None:
        self._recorder = recorder
        self._answers = answers
        self._reads = reads
        self._made: list[tuple[torch.Tensor, torch.Tensor, bool]] = []

    def run(self, call: Call, execute: Callable[[Call], Any]) -> Any:
        """Return the results; `execute` runs indexing on meta tensors, with the indices that its masks select."""
        short = call.plan.short
        if short == "index":
            self._replace_masks(call)
            return execute(call)
        if short == "masked_select":
            source, mask = torch.broadcast_tensors(
                torch.atleast_1d(call.args[0]), call.args[1]
            )
            return torch.ops.aten.index.Tensor(source, list(self._where(mask)))
        return self.stand_in(call)

    def stand_in(self, call: Call) -> Any:
        """Run an op that meta kernels cannot run on real CPU tensors: known values, ones and zeros elsewhere."""
        if sum(t.numel() for t in call.tensors) > _MOST:
            raise NotImplementedError(
                f"{call.plan.name} has no meta kernel and its operands are too large for placeholders"
            )
        assumed = not call.known or any(r.assumed for r in call.records)
        if not call.known:
            self._recorder.assume(call.plan.short, "a result for placeholder operands")
        with torch.no_grad(), Exclude(BELOW_AUTOCAST):
            real = call.on_cpu(_stand_in)
            if call.plan.short == "nonzero" and assumed:
                real = self._nonzero(call.tensors[0], call.records[0], real)
        return linked(over(real, partial(self._virtual, assumed=assumed)), call.tensors)

    def settled(self) -> bool:
        """Keep the values of what was made, once it has records; whether anything was."""
        if not self._made:
            return False
        for virtual, real, assumed in self._made:
            keep(virtual, real, assumed=assumed)
        self._made.clear()
        return True

    def _virtual(self, real: torch.Tensor, *, assumed: bool) -> torch.Tensor:
        if not is_plain(real):
            return real
        virtual = factories.empty_strided(
            real.size(), real.stride(), dtype=real.dtype, device="meta"
        )
        if not (assumed and real.is_floating_point()):
            self._made.append((virtual, real, assumed))
        return virtual

    def _nonzero(
        self, mask: torch.Tensor, record: Record, real: torch.Tensor
    ) -> torch.Tensor:
        """Return where a mask is true: if nothing is known of it everywhere, unless a loop waits for fewer."""
        if not len(real) and record.twin is None:
            real = factories.ones(mask.shape).nonzero()
        if len(real) == mask.numel() and self._answers.thinning():
            return real[: len(real) // 2].clone()
        return real

    def _replace_masks(self, call: Call) -> None:
        """Replace boolean masks among the indices by the indices they select."""
        indices = call.args[1]
        if not any(map(_is_mask, indices)):
            return
        flat = [
            index
            for i in indices
            for index in (self._selected(i) if _is_mask(i) else (i,))
        ]
        call.args = (call.args[0], flat)
        call.gather()

    def _selected(self, mask: torch.Tensor) -> Sequence[torch.Tensor]:
        if mask.dim() == 0:
            return (
                factories.empty(
                    int(self._reads.scalar(mask)), dtype=torch.int64, device="meta"
                ),
            )
        return self._where(mask)

    def _where(self, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the indices that a mask selects, as `nonzero(as_tuple=True)` gives them."""
        record = recorded(mask)
        if record.twin is None:
            self._recorder.assume("boolean mask", "all True")
            count = mask.numel() // (2 if self._answers.thinning() else 1)
            return tuple(_index(record.device, count) for _ in range(mask.dim()))
        real = view_of(record.twin, mask).nonzero(as_tuple=True)
        if record.assumed:
            self._recorder.assume("boolean mask", "filled with placeholder values")
            # less than all gets on by itself
            if real[0].numel() == mask.numel() and self._answers.thinning():
                real = tuple(index[: index.numel() // 2] for index in real)
        found = tuple(_index(record.device, index.numel()) for index in real)
        for virtual, values in zip(found, real, strict=True):
            keep(virtual, values, assumed=record.assumed)
        return found


def _is_mask(index: torch.Tensor | None) -> bool:
    return index is not None and index.dtype in _MASKS


def _index(device: torch.device | None, count: int) -> torch.Tensor:
    virtual = factories.empty(count, dtype=torch.int64, device="meta")
    attach(virtual, Record(device, None, None))
    return virtual


def _stand_in(tensor: torch.Tensor) -> torch.Tensor:
    values = known(tensor)
    return filled(values, values.dtype is torch.bool) if is_meta(values) else values
