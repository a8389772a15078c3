"""torch.compile runs eagerly: the check looks at the program, not at the code that a compiler makes of it.

But for what inductor does not round: see `numerics.fused`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ....process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.compile`, also as a decorator with arguments."""

    def compile(model: Any = None, **how: Any) -> Any:  # noqa: A001 - torch's name
        vm.recorder.note("torch.compile ran eagerly")
        if model is None:
            return partial(compile, **how)
        rounds = (how.get("options") or {}).get("emulate_precision_casts")
        other = how.get("backend", "inductor") != "inductor" or how.get("disable")
        return model if rounds or other else vm.numerics.fused.compiled(model)

    yield Patch(torch, "compile", compile)


def _reset(_: VirtualMachine, dynamo: ModuleType) -> Iterator[Patch]:
    """Yield the real one imports what only CUDA builds have."""
    yield Patch(dynamo, "reset", lambda: None)


LATER = {"torch._dynamo": _reset}
