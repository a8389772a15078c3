"""`Join` for DistributedDataParallel: ranks that are out of inputs go on meeting those that have some.

torch's own loop runs; that a rank still has inputs is told by a meeting without tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.distributed.algorithms.join import Join, JoinHook
from torch.nn.parallel import DistributedDataParallel as DDP  # noqa: N817 - as everybody calls it

from ...running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator


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


def notify(ddp: Any) -> None:
    """Notify the ranks that have joined of another forward pass, before it starts."""
    if getattr(ddp, "_join_config", None) is not None and ddp._join_config.enable:
        _told(ddp._reducer, b"1")


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
