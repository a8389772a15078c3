"""`torch.device(0)`: C++ would ask for the accelerator of the host, which has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.device` if the machine has a GPU; the devices that it returns are torch's own."""
    real, machine = torch.device, vm.machine.device
    if machine == "cpu":
        return

    class Ordinals(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> torch.device:
            if (
                len(args) + len(kwargs) == 1
                and type(number := (*args, *kwargs.values())[0]) is int
            ):
                return real(machine, number)
            return real(*args, **kwargs)

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return subclass is cls or issubclass(subclass, real)

        def __eq__(cls, other: object) -> bool:
            return other is cls or other is real

        def __hash__(cls) -> int:
            return hash(real)

    yield Patch(
        torch,
        "device",
        Ordinals("device", (), {"__module__": "torch", "__doc__": real.__doc__}),
    )
