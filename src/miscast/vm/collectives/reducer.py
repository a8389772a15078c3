"""Exchange DistributedDataParallel's data: parameters when it wraps, buckets after a backward pass.

As torch/csrc/distributed/c10d/reducer.cpp: a pass is over when every parameter has its gradient (those that the loss
does not depend on only with `find_unused_parameters` or a static graph), and only then are the buckets reduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...core.meeting import Part
from ...running.torch_abi import when_passed_back
from ..labels import relabelled
from ..provenance.record import find
from .collective_buffers import BufferMove
from .join_context import notify
from .process_group import meta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .process_group import Gathering
    from .world import Answer

_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your module has parameters that were not used in producing loss."
)


class Reducer:
    """The buckets of one wrapped module, by dtype."""

    def __init__(
        self,
        gathering: Gathering,
        ddp: Any,
        parameters: Sequence[torch.nn.Parameter],
        *,
        sync: bool,
    ) -> None:
        """Compare the parameters with the other ranks (unless `sync` is off); all must have the same."""
        self._gathering, self._ddp = gathering, ddp
        self._parameters = list(parameters)
        self._ready: set[int] = set()
        self._asked = False
        names = {id(p): name for name, p in ddp.module.named_parameters()}
        if sync:
            parts = [
                Part(name=names.get(id(p), ""), tensor=meta(p))
                for p in self._parameters
            ]
            self.meet("DistributedDataParallel", parts)
        for parameter in self._parameters:
            parameter.register_post_accumulate_grad_hook(self._arrived)

    def joining(self) -> None:
        """Begin a forward pass of a rank that has not joined, and notify those that have."""
        notify(self._ddp)
        self.forward()

    def forward(self) -> None:
        """Check that the previous pass is over, and broadcast the buffers from rank 0, before the module runs."""
        if 0 < len(self._ready) < len(self._parameters):
            raise RuntimeError(_UNFINISHED)
        self._ready.clear()
        ddp = self._ddp
        buffers = (
            ddp.broadcast_buffers
            and ddp.require_forward_param_sync
            and next(ddp.module.buffers(), None)
        )
        if (
            buffers is not None
            and buffers is not False
            and ddp._synchronising
            and ddp.module.training
        ):
            parts = [
                Part(name=name, tensor=meta(b))
                for name, b in ddp.module.named_buffers()
            ]
            self.meet("DistributedDataParallel.forward", parts)

    def shadow(self) -> None:
        """Take part in the collectives of the others (`Join`) as a rank without inputs, without data of its own."""
        self._ddp._synchronising = True
        self.forward()
        self._reduce()

    def meet(
        self, op: str, parts: Sequence[Part], data: bytes | None = None
    ) -> Answer | None:
        """Synchronize with the ranks of the module's group; None if this rank is not in it."""
        place = self._gathering.seat(self._ddp.process_group)
        if place is None:
            return None
        seat, group = place
        return self._gathering.meet(op, group, seat, parts=parts, data=data)

    def _arrived(self, parameter: torch.Tensor) -> None:
        if not self._ddp._synchronising:
            return
        self._ready.add(id(parameter))
        if not self._asked:
            self._asked = True
            when_passed_back(self._over)

    def _over(self) -> None:
        self._asked = False
        lenient = self._ddp.find_unused_parameters or self._ddp.static_graph
        if len(self._ready) < len(self._parameters) and not lenient:
            return
        self._ready.clear()
        self._reduce()

    def _reduce(self) -> None:
        place = self._gathering.seat(self._ddp.process_group)
        if place is None:
            return
        seat, group = place
        for dtype in dict.fromkeys(p.dtype for p in reversed(self._parameters)):
            with torch.no_grad():
                bucket = torch.empty(
                    sum(p.numel() for p in self._parameters if p.dtype is dtype),
                    dtype=dtype,
                    device=self._parameters[0].device,
                )
            relabelled(
                bucket, find(next(p for p in self._parameters if p.dtype is dtype))
            )
            deal = BufferMove(gives=[bucket] * seat.size, gets=[bucket] * seat.size)
            self._gathering.deal("DistributedDataParallel.reduce", group, deal, seat)
