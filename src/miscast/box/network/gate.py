"""Decides what of the program's network leaves, and tells the rest; the libraries' files make its answers theirs."""

from __future__ import annotations

import base64
import errno
import os
import shutil
import socket
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from enum import Enum
from functools import partial, wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .answer import Answer, accepted, read
from .headers import Headers
from .own import Own
from .reading import BY_LIBRARY, asks, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .network import Network

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_KERNEL = {
    getattr(socket, name) for name in ("AF_NETLINK", "AF_ALG") if hasattr(socket, name)
}
_NAMES = {
    "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "broadcasthost", "",
}  # fmt: skip


class Verdict(Enum):
    """The decision on a request that is not answered here."""

    OWN = "goes to the program's own server"
    OPEN = "is allowed"
    REFUSED = "is refused"


class Gate:
    """The gate of one check's network access. Outside of the check, and while a hub is read, it is open."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.active = False
        self.own = Own(socket.socket.connect)
        self._here = threading.local()
        self._others: set[int | None] = set()
        self._redirected: set[str] = set()
        self._later = ExitStack()
        self._folder = ""
        self.headers = Headers(self.folder)
        # repositories of a hub that the program believes in
        self.created: set[str] = set()

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Guard within the block; at its end, run the calls that were registered for it."""
        self.own.start()
        self._others = {thread.ident for thread in threading.enumerate()} - {
            threading.get_ident()
        }
        self.active = True
        try:
            yield
        finally:
            self.active = False
            self._later.close()

    def later(self, call: Callable[[], Any]) -> None:
        """Register a call for the end; they run in reverse order."""
        self._later.callback(call)

    def folder(self) -> str:
        """Return a folder for files that are not the program's; it is removed at the end."""
        if not self._folder:
            above = tempfile.mkdtemp(prefix="miscast-")
            self.later(partial(shutil.rmtree, above, ignore_errors=True))
            self._folder = os.path.join(above, "store")
        return self._folder

    @property
    def shut(self) -> bool:
        """True if calls of this thread are checked."""
        return self.active and not getattr(self._here, "open", 0)

    def instead(self, original: Any, other: Callable[..., Any]) -> Any:
        """Return the other, while the gate is shut; it looks like the original."""

        @wraps(original)
        def call(*given: Any, **named: Any) -> Any:
            return (other if self.shut else original)(*given, **named)

        return call

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep the gate open for this thread within the block."""
        self._here.open = getattr(self._here, "open", 0) + 1
        try:
            yield
        finally:
            self._here.open -= 1

    def tell(self, what: str, action: str) -> None:
        """Report something that would have left."""
        self.network.tell("network", what, action)

    def outside(self, family: int, kind: int, address: Any) -> str | None:
        """Check whether a socket must not reach an address, and then that as text."""
        if not self.shut or family in _KERNEL:
            return None
        if family == getattr(socket, "AF_UNIX", None):
            if self.own.has(kind, address):
                return None
            return os.fsdecode(address).replace("\0", "@")
        if family not in {socket.AF_INET, socket.AF_INET6} or not isinstance(
            address, tuple
        ):
            return f"{family}:{address}"
        return None if self._own_server(kind, *address[:2]) else place(*address[:2])

    def connected(self, sock: socket.socket) -> str | None:
        """Check whether a connection was made before the check to somebody who must not hear of it, and then to whom.

        Threads that ran before go on with theirs: a server that calls Miscast is to answer its clients.
        """
        if (
            not self.shut
            or threading.get_ident() in self._others
            or not self.own.old(sock.fileno())
        ):
            return None
        try:
            peer = sock.getpeername()
        except OSError:
            return None
        if isinstance(peer, tuple):
            return place(*peer[:2])
        return os.fsdecode(peer).replace("\0", "@") or None

    def unknown(self, host: Any) -> bool:
        """Check whether a name would be looked up on another machine; the query alone reveals something."""
        name = _name(host)
        return self.shut and not (
            name in _NAMES or _is_number(name) or name == socket.gethostname().lower()
        )

    def asked(
        self, method: str, url: str, headers: Mapping[str, Any], body: Any = None
    ) -> Answer | Verdict:
        """Return the answer or verdict for a request, and report it unless it goes on."""
        if not self.shut:
            return Verdict.OPEN
        method = method.upper()
        to = urlsplit(url)
        host, port = to.hostname or "", to.port or _PORTS.get(to.scheme, 0)
        if self._own_server(socket.SOCK_STREAM, host, port):
            return Verdict.OWN
        library = reader(sys._getframe(1)) if self.network.mode == "hub" else None
        if library is not None and asks(library, method, url, self._redirected):
            return self._fetched(library, method, url, headers, body)
        self.tell(place(host, port), method)
        if method in {"GET", "HEAD", "OPTIONS", "CONNECT"}:
            return Verdict.REFUSED
        return accepted(headers)

    def went(self, location: str | None) -> None:
        """Record where a hub's answer redirects to."""
        if location and (host := urlsplit(location).netloc):
            self._redirected.add(host)

    def fetch(self, hub: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return what the one outside answers."""
        assert self.network.fetch is not None
        with self.opened():
            return self.network.fetch({"hub": hub, "arguments": arguments})

    def _fetched(
        self, library: str, method: str, url: str, headers: Mapping[str, Any], body: Any
    ) -> Answer | Verdict:
        """Return what the one outside reads for a library; without one it may go out itself."""
        if self.network.fetch is None:
            return Verdict.OPEN
        text = body if isinstance(body, bytes) else str(body or "").encode()
        kept = {
            name: str(value)
            for name, value in headers.items()
            if name.lower() in BY_LIBRARY[library].headers
        }
        sent = {
            "method": method,
            "url": url,
            "headers": kept,
            "body": base64.b64encode(text).decode(),
        }
        got = self.fetch("request", sent)
        return Verdict.REFUSED if "error" in got else read(got, method)

    def _own_server(self, kind: int, host: Any, port: Any) -> bool:
        name = _name(host)
        if name in _NAMES or name == socket.gethostname().lower():
            local = True
        elif name.startswith("127.") or name == "::1":
            local = _is_number(name)
        else:
            local = _is_number(name) and self.own.machine(name)
        kind &= ~(
            getattr(socket, "SOCK_NONBLOCK", 0) | getattr(socket, "SOCK_CLOEXEC", 0)
        )
        return local and self.own.has(kind, (name, int(port)))


def place(host: Any, port: Any) -> str:
    """Return an address as it is reported."""
    name = _name(host)
    if not port:
        return name
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def refused(where: str, kind: int) -> OSError:
    """Return the error of a machine without a network: connection refused, or for a datagram network unreachable."""
    code = errno.ECONNREFUSED if kind & 0xF == socket.SOCK_STREAM else errno.ENETUNREACH
    return OSError(code, os.strerror(code), where)


def _name(host: Any) -> str:
    text = (
        host.decode("ascii", "replace")
        if isinstance(host, (bytes, bytearray))
        else str(host or "")
    )
    return text.rstrip(".").lower()


def _is_number(name: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, name.partition("%")[0])
        except OSError:
            continue
        return True
    return False
