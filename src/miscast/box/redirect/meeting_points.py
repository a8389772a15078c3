"""Redirect sockets with a path, at which a program's processes meet. The kernel, which binds them, knows no layer."""

from __future__ import annotations

import functools
import multiprocessing.connection
import os
import socket
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .changing import make_special

if TYPE_CHECKING:
    from .layer import Layer


def patches(layer: Layer) -> Iterator[Patch]:
    """Patch sockets that are bound to a path, and `multiprocessing.connection.arbitrary_address`.

    The latter is an address without a file on Linux, else one beside the layer.

    A data loader's workers hand over tensors through it: with a path in a folder that is only the layer's, they wait
    for ever.
    """
    # not in the stubs of the types
    original = vars(multiprocessing.connection)["arbitrary_address"]

    def arbitrary_address(family: str) -> str:
        if not layer.on or family != "AF_UNIX":
            return str(original(family))
        name = f"miscast-{os.getpid()}-{uuid.uuid4().hex[:12]}"
        return (
            f"\0{name}" if sys.platform == "linux" else os.path.join(layer.folder, name)
        )

    yield Patch(multiprocessing.connection, "arbitrary_address", arbitrary_address)
    if hasattr(socket, "AF_UNIX"):
        yield Patch(socket.socket, "bind", _bind(layer, socket.socket.bind))
        for name in ("connect", "connect_ex"):
            yield Patch(
                socket.socket, name, _connect(layer, getattr(socket.socket, name))
            )


def _bind(layer: Layer, original: Any) -> Callable[..., None]:
    @functools.wraps(original)
    def bind(self: socket.socket, address: Any, /) -> None:
        if not _is_path(layer, self, address):
            original(self, address)
            return

        def make(upper: str) -> None:
            with _short(upper) as short:
                original(self, short)

        make_special(layer, address, make)

    return bind


def _connect(layer: Layer, original: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def connect(self: socket.socket, address: Any, /) -> Any:
        if not _is_path(layer, self, address):
            return original(self, address)
        with _short(os.fsdecode(layer.reading(address))) as short:
            return original(self, short)

    return connect


def _is_path(layer: Layer, one: socket.socket, address: Any) -> bool:
    """Check whether an address is that of a file: no number, and not one of Linux's that begin with a null byte."""
    given = (
        isinstance(address, (str, bytes))
        and len(address) > 0
        and address[:1] not in ("\0", b"\0")
    )
    return layer.on and one.family == socket.AF_UNIX and given


@contextmanager
def _short(path: str) -> Iterator[str]:
    """Yield a name of the same file that fits into the kernel's 107 bytes, for the block."""
    if sys.platform != "linux" or len(os.fsencode(path)) < 108:
        yield path
        return
    folder = real.open(os.path.dirname(path), os.O_PATH)
    try:
        yield f"/proc/self/fd/{folder}/{os.path.basename(path)}"
    finally:
        real.close(folder)
