"""What a program may change of its process, kept as it was: seeds, defaults and modes of torch, environment, folder."""

from __future__ import annotations

import os
import random
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Restore = tuple["Callable[[], Any]", "Callable[[Any], Any]"]
"""How a setting is read, and how what was read is set again."""


@contextmanager
def kept() -> Iterator[None]:
    """Every setting as before, also after an error."""
    before = [(get(), get, put) for get, put in _settings()]
    try:
        yield
    finally:
        for value, get, put in before:
            if not _same(get(), value):
                put(value)
        torch.clear_autocast_cache()


def _settings() -> Iterator[_Restore]:
    yield torch.get_default_dtype, torch.set_default_dtype
    yield _default_device, torch.set_default_device
    yield torch.is_grad_enabled, torch.set_grad_enabled
    yield torch.get_rng_state, torch.set_rng_state
    yield torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms
    yield torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly
    yield torch.get_num_threads, torch.set_num_threads
    yield torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
    yield torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled
    for kind in ("cpu", "cuda"):
        yield _autocast(kind)
    yield random.getstate, random.setstate
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        yield numpy.random.get_state, numpy.random.set_state
    yield lambda: dict(os.environ), _set_environment
    yield os.getcwd, os.chdir
    yield lambda: list(warnings.filters), _set_filters


def _same(now: Any, before: Any) -> bool:
    if isinstance(before, torch.Tensor):
        return torch.equal(now, before)
    return not isinstance(before, tuple) and bool(now == before)  # a state of numpy holds an array: it is set again


def _autocast(kind: str) -> _Restore:
    def put(before: list[Any]) -> None:
        torch.set_autocast_enabled(kind, before[0])
        torch.set_autocast_dtype(kind, before[1])

    return lambda: [torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)], put


def _default_device() -> Any:
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return None if context is None else context.device


def _set_environment(before: dict[str, str]) -> None:
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


def _set_filters(before: list[Any]) -> None:
    warnings.filters[:] = before  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]
