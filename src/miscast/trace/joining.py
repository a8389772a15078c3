"""`Join` for DistributedDataParallel: ranks that are out of inputs go on meeting those that have some.

torch's own protocol runs as it is: how many ranks have joined is the sum of an all-reduce whose values are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.distributed.algorithms.join import Join, JoinHook
from torch.nn.parallel import DistributedDataParallel as DDP  # noqa: N817 - as everybody calls it

from .patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Shadow(JoinHook):
    """What a joined rank does for each input of the others."""

    def __init__(self, ddp: Any) -> None:
        """Of one wrapped module."""
        self._ddp = ddp

    def main_hook(self) -> None:
        """Their meetings, with nothing of its own."""
        if self._ddp._reducer is not None:
            self._ddp._reducer.shadow()


def patches() -> Iterator[Patch]:
    """What `Join` asks of a wrapped module, whose own `__init__` did not run."""
    yield Patch(DDP, "join_device", property(lambda self: self.device))
    yield Patch(DDP, "join_process_group", property(lambda self: self.process_group))
    yield Patch(DDP, "join", lambda self, *_, enable=True, **__: Join([self], enable))
    yield Patch(DDP, "join_hook", lambda self, **_: _Shadow(self))


def notify(ddp: Any) -> None:
    """Before a forward pass: tell those that have joined that there is one more."""
    if getattr(ddp, "_join_config", None) is not None and ddp._join_config.enable:
        Join.notify_join_context(ddp)
