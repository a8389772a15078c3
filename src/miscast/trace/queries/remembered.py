"""What torch and the libraries above it remember of the host's devices, and would remember of the virtual ones.

`transformers.utils.is_torch_cuda_available` and its like are `lru_cache`d: asked once on the host, they would deny
the GPU; asked once on the virtual machine, they would claim it for the rest of the process.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from typing import TYPE_CHECKING

import torch
import torch.utils.checkpoint

from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machines import Machine
    from .state import State

_OF_DEVICES = re.compile(
    r"_?(is|has|get|check|supports?|can|should)_.*"
    r"(accelerator|bf16|capability|cuda|cudnn|device|flash|fp16|fp8|gpu|hip|hpu|mlu|mps|musa|neuron|npu|rocm|sdaa|sm\d|tf32|triton|xpu)"
)


def patches(_machine: Machine, _state: State) -> Iterator[Patch]:
    """The memory of torch itself, while the machine is on."""
    if hasattr(torch.get_device_module, "__wrapped__"):  # a cache since torch 2.8
        yield Patch(torch, "get_device_module", torch.get_device_module.__wrapped__)
    yield Patch(torch.utils.checkpoint.DefaultDeviceType, "_default_device_type", None)
    yield Patch(torch.random, "_fork_rng_warned_already", False)


@contextmanager
def forgotten() -> Iterator[None]:
    """Clear, before and after the body, each `lru_cache` of a module-level function named for what devices can do.

    Costs about 15 ms for 2,400 modules. Not seen: caches in classes and closures, and constants computed at import.
    """
    _forget()
    try:
        yield
    finally:
        _forget()


def _forget() -> None:
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if type(value) is _lru_cache_wrapper and _OF_DEVICES.match(name):
                value.cache_clear()
