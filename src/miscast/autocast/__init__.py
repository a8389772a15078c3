"""Which ops autocast changes, per type of device, and how: data, no torch; each file with `POLICIES` is one.

    >>> policy("cuda", "aten.layer_norm"), policy("cpu", "aten.layer_norm")
    ('float32', None)

The lists are those of torch 2.13; a test holds them against what the running torch registers. They differ by device:
cuda's stand for no other. A type of device without a file has no policies.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from .policy import (
    APPENDS_DTYPE,
    FORBIDDEN_TEXT,
    UNEXPECTED_TEXT,
    Operand,
    Policy,
    RefusedError,
    casts,
    eligible,
    output_dtype,
)

__all__ = [
    "APPENDS_DTYPE", "FORBIDDEN_TEXT", "UNEXPECTED_TEXT", "Operand", "Policy", "RefusedError", "casts",
    "default_dtype", "device_types", "eligible", "output_dtype", "policies", "policy", "registered",
]  # fmt: skip


@cache
def _by_device(name: str) -> Mapping[str, Mapping[str, Policy]]:
    found: dict[str, dict[str, Policy]] = {}
    for module in pkgutil.iter_modules(__path__):
        lists: Mapping[Policy, str] = getattr(importlib.import_module(f"{__name__}.{module.name}"), name, {})
        if lists:
            found[module.name] = {f"aten.{op}": kind for kind, ops in lists.items() for op in ops.split()}
    return found


def device_types() -> tuple[str, ...]:
    """The types of device whose policies are known ("cpu", "cuda", …)."""
    return tuple(_by_device("POLICIES"))


def registered(device_type: str) -> Mapping[str, Policy]:
    """Policy by op ("aten.linear", "aten.norm.Scalar"), as torch registers it; empty if the device has no file."""
    return _by_device("POLICIES").get(device_type, {})


@cache
def policies(device_type: str) -> Mapping[str, Policy]:
    """As `registered`, and composites whose kernels on the device have a policy that their decomposition lacks."""
    return {**_by_device("COMPOSITES").get(device_type, {}), **registered(device_type)}


def policy(device_type: str, op: str) -> Policy | None:
    """What autocast on this type of device does to `op` (its overload named unless it is "default"), None: nothing."""
    return policies(device_type).get(op)


def default_dtype(device_type: str) -> str:
    """The dtype of `torch.autocast(device_type)` where the program gives none (ATen/autocast_mode.cpp)."""
    return "bfloat16" if device_type in ("cpu", "xla", "hpu") else "float16"
