"""torch.compile runs eagerly: the check looks at the program, not at the code that a compiler makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ....process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.compile`, also as a decorator with arguments."""

    def compile(model: Any = None, **_: Any) -> Any:  # noqa: A001 - torch's name
        vm.recorder.note("torch.compile ran eagerly")
        return (lambda m: m) if model is None else model

    yield Patch(torch, "compile", compile)


def _reset(_: VirtualMachine, dynamo: ModuleType) -> Iterator[Patch]:
    """Yield the real one imports what only CUDA builds have."""
    yield Patch(dynamo, "reset", lambda: None)


LATER = {"torch._dynamo": _reset}
