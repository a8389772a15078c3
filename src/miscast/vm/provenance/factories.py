"""torch's own factories, by which the machine makes tensors of its own, whatever a program puts in their place.

DeepSpeed's `zero.Init` replaces `torch.empty` and its like by functions that choose a device and a dtype.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import arange, empty, empty_strided, full, ones, tensor, zeros

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["arange", "empty", "empty_strided", "full", "ones", "put_back", "tensor", "zeros"]  # fmt: skip


@contextmanager
def put_back() -> Iterator[None]:
    """Restore torch's own `torch.empty` within the block, for kernels of torch that are written in Python."""
    theirs = torch.empty
    if getattr(theirs, "__wrapped__", theirs) is empty:
        yield
        return
    torch.empty = empty
    try:
        yield
    finally:
        torch.empty = theirs
