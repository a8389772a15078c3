"""Descriptors that a program must not close: one that closes "all others", as daemons do, would cut off its own report.

For a process that ends with the check; nothing is put back.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection


def held(numbers: Collection[int]) -> None:
    """Patch `os.close` and `os.closerange` to treat these descriptors as if they were not open."""
    close, closerange = os.close, os.closerange

    def spare(fd: int) -> None:
        if fd in numbers:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        close(fd)

    def spare_range(fd_low: int, fd_high: int, /) -> None:
        for number in sorted(numbers):
            if fd_low <= number < fd_high:
                closerange(fd_low, number)
                fd_low = number + 1
        closerange(fd_low, fd_high)

    os.close, os.closerange = spare, spare_range
