"""The floating-point dtypes that a frame of the program's has to do with: what a branch may meet otherwise later."""

from __future__ import annotations

from types import FrameType
from typing import Any

import torch

_MOST = 64
"""Variables of a frame that are looked at."""


def dtypes_of(frame: FrameType) -> set[torch.dtype]:
    """Return the dtypes of its tensors, and of a parameter of each of its modules. No code of the program is run."""
    found = set[torch.dtype]()
    for value in list(frame.f_locals.values())[:_MOST]:
        tensor = _parameter(value) if isinstance(value, torch.nn.Module) else value
        if isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point:
            found.add(tensor.dtype)
    return found


def _parameter(module: torch.nn.Module) -> Any:
    """Return the first one that a module has, itself or further in."""
    parts: list[Any] = [module]
    for one in parts:  # which grows
        held = vars(one) if isinstance(one, torch.nn.Module) else {}
        own = [p for p in held.get("_parameters", {}).values() if p is not None]
        if own or len(parts) > _MOST:
            return own[0] if own else None
        parts += held.get("_modules", {}).values()
    return None
