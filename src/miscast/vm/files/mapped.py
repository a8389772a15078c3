"""Files of weights as memory: their pages are read where somebody looks, and a file may be larger than the memory."""

from __future__ import annotations

import mmap
import sys

from ..provenance.on_behalf import theirs

NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
"""Memory is promised for none of the pages. Linux's MAP_NORESERVE, which Python has no name for before 3.13."""


def mapped(file: int) -> mmap.mmap:
    """Return an open file; pages are copied where they are written to, and memory is promised for none."""
    if sys.platform == "win32":
        return theirs(mmap.mmap, file, 0, access=mmap.ACCESS_COPY)
    return theirs(
        mmap.mmap,
        file,
        0,
        flags=mmap.MAP_PRIVATE | NORESERVE,
        prot=mmap.PROT_READ | mmap.PROT_WRITE,
    )
