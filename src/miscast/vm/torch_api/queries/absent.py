"""Devices that the virtual machine does not have: torch says what a build without them says, whatever the host has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import torch

from ....running.process.patching import ABSENT, Patch
from ....running.torch_abi import LazySeedTracker
from .answers import always, answers
from .builds import cudnn, nccl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State

_OF_MPS = ("is_available", "is_built", "is_macos_or_newer", "is_macos13_or_newer")
_OF_DEVICE = (
    "getDeviceIndex", "setDeviceIndex", "getDeviceCapability", "getStream", "synchronizeDevice",
)  # fmt: skip


def patches(machine: Machine, _state: State) -> Iterator[Patch]:
    """Yield every kind of device but the machine's own."""
    if machine.device != "cuda":
        yield from _no_cuda()
    if machine.device != "mps":
        yield from answers(
            torch._C, {"_has_mps": False, "_mps_is_available": always(False)}
        )
        yield from answers(torch.backends.mps, dict.fromkeys(_OF_MPS, always(False)))
    for name in ("xpu", "mtia"):
        if (
            name != machine.device
            and (module := getattr(torch, name, None)) is not None
        ):
            yield from answers(
                module, {"is_available": always(False), "device_count": always(0)}
            )
    if machine.device == "cpu":
        yield from _no_accelerator()


def _no_cuda() -> Iterator[Patch]:
    yield from answers(
        torch._C,
        {"_has_cuda": False, "_has_cudnn": False, "_cuda_getDeviceCount": ABSENT},
    )
    yield from answers(
        torch.cuda,
        {
            "_is_compiled": always(False),
            "_lazy_init": _not_compiled,
            "_initialized": False,
            "_queued_calls": [],
            "_lazy_seed_tracker": LazySeedTracker(),
            "_cached_device_count": None,
            "_is_in_bad_fork": always(False),
            "_exchange_device": _exchange,
            "_maybe_exchange_device": _exchange,
            "_cudart": None,
            "default_generators": (),
        },
    )
    yield from answers(torch.version, {"cuda": None, "hip": None})
    yield from cudnn(None)
    yield from nccl(available=False)
    for owner in (torch._C, torch.cuda.graphs):
        yield Patch(owner, "_cuda_isCurrentStreamCapturing", always(False))


def _no_accelerator() -> Iterator[Patch]:
    table: dict[str, Any] = {
        "_get_accelerator": always(torch.device("cpu")),
        "_accelerator_getAccelerator": always(None),
        "_accelerator_isAllocatorInitialized": always(False),
        **{f"_accelerator_{name}": _no_device for name in _OF_DEVICE},
    }
    yield from answers(torch._C, table)


def _no_device(*_: object) -> NoReturn:
    raise RuntimeError("Cannot access accelerator device when none is available.")


def _not_compiled() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def _exchange(index: int) -> int:
    if index < 0:
        return -1
    raise RuntimeError("PyTorch was compiled without CUDA support")
