"""torch.compile runs eagerly: the check looks at the program, not at the code that a compiler makes of it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from ....process.patching import Patch
from ...dynamo import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.compile`, also as a decorator with arguments; and `torch._dynamo` where it cannot be imported."""

    def compile(model: Any = None, **_: Any) -> Any:  # noqa: A001 - torch's name
        vm.recorder.note("torch.compile ran eagerly")
        return (lambda m: m) if model is None else model

    yield Patch(torch, "compile", compile)
    if REFUSED is None:
        dynamo = sys.modules["torch._dynamo"]
        # the real one imports what only CUDA builds have
        yield Patch(dynamo, "reset", lambda: None)
        return
    why = f"{type(REFUSED).__name__}: {REFUSED}".splitlines()[0]
    vm.recorder.note(
        f"torch._dynamo cannot be imported ({why}): for real, optimizers and torch.compile raise that"
    )
    dynamo = _without(REFUSED)
    yield Patch(sys.modules, "torch._dynamo", dynamo)
    yield Patch(torch, "_dynamo", dynamo)


def _without(error: Exception) -> ModuleType:
    """What torch's own eager code, its meta kernels among it, asks of `torch._dynamo`; all else raises `error`."""

    def missing(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise error

    dynamo = ModuleType("torch._dynamo")
    vars(dynamo).update(
        disable=lambda fn=None, *_, **__: fn,
        graph_break=lambda *_, **__: None,
        is_compiling=lambda: False,
        reset=lambda: None,
        __getattr__=missing,
    )
    return dynamo
