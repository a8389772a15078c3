"""Numbers of tensors, without waiting for a GPU: copied when they are made, read when the copy is there.

On a CPU there is nothing to wait for, and they are read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


class Reading:
    """A few scalars on their way to Python."""

    def __init__(self, tensors: Sequence[torch.Tensor], *, wait: bool) -> None:
        """Start copying the values; `wait` blocks until they have arrived."""
        device = next((t.device for t in tensors if t.device.type != "cpu"), None)
        self._event: Any = None
        if device is None:
            self._values = [float(one) for one in tensors]
            return
        stacked = torch.stack([one.detach().float().to(device) for one in tensors])
        if wait or device.type != "cuda":
            self._values = stacked.tolist()
            return
        self._host = torch.empty(len(tensors), pin_memory=True)
        self._host.copy_(stacked, non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record()

    def values(self) -> list[float] | None:
        """Return the numbers, or None while they are not there yet."""
        if self._event is None:
            return self._values
        return self._host.tolist() if self._event.query() else None
