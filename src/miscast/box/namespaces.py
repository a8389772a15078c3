"""The box of the kernel: a process with its own users, mounts, network and processes, which only it can harm.

Everything that the program does, in whatever language and through whatever child, stays inside: files go to a layer
(`mounts`), sockets reach a loopback of its own, signals reach its own processes. When the guard ends, the first process
of the namespace, the kernel ends all others, and the layer is gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ..running.process import linux
from .mounts import Root, covered_root, enter

_EVERYTHING = linux.NEWUSER | linux.NEWNS | linux.NEWPID | linux.NEWNET | linux.NEWIPC


class NoBoxError(Exception):
    """The system forbids what the box is made of; the message says which call."""


def boxed(
    guard: Callable[[Root], NoReturn],
    *,
    network: bool = False,
    files: bool = True,
    readable: tuple[str, ...] = (),
) -> int:
    """Run `guard` as the first process of a new box, and wait for it. Returns its exit status, as of waitpid.

    To be called in a process with one thread, which is spent for it. `network`: the outside one stays reachable.
    Without `files`, these are the real ones. Raises NoBoxError where the system forbids it.
    """
    cwd, above = os.getcwd(), os.getppid()
    try:
        _new_namespaces(
            _EVERYTHING
            & ~(linux.NEWNET if network else 0)
            & ~(0 if files else linux.NEWNS)
        )
        # new users make the kernel forget what was said before
        linux.die_with_parent(above)
        root = covered_root(_scratch(), readable) if files else Root("")
    except (OSError, AttributeError) as error:
        raise NoBoxError(str(error)) from error
    parent = os.getpid()
    first = os.fork()
    if first == 0:
        linux.die_with_parent(parent)
        if files:
            _enter(root, cwd)
        if not network:
            linux.loopback_up()
        guard(root)
    return os.waitpid(first, 0)[1]


def _enter(root: Root, cwd: str) -> None:
    """Switch to the view, and to a /proc of the program's own processes."""
    # where /proc is partly hidden, as in some containers, the old one goes on
    with suppress(OSError):
        proc = root.path + "/proc"
        linux.mount("proc", proc, "proc")
        linux.mount(proc + "/sys", proc + "/sys", flags=linux.BIND)
        linux.mount(
            "", proc + "/sys", flags=linux.BIND | linux.REMOUNT | linux.READ_ONLY
        )
    enter(root, cwd)


_MAP_ALL = 'read _ && printf "$1" >/proc/$0/uid_map && printf "$2" >/proc/$0/gid_map && echo done'


def _new_namespaces(flags: int) -> None:
    """Unshare with unchanged user ids: all of them for root, who needs to read other users' files; else one's own."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        _unshare_with_all_users(flags)
        return
    linux.unshare(flags)
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        _write(f"/proc/self/{file}", text)


def _unshare_with_all_users(flags: int) -> None:
    """Unshare with all users mapped from outside, as required; a shell does it, which starts sooner than a fork.

    A fork of a process that has torch takes 20 ms, a new small one 2.
    """
    maps = []
    for file in ("uid_map", "gid_map"):
        with open(f"/proc/self/{file}", encoding="ascii") as own:
            first, _, count = own.readline().split()
            maps.append(f"{first} {first} {count}")
    asks, asked = os.pipe()
    done, told = os.pipe()
    ends = [(os.POSIX_SPAWN_DUP2, asks, 0), (os.POSIX_SPAWN_DUP2, told, 1)]
    shell = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", _MAP_ALL, str(os.getpid()), *maps],
        {},
        file_actions=ends,
    )
    for end in (asks, told):
        os.close(end)
    try:
        linux.unshare(flags)
        os.write(asked, b"\n")
        if os.read(done, 8) != b"done\n":
            raise OSError("cannot write the user map")
    finally:
        os.close(asked)
        os.close(done)
        os.waitpid(shell, 0)


def _write(file: str, text: str) -> None:
    with open(file, "w", encoding="ascii") as stream:
        stream.write(text)


def _scratch() -> str:
    """Return a folder that surely is there; what it holds is not touched."""
    return "/tmp" if os.path.isdir("/tmp") else "/var/tmp"  # noqa: S108 - only a place to mount on
