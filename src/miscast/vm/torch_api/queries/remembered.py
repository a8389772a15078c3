"""Caches of torch and other libraries about the host's devices, and about the virtual ones.

`transformers.utils.is_torch_cuda_available` and its like are `lru_cache`d: asked once on the host, they would deny
the GPU; asked once on the virtual machine, they would claim it for the rest of the process.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cache
from typing import TYPE_CHECKING, Any

import torch
import torch.utils.checkpoint

from ....running.process.module_search import Hit, Search
from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....core.machines import Machine
    from .state import State

_OF_DEVICES = re.compile(
    r"_?(is|has|get|check|detect|supports?|can|should)_.*"
    r"(accelerator|bf16|capability|cuda|cudnn|device|flash|fp16|fp8|gpu|hip|hpu|mlu|mps|musa|neuron|npu|rocm|sdaa|sm\d|tf32|triton|xpu)"
)

_WRAPPED = frozenset({_lru_cache_wrapper, staticmethod})


def patches(_machine: Machine, _state: State) -> Iterator[Patch]:
    """Yield the memory of torch itself, while the machine is on."""
    if hasattr(torch.get_device_module, "__wrapped__"):  # a cache since torch 2.8
        yield Patch(torch, "get_device_module", torch.get_device_module.__wrapped__)
    device_type = torch.utils.checkpoint.DefaultDeviceType
    # older torch has the constant "cuda"
    if "accelerator" in device_type.get_device_type.__code__.co_names:
        yield Patch(device_type, "_default_device_type", None)
    yield Patch(torch.random, "_fork_rng_warned_already", False)


@contextmanager
def forgotten() -> Iterator[None]:
    """Clear, before and after the block, each `lru_cache` of a function named for device capabilities.

    Looked at are the functions of all modules, and the methods of the classes of those that import torch. Costs about
    20 ms for 2,400 modules the first time, 1 ms from then on. Not seen: caches in closures, and constants computed at
    import. What accelerate's singletons hold is as before; where the process made them already, the check goes on with
    them.
    """
    kept = [(state, dict(state)) for state in _singletons()]
    _forget()
    try:
        yield
    finally:
        _forget()
        before = {id(state): content for state, content in kept}
        for state in _singletons():
            state.clear()
            state.update(before.get(id(state), {}))


def _singletons() -> Iterator[dict[str, Any]]:
    """Yield the state that all instances of a class share: accelerate remembers device and precision in it."""
    module = sys.modules.get("accelerate.state")
    for name in ("PartialState", "AcceleratorState", "GradientState"):
        state = getattr(getattr(module, name, None), "_shared_state", None)
        if isinstance(state, dict):
            yield state


def _forget() -> None:
    for hit in _caches():
        function: Any = (
            hit.value.__func__ if type(hit.value) is staticmethod else hit.value
        )
        function.cache_clear()


@cache
def _caches() -> Search:
    """Return a search for all such caches; it lasts for the process, and looks only at new objects."""
    return Search(_held)


def _held(module: Any) -> Iterator[Hit]:
    content = getattr(module, "__dict__", {})
    yield from _named(module, content)
    if content.get("torch") is torch:
        for kind in [
            v
            for v in content.values()
            if type(v) is type and v.__module__ == module.__name__
        ]:
            yield from _named(kind, vars(kind))


def _named(owner: Any, content: Mapping[str, Any]) -> Iterator[Hit]:
    # nearly all; asked in C
    if _WRAPPED.isdisjoint(map(type, tuple(content.values()))):
        return
    for name, value in list(content.items()):
        function = value.__func__ if type(value) is staticmethod else value
        if type(function) is _lru_cache_wrapper and _OF_DEVICES.match(name):
            yield Hit(owner, content, name, value)
