"""Exchange DistributedDataParallel's data: parameters when it wraps, buckets after a backward pass.

As torch/csrc/distributed/c10d/reducer.cpp: a pass is over when every parameter has its gradient (those that the loss
does not depend on only with `find_unused_parameters` or a static graph), and only then are the buckets reduced.

Under `Join`, ranks that are out of inputs go on meeting those that have some. torch's own loop runs; that a rank still
has inputs is told by a meeting without tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.distributed.algorithms.join import Join, JoinHook
from torch.nn.parallel import DistributedDataParallel as DDP  # noqa: N817 - as everybody calls it

from ...core.meeting import Part
from ...running.process.patching import Patch
from ...running.torch_abi import when_passed_back
from ..labels import relabelled
from ..provenance.record import find
from .collective_buffers import BufferMove
from .process_group import meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        config = getattr(self._ddp, "_join_config", None)
        if config is not None and config.enable:
            _told(self, b"1")
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


class _Shadow(JoinHook):
    """A joined rank's reply to each input of the others."""

    def __init__(self, ddp: Any) -> None:
        self._ddp = ddp

    def main_hook(self) -> None:
        """Take part in the collectives of the other ranks without data of its own."""
        if self._ddp._reducer is not None:
            self._ddp._reducer.shadow()


def patches() -> Iterator[Patch]:
    """Yield the patches by which `Join` accepts a wrapped module whose own `__init__` did not run."""
    yield Patch(DDP, "join_device", property(lambda self: self.device))
    yield Patch(DDP, "join_process_group", property(lambda self: self.process_group))
    yield Patch(DDP, "join", lambda self, *_, enable=True, **__: Join([self], enable))
    yield Patch(DDP, "join_hook", lambda self, **_: _Shadow(self))
    yield Patch(Join, "_get_num_nonjoined_procs", _left)


def _left(join: Any) -> int:
    """Return the number of ranks that still have inputs; 0 if the ranks no longer communicate."""
    reducer = next(
        (
            j._reducer
            for j in join._joinables
            if getattr(j, "_reducer", None) is not None
        ),
        None,
    )
    return 0 if reducer is None else _told(reducer, b"")


def _told(reducer: Any, data: bytes) -> int:
    answer = reducer.meet("Join", (), data=data)
    if answer is None or answer.brought is None:
        return 0
    return sum(bool(one.data) for one in answer.brought)
