"""Canonical names of dtypes <-> torch's objects."""

from __future__ import annotations

import torch


def torch_dtype(name: str | None) -> torch.dtype | None:
    """Return the object of a canonical name."""
    return getattr(torch, name) if name else None


def dtype_name(dtype: torch.dtype) -> str:
    """Return the canonical name of an object."""
    return str(dtype).removeprefix("torch.")
