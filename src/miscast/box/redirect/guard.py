"""The last line: a write by path that would reach the disk past the redirection is refused, and told.

Whatever writes through Python's C API raises an audit event first (PEP 578). A hook cannot be taken out again: there is
one per process, and it does nothing while no layer is on. It does not see what other C, C++ or Rust code opens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import real

if TYPE_CHECKING:
    from .layer import Layer

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_FREE = (
    "/dev/null", "/dev/tty", "/dev/ptmx", "/dev/pts/", "/proc/self/fd/", "/dev/fd/",
)  # fmt: skip
# by event: which arguments are paths, and which the folders' fds that they count from
_PATHS = {
    "os.remove": ((0, 1),), "os.rename": ((0, 2), (1, 3)), "os.mkdir": ((0, 2),), "os.rmdir": ((0, 1),),
    "os.truncate": ((0, None),), "os.chmod": ((0, 2),), "os.chown": ((0, 3),), "os.link": ((1, 3),),
    "os.symlink": ((1, 2),), "os.utime": ((0, 3),), "os.setxattr": ((0, None),), "os.removexattr": ((0, None),),
    "sqlite3.connect": ((0, None),), "socket.bind": ((1, None),),
}  # fmt: skip
_SYMBOLS = frozenset(  # by ctypes, these would be called where nothing can look
    (  # noqa: SIM905 - words
        "open open64 openat creat fopen unlink unlinkat remove rename renameat rmdir mkdir truncate system popen kill"
    ).split()
)
_COMMANDS = frozenset({
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile",
})  # fmt: skip


class _Watch:
    """The layer that is on, and whether the hook was installed."""

    layer: Layer | None = None
    installed = False


_watch = _Watch()


@contextmanager
def guarded(layer: Layer) -> Iterator[None]:
    """Refuse within the block what would get past the layer.

    Raises, at the place of the write:
        PermissionError: one line that says what, and why.
    """
    import sys  # here: at the process's end the hook outlives this module's names

    if not _watch.installed:
        sys.addaudithook(_hook(_watch))
        _watch.installed = True
    before, _watch.layer = _watch.layer, layer
    try:
        yield
    finally:
        _watch.layer = before


def _hook(watch: _Watch) -> Callable[[str, tuple[Any, ...]], None]:
    commands, symbols, judge = _COMMANDS, _SYMBOLS, _judge
    watched = frozenset({*_PATHS, "open", "ctypes.dlsym", *commands})

    def hook(event: str, args: tuple[Any, ...]) -> None:
        # first of all: every `id()` is an event, and a check makes 100,000 of them
        if event not in watched:
            return
        layer = watch.layer
        if layer is None or layer.mine.depth:
            return
        if event == "ctypes.dlsym":
            if args[1] in symbols:
                layer.note("written", f"{args[1]}() of a C library", "refused")
                raise PermissionError(
                    f"Miscast: blocked {args[1]}() called with ctypes (its writes cannot be sandboxed)"
                )
        elif event not in commands:
            judge(layer, event, args)
        else:
            what = f"{event}: {args[0]}"
            layer.note("started", str(args[0]), "refused")
            raise PermissionError(
                f"Miscast: blocked {what} (programs cannot be started outside the sandbox)"
            )

    return hook


def _judge(layer: Layer, event: str, args: tuple[Any, ...]) -> None:
    for path, dir_fd in _paths(event, args):
        if not _harmless(layer, path, dir_fd):
            layer.note("written", _plain(path), "refused")
            raise PermissionError(
                f"Miscast: blocked {event} of {_plain(path)!r} (it would change the disk)"
            )


def _paths(event: str, args: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield what an event would change: each path, and the fd of the folder that it counts from."""
    if event == "open":
        path, _, flags = args
        if not isinstance(path, int) and (flags or 0) & _WRITES:
            yield path, None
        return
    if event == "socket.bind" and (
        not isinstance(args[1], (str, bytes)) or args[1][:1] in ("", "\0", b"", b"\0")
    ):
        return  # a port, or a name that no file has
    for at, fd in _PATHS[event]:
        yield args[at], None if fd is None else args[fd]


def _plain(path: Any) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        return str(path)


def _harmless(layer: Layer, path: Any, dir_fd: Any) -> bool:
    """Check whether a path is the layer's own, or leads nowhere."""
    if isinstance(path, int):
        try:
            path, dir_fd = real.readlink(f"/proc/self/fd/{path}"), None
        except OSError:
            return True
        if not os.path.isabs(path):
            return True
    text = _plain(path)
    if text in {"", ":memory:"} or text.startswith(_FREE):
        return True
    if not os.path.isabs(text):
        base = layer.of_fd(dir_fd) if isinstance(dir_fd, int) and dir_fd >= 0 else None
        text = os.path.join(real.getcwd() if base is None else base, text)
    return os.path.normpath(text).startswith(layer.folder + os.sep)
