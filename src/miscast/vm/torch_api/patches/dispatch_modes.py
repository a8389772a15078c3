"""Modes that watch or change ops below autograd (flop counters, selective checkpointing) stay off.

C++ cannot call a fallback of a dispatch key while such a mode is on. Without its mode, selective checkpointing
recomputes everything, and a counter counts nothing: no dtype depends on either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils import _python_dispatch

from ....running.process.patching import Patch
from ....running.torch_abi import is_excluded
from ...key import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `with TorchDispatchMode():` so that it has no effect."""

    def enter(self: Any) -> Any:
        if not is_excluded(KEY):  # else torch's own use, of meta tensors already
            vm.recorder.note(f"{type(self).__name__} was not activated")
        return self

    def leave(_self: Any, *_: object) -> None:
        return None

    yield Patch(_python_dispatch.TorchDispatchMode, "__enter__", enter)
    yield Patch(_python_dispatch.TorchDispatchMode, "__exit__", leave)
