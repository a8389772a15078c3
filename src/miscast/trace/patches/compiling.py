"""torch.compile runs eagerly: the check looks at the program, not at the code that a compiler makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo

from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.compile`, also as a decorator with arguments."""

    def compile(model: Any = None, **_: Any) -> Any:  # noqa: A001 - torch's name
        vm.recorder.note("torch.compile ran eagerly")
        return (lambda m: m) if model is None else model

    yield Patch(torch, "compile", compile)
    yield Patch(torch._dynamo, "reset", lambda: None)  # the real one imports what only CUDA builds have
