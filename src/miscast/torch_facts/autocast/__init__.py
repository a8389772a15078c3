"""The ops that autocast changes, per type of device. Data without torch; each file with `POLICIES` is one type.

    >>> policy("cuda", "aten.layer_norm"), policy("cpu", "aten.layer_norm")
    ('float32', None)

The lists are those of torch 2.6 to 2.15, with `SINCE` and `UNTIL` (excluded) where versions differ; a test holds them
against what the running torch registers. They differ by device: cuda's stand for no other. A type of device without a
file has no policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from ...core.plugins import load, name_of, table
from .policy import (
    ACTS_INSIDE,
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
    "ACTS_INSIDE", "APPENDS_DTYPE", "FORBIDDEN_TEXT", "NEWEST", "UNEXPECTED_TEXT", "Operand", "Policy", "RefusedError",
    "Version", "casts", "default_dtype", "device_types", "eligible", "output_dtype", "policies", "policy", "registered",
]  # fmt: skip


Version = tuple[int, int]
NEWEST: Version = (1000, 0)


@cache
def _by_device(name: str) -> Mapping[str, Mapping[Any, Any]]:
    return {name_of(file): getattr(file, name, {}) for file in _files()}


@cache
def _files() -> tuple[ModuleType, ...]:
    may = (table("KERNELS", str), table("SINCE", tuple), table("UNTIL", tuple))
    return load(__name__, needs=(table("POLICIES", str),), may=may, helpers=("accelerator", "policy"))


def _there(name: str, device_type: str, torch: Version) -> dict[str, Policy]:
    since = _by_device("SINCE").get(device_type, {})
    until = _by_device("UNTIL").get(device_type, {})
    return {
        op.replace("::", ".") if "::" in op else f"aten.{op}": kind
        for kind, ops in _by_device(name).get(device_type, {}).items()
        for op in ops.split()
        if since.get(op, (0, 0)) <= torch < until.get(op, (torch[0] + 1, 0))
    }


def device_types() -> tuple[str, ...]:
    """Return the types of device whose policies are known ("cpu", "cuda", …)."""
    return tuple(_by_device("POLICIES"))


@cache
def registered(device_type: str, torch: Version = NEWEST) -> Mapping[str, Policy]:
    """Return policy by op ("aten.linear", "aten.norm.Scalar"), as torch registers it; empty for unknown devices."""
    return _there("POLICIES", device_type, torch)


@cache
def policies(device_type: str, torch: Version = NEWEST) -> Mapping[str, Policy]:
    """Return `registered`, and the ops whose kernel on the device passes its operands to ops with this policy."""
    return {**_there("KERNELS", device_type, torch), **registered(device_type, torch)}


def policy(device_type: str, op: str, torch: Version = NEWEST) -> Policy | None:
    """Return what autocast on this type of device does to `op` (its overload named unless it is "default"), None.

    Nothing.
    """
    return policies(device_type, torch).get(op)


def default_dtype(device_type: str) -> str:
    """Return the dtype of `torch.autocast(device_type)` where the program gives none (ATen/autocast_mode.cpp)."""
    return "bfloat16" if device_type in ("cpu", "xla", "hpu") else "float16"
