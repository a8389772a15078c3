"""Devices given as bare numbers (`.to(0)`, `.cuda(rank)`, `device=1`), which C++ resolves by hardware that it cannot find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._device import _device_constructors

from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`Tensor.to`, `Tensor.cuda`, what `Module.to` parses with, and every factory of `torch`."""
    kind = vm.machine.device
    if kind == "cpu":
        return

    def first(original: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose device may be the first argument after the tensor."""

        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if args and type(args[0]) is int:
                args = (torch.device(kind, args[0]), *args[1:])
            if type(kwargs.get("device")) is int:
                kwargs["device"] = torch.device(kind, kwargs["device"])
            return original(self, *args, **kwargs)

        return call

    def named(original: Callable[..., Any]) -> Callable[..., Any]:
        """A factory: its device is a keyword."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if type(kwargs.get("device")) is int:
                kwargs["device"] = torch.device(kind, kwargs["device"])
            return original(*args, **kwargs)

        return call

    parse = torch._C._nn._parse_to

    def parse_to(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is int:
            args = (torch.device(kind, args[0]), *args[1:])
        return named(parse)(*args, **kwargs)

    yield Patch(torch.Tensor, "to", first(torch.Tensor.to))
    yield Patch(torch.Tensor, "cuda", first(torch.Tensor.cuda))
    yield Patch(torch._C._nn, "_parse_to", parse_to)
    for name, value in list(vars(torch).items()):
        if callable(value) and value in _device_constructors():
            yield Patch(torch, name, named(value))
