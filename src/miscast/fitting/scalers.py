"""Check whether a program scales its losses: the GradScaler that it calls, and whether it is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def scaled(told: Callable[[bool], None]) -> Iterator[None]:
    """Call `told` for each loss that a scaler is given, with whether the scaler is on, within the block."""
    original = torch.amp.GradScaler.scale

    def scale(self: Any, outputs: Any) -> Any:
        told(self.is_enabled())
        return original(self, outputs)

    torch.amp.GradScaler.scale = scale  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.amp.GradScaler.scale = original  # type: ignore[method-assign]
