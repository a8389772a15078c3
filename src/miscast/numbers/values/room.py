"""Limit the memory of shadows on each kind of device. Those that do not fit are dropped, and counted.

room = Room(bytes=2 << 30)
lease = room.lease(tensor, torch.float64)     None where it would be too much; its end gives the bytes back
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_SHARE = 2
"""One half of what is free when it begins, unless somebody says how much."""
_FREE = "/proc/meminfo"


class Room:
    """`held` bytes now and the `most` ever, by kind of device; `refused` tensors had no room."""

    def __init__(self, limit: int = 0) -> None:
        """Set the limit in bytes for each kind of device; 0 is half of what is free."""
        self.held: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.refused = 0
        self._limit = limit
        self._limits: dict[str, int] = {}

    def lease(self, tensor: torch.Tensor, beside: torch.dtype) -> Lease | None:
        """Reserve memory for a shadow of all of a tensor's memory in another dtype; None if it does not fit."""
        device = tensor.device.type
        count = tensor.untyped_storage().nbytes() // tensor.element_size()
        size = count * beside.itemsize
        if self.held[device] + size > self.limit(device):
            self.refused += 1
            return None
        self.held[device] += size
        self.most[device] = max(self.most[device], self.held[device])
        return Lease(self, device, size)

    def notes(self) -> tuple[str, ...]:
        """Return a note on the tensors that had no room."""
        if not self.refused:
            return ()
        limits = ", ".join(
            f"{spelled(size)} on {device}" for device, size in self._limits.items()
        )
        told = (
            f"the shadow's memory ({limits}) was full: {self.refused:,} results are treated as exact "
            "(raise --memory, or narrow --modules)"
        )
        return (told,)

    def limit(self, device: str) -> int:
        """Return the limit of a device type in bytes."""
        if device not in self._limits:
            self._limits[device] = self._limit or free(device) // _SHARE
        return self._limits[device]


class Lease:
    """Bytes that are given back when nothing holds it any more."""

    __slots__ = ("_device", "_room", "_size")

    def __init__(self, room: Room, device: str, size: int) -> None:
        """Take a reservation of bytes that are already counted."""
        self._room, self._device, self._size = room, device, size

    def __del__(self) -> None:
        """Release the reserved bytes."""
        self._room.held[self._device] -= self._size


def free(device: str) -> int:
    """Return the bytes that are free on a kind of device now."""
    import torch

    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    try:
        with open(_FREE, encoding="ascii") as told:
            for line in told:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:  # not Linux
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def spelled(size: int) -> str:
    """Return a size in words, such as 1.5 GiB."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1 << 10:
            return f"{size} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1 << 10  # type: ignore[assignment]
    return f"{size:.3g} GiB"
