"""Tells the servers that the checked program opened itself from those that were there, or live elsewhere."""

from __future__ import annotations

import os
import re
import socket
from contextlib import suppress
from typing import Any

_TABLES = {socket.SOCK_STREAM: ("tcp", "tcp6"), socket.SOCK_DGRAM: ("udp", "udp6")}
# TCP_LISTEN, and of UDP the only state that an unconnected socket has
_WAITING = {"0A", "07"}
_START = 19  # starttime in /proc/PID/stat, counted behind the name
_PARENT = 1


class Own:
    """The addresses that this process has bound since `start`, and what its children, as far as /proc tells, have."""

    def __init__(self, connect: Any) -> None:
        """Start with `connect`, the original method of Python's sockets."""
        self._bound: set[tuple[int, int | str | bytes]] = set()
        self._connect = connect
        self._before: frozenset[str] = frozenset()
        self._since = 0
        self._root = os.getpid()

    def start(self) -> None:
        """Count what is opened from now on as the program's."""
        self._root = os.getpid()
        self._before = frozenset(_inodes("self"))
        self._since = _now()

    def bound(self, sock: socket.socket, given: Any) -> None:
        """Record the address of a socket of this process, as given and as the system reports it."""
        if isinstance(given, (str, bytes)):
            self._bound.add((sock.type, given))
        name = sock.getsockname()
        if isinstance(name, tuple) and len(name) >= 2:
            self._bound.add((sock.type, name[1]))
        elif isinstance(name, (str, bytes)):
            self._bound.add((sock.type, name))

    def has(self, kind: int, address: Any) -> bool:
        """Check whether a socket of the program waits at a port of this machine, or at a path."""
        key: int | str | bytes = (
            address[1] if isinstance(address, tuple) else os.fspath(address)
        )
        if (kind, key) in self._bound:
            return True
        waiting = _at_port(kind, key) if isinstance(key, int) else _at_path(key)
        return bool(waiting) and any(waiting & inodes for inodes in self._held())

    def _held(self) -> list[set[str]]:
        """Return the sockets that the first process has opened since, and all of the children that it started since."""
        root = str(self._root)  # asked in one of the children, this is not "self"
        return [
            _inodes(root) - self._before,
            *(_inodes(pid) for pid in _children(root, self._since)),
        ]

    def machine(self, host: str) -> bool:
        """Check whether an address is this machine's own, from which it then also sends. No data is sent."""
        if host in {"0.0.0.0", "::"}:  # noqa: S104 - as a destination, this machine
            return True
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            self._connect(probe, (host, 9))
            return bool(probe.getsockname()[0] == host)
        return False

    def old(self, descriptor: int) -> bool:
        """Check whether a descriptor of this process is a socket that was open at the start."""
        return bool(self._before) and str(os.fstat(descriptor).st_ino) in self._before


def _at_port(kind: int, port: int) -> set[str]:
    found = set()
    for table in _TABLES.get(socket.SocketKind(kind), ()):
        for line in _lines(f"/proc/self/net/{table}"):
            fields = line.split()
            if fields[3] in _WAITING and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found


def _at_path(path: str | bytes) -> set[str]:
    name = os.fsdecode(path)
    name = f"@{name[1:]}" if name.startswith("\0") else name
    rows = (line.rstrip("\n").split(None, 7) for line in _lines("/proc/self/net/unix"))
    return {row[6] for row in rows if len(row) == 8 and row[7] == name}


def _lines(path: str) -> list[str]:
    with (
        suppress(OSError),
        open(path, encoding="utf-8", errors="surrogateescape") as table,
    ):
        return table.readlines()[1:]
    return []


def _inodes(pid: str) -> set[str]:
    """Return the sockets that a process holds; none where there is no /proc."""
    found = set()
    with suppress(OSError):
        for entry in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                if match := re.fullmatch(
                    r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{entry}")
                ):
                    found.add(match[1])
    return found


def _stat(pid: str) -> list[str]:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()


def _now() -> int:
    """Return the present time, in the ticks in which /proc gives the start of a process."""
    with suppress(OSError), open("/proc/uptime", encoding="ascii") as uptime:
        return int(float(uptime.read().split()[0]) * os.sysconf("SC_CLK_TCK"))
    return 0


def _children(root: str, since: int) -> list[str]:
    """Return the processes that descend from one and began after a tick."""
    parents: dict[str, tuple[str, int]] = {}
    with suppress(OSError):
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                fields = _stat(pid)
                parents[pid] = fields[_PARENT], int(fields[_START])
    found = []
    for pid, (parent, began) in parents.items():
        above = parent
        while above not in {root, "0"} and above in parents:
            above = parents[above][0]
        if above == root and began >= since:
            found.append(pid)
    return found
