"""Sockets reach servers of the program's own; everybody else seems to be away, and names are not looked up."""

from __future__ import annotations

import _socket
import errno
import functools
import os
import socket
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..gate import place, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..gate import Gate

_LOOKUPS = {
    "getaddrinfo": 1, "gethostbyname": 0, "gethostbyname_ex": 0, "gethostbyaddr": 0,
}  # fmt: skip
_NO_NAME = "Name or service not known"


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the methods that name an address, and the functions that look one up."""
    kind = module.socket
    connect_ex = kind.connect_ex

    def asked(self: socket.socket, address: Any) -> OSError | None:
        where = gate.outside(self.family, self.type, address)
        if where is None:
            return None
        gate.tell(where, "connect" if self.type & 0xF == socket.SOCK_STREAM else "send")
        return refused(where, self.type)

    @functools.wraps(connect_ex)
    def connect_ex_(self: socket.socket, address: Any, /) -> Any:
        error = asked(self, address)
        return error.errno if error else connect_ex(self, address)

    def first(name: str) -> Any:
        return _guarded(getattr(kind, name), asked, _argument(0))

    yield Patch(kind, "connect", first("connect"))
    yield Patch(kind, "connect_ex", connect_ex_)
    yield Patch(kind, "sendto", _guarded(kind.sendto, asked, _argument(-1, least=2)))
    if hasattr(kind, "sendmsg"):
        yield Patch(
            kind, "sendmsg", _guarded(kind.sendmsg, asked, _argument(3, least=4))
        )
    yield Patch(kind, "bind", _bind(gate, kind.bind))
    for name in ("send", "sendall", "sendfile"):
        yield Patch(kind, name, _send(gate, getattr(kind, name)))
    # the second is what the first is made of: who takes it from there is met too
    for owner in (module, _socket):
        for name, where in _LOOKUPS.items():
            yield Patch(owner, name, _lookup(gate, getattr(owner, name), where))
        yield Patch(owner, "getnameinfo", _names(gate, owner.getnameinfo))


def _argument(at: int, least: int = 1) -> Callable[[tuple[Any, ...]], Any]:
    """Return where a method has the address; it has none with fewer arguments than `least`."""
    return lambda arguments: arguments[at] if len(arguments) >= least else None


def _guarded(original: Any, asked: Any, address: Any) -> Any:
    @functools.wraps(original)
    def call(self: socket.socket, /, *arguments: Any) -> Any:
        to = address(arguments)
        error = asked(self, to) if to is not None else None
        if error is not None:
            raise error
        return original(self, *arguments)

    return call


def ssl_patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch the methods that send encrypted data."""
    for name in ("send", "sendall", "write", "sendfile"):
        yield Patch(
            module.SSLSocket, name, _send(gate, getattr(module.SSLSocket, name))
        )


def _send(gate: Gate, original: Any) -> Any:
    """Wrap a send: a connection from before the check looks broken to the program."""

    @functools.wraps(original)
    def send(self: socket.socket, *arguments: Any, **named: Any) -> Any:
        where = gate.connected(self)
        if where is None:
            return original(self, *arguments, **named)
        gate.tell(where, "send")
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE), where)

    return send


def _bind(gate: Gate, original: Any) -> Any:
    @functools.wraps(original)
    def bind(self: socket.socket, address: Any, /) -> Any:
        done = original(self, address)
        if gate.active:
            gate.own.bound(self, address)
        return done

    return bind


def _lookup(gate: Gate, original: Any, port: int) -> Any:
    """Wrap a lookup: a name that needs another server is unknown; `port` is the port argument's index, 0 for none."""

    @functools.wraps(original)
    def lookup(*arguments: Any, **named: Any) -> Any:
        host = arguments[0] if arguments else named.get("host")
        if gate.unknown(host):
            to = (
                (arguments[1] if len(arguments) > 1 else named.get("port"))
                if port
                else None
            )
            gate.tell(place(host, to), "connect" if to else "look up")
            raise socket.gaierror(socket.EAI_NONAME, _NO_NAME)
        if (
            original.__name__ == "gethostbyaddr"
            and gate.shut
            and not gate.own.machine(str(host))
        ):
            gate.tell(place(host, None), "look up")
            raise socket.herror(1, "Unknown host")
        return original(*arguments, **named)

    return lookup


def _names(gate: Gate, original: Any) -> Any:
    @functools.wraps(original)
    def getnameinfo(address: Any, flags: int, /) -> Any:
        foreign = gate.shut and not gate.own.machine(str(address[0]))
        return original(address, flags | (socket.NI_NUMERICHOST if foreign else 0))

    return getnameinfo


def asyncio_patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch the lookup before the loop moves it to another thread, where the program's line is not visible."""
    original = module.BaseEventLoop.getaddrinfo

    @functools.wraps(original)
    async def getaddrinfo(self: Any, host: Any, port: Any, **named: Any) -> Any:
        if gate.unknown(host):
            gate.tell(place(host, port), "connect" if port else "look up")
            raise socket.gaierror(socket.EAI_NONAME, _NO_NAME)
        return await original(self, host, port, **named)

    yield Patch(module.BaseEventLoop, "getaddrinfo", getaddrinfo)


MODULES = {
    "socket": patches,
    "ssl": ssl_patches,
    "asyncio.base_events": asyncio_patches,
}
