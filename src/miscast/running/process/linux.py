"""The system calls of Linux that Python has no names for, and what they need: namespaces, mounts, a living loopback."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

NEWNS: Final = 0x0002_0000
NEWIPC: Final = 0x0800_0000
NEWUSER: Final = 0x1000_0000
NEWPID: Final = 0x2000_0000
NEWNET: Final = 0x4000_0000

READ_ONLY: Final = 1
REMOUNT: Final = 32
BIND: Final = 4096
MOVE: Final = 8192
RECURSIVE: Final = 16384
PRIVATE: Final = 1 << 18

_PARENT_DIES = 1  # PR_SET_PDEATHSIG of prctl
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_LOOPBACK = struct.Struct("16sh")
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *args: Any) -> None:
    function: Callable[..., int] = getattr(_libc(), name)
    if function(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave the namespaces of these kinds for new ones; NEWPID holds for children. Raises OSError."""
    _call("unshare", ctypes.c_int(flags))


def mount(
    source: str, target: str, kind: str = "", flags: int = 0, options: str = ""
) -> None:
    """Bring a file system into the tree, as the system call does. Raises OSError."""
    where = source.encode(), os.fsencode(target)
    _call("mount", *where, kind.encode(), ctypes.c_ulong(flags), options.encode())


def die_with_parent(parent: int) -> None:
    """Kill this process when `parent`, its parent, dies for any reason, if the system supports it."""
    with suppress(OSError, AttributeError):
        _call("prctl", _PARENT_DIES, ctypes.c_ulong(signal.SIGKILL))
    # it died before that; 0 is a parent outside of the namespace
    if os.getppid() not in (parent, 0):
        os._exit(1)


def adopt_orphans() -> None:
    """Make descendants whose parent dies children of this process."""
    _call("prctl", _SUBREAPER, ctypes.c_ulong(1))


def loopback_up() -> None:
    """Switch on the only network interface that a new namespace has."""
    import fcntl  # here: ranks take `die_with_parent` from this file, also where there is none

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        _, flags = _LOOPBACK.unpack(
            fcntl.ioctl(any_socket, _GET_FLAGS, _LOOPBACK.pack(b"lo", 0))
        )
        fcntl.ioctl(any_socket, _SET_FLAGS, _LOOPBACK.pack(b"lo", flags | _UP))
