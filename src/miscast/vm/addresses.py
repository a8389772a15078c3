"""Addresses of tensors without data: what native code is given by `data_ptr()`.

On the CPU there is memory behind them, of zeros, of which none is taken before somebody touches it: a library that is
called by `ctypes` reads and writes there. On a device nothing can be read, and an address only tells memories apart.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Any

import torch

from .files.mapped import NORESERVE
from .provenance.record import NAME

_BEHIND = "_miscast_memory"
# its own, which is patched while a program runs
_pointer: Any = torch.UntypedStorage.data_ptr


def address(storage: torch.UntypedStorage) -> int:
    """Return the address of a storage without data; it stays the same for the storage's life."""
    record = getattr(storage, NAME, None)
    if (
        record is None
        or record.device is None
        or record.device.type != "cpu"
        or not storage.nbytes()
    ):
        return int(storage._cdata)
    behind = getattr(storage, _BEHIND, None)
    if behind is None:
        behind = _memory(storage.nbytes()) if record.twin is None else record.twin
        setattr(storage, _BEHIND, behind)
    if isinstance(behind, torch.UntypedStorage):
        return int(_pointer(behind))
    return ctypes.addressof(ctypes.c_char.from_buffer(behind))


def _memory(size: int) -> Any:
    if sys.platform == "win32":
        return bytearray(size)
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
