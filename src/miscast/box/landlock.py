"""Landlock: from here on the kernel refuses this process, and all that it starts, every write outside of some folders.

It stands behind the redirection of Python's calls (`redirect`), for what writes without Python: C++, Rust, children.
It cannot be taken back, so only a process that ends with the check is put under it. Not covered by it: times, modes and
owners of files.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

# linux/landlock.h; the numbers of the calls are the same on all processors.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38
_WRITE_FILE: Final = 1 << 1
# remove and make, of every kind
_CHANGES: Final = sum(1 << bit for bit in range(4, 13)) | _WRITE_FILE
_NAMES: Final = _WRITE_FILE | 1 << 5 | 1 << 8  # remove and make files
_REFER, _TRUNCATE = 1 << 13, 1 << 14  # since version 2, and 3


def confine(
    free: Iterable[str], writable: Iterable[str] = (), named: Iterable[str] = ()
) -> bool:
    """Let this process change what lies below `free`, write into files below `writable`, and change nothing else.

    Below `named` it may make and remove files as well: the C library keeps the locks of processes so.
    False where the system has no Landlock.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = (
        libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)
        if hasattr(libc, "syscall")
        else -1
    )
    if version < 1:
        return False
    rights = (
        _CHANGES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    )
    handled = struct.pack("=Q", rights)
    rules = libc.syscall(_CREATE, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    try:
        wanted = ((free, rights), (writable, _WRITE_FILE), (named, _NAMES))
        for folder, allowed in [
            (one, allowed) for folders, allowed in wanted for one in folders
        ]:
            opened = os.open(folder, os.O_PATH)
            rule = struct.pack("=Qi", allowed, opened)
            refused = libc.syscall(_ADD, rules, _PATH_BENEATH, rule, 0)
            os.close(opened)
            if refused:
                return False
        libc.prctl(
            _NO_NEW_PRIVILEGES,
            ctypes.c_ulong(1),
            ctypes.c_ulong(0),
            ctypes.c_ulong(0),
            ctypes.c_ulong(0),
        )
        return bool(libc.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)
