"""Child processes: a command that only looks runs; any other is not started, and seems to end well and silent.

A child is out of the redirection's reach. In the place of one that is not started runs `true`, so that pipes, `wait`,
`communicate` and asyncio's watchers work on a real process. What is not there is not found, as ever.
`multiprocessing` starts its own children another way; these are left alone.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .changing import fail
from .reading_commands import only_reads
from .spoken import of_os

if TYPE_CHECKING:
    from .layer import Layer

_TRUE = next((path for path in ("/bin/true", "/usr/bin/true") if real.linked(path)), "")
_NOTHING = [_TRUE] if _TRUE else [sys.executable, "-c", ""]
_SHELLS = ("/bin/sh", "/bin/bash", "/usr/bin/sh", "/usr/bin/bash")


def patches(layer: Layer) -> Iterator[Patch]:
    """Patch `subprocess.Popen`'s only way to start a process, and the functions of `os` for it."""
    yield Patch(subprocess.Popen, "_execute_child", _execute(layer))
    yield from of_os({n: partial(make, layer) for n, make in _STARTERS.items()})


def _fork(layer: Layer, original: Any) -> Callable[[], Any]:
    """Wrap fork: another process may write to the layer afterwards; no thread works in it during the fork."""

    def fork() -> Any:
        if not layer.on:
            return original()
        with layer.lock:
            layer.still = False
            layer.union.shared = True
            layer.union.forget()
            return original()

    return fork


def told(command: Any) -> str:
    """Return a command as one line."""
    if isinstance(command, (str, bytes, os.PathLike)):
        return os.fsdecode(command)
    words = (
        os.fsdecode(word) if isinstance(word, (str, bytes, os.PathLike)) else str(word)
        for word in command
    )
    return shlex.join(words)


def _looks(
    layer: Layer,
    command: Any,
    *,
    shell: bool = False,
    path: Any = None,
    executable: Any = None,
) -> bool:
    """Check whether a command is known to only look, and was found when the sandbox began."""
    if path is None:
        path = os.environ.get("PATH", os.defpath)
    if executable is not None and not (shell and executable in _SHELLS):
        return False
    if os.fsdecode(path) != layer.programs or not only_reads(command, shell=shell):
        return False
    if isinstance(command, (str, bytes, os.PathLike)):
        return True
    found = shutil.which(os.fsdecode(command[0]), path=layer.programs)
    return found is None or (os.path.isabs(found) and layer.reading(found) is found)


def _there(command: Any, path: Any = None) -> None:
    """Raise as the original does, where there is no such program."""
    if path is None:
        path = command if isinstance(command, (str, bytes, os.PathLike)) else command[0]
    word = os.fsdecode(path)
    if os.sep in word:
        if not os.path.exists(word):
            raise fail(errno.ENOENT, word)
        if not os.access(word, os.X_OK):
            raise fail(errno.EACCES, word)
    elif shutil.which(word) is None:
        raise fail(errno.ENOENT, word)


def _translated(layer: Layer, command: Any) -> Any:
    """Replace words that are paths of the layer by paths that the child can open."""
    if layer.still or isinstance(command, (str, bytes, os.PathLike)):
        return command
    return [command[0], *(_path(layer, word) for word in command[1:])]


def _path(layer: Layer, word: Any) -> Any:
    try:
        name = layer.name(word)
        at = layer.union.source(name)
    except (OSError, TypeError, ValueError):
        return word
    return word if at is None or at == name else at


def _execute(layer: Layer) -> Callable[..., Any]:
    original = real.execute_child
    # they differ by Python's version
    names = original.__code__.co_varnames[1 : original.__code__.co_argcount]

    def _execute_child(self: Any, *values: Any) -> Any:
        if not layer.on or values[0] is _NOTHING:
            return original(self, *values)
        given: dict[str, Any] = dict(zip(names, values, strict=True))
        command, shell = given["args"], bool(given["shell"])
        path = (
            None if given["env"] is None else given["env"].get("PATH", layer.programs)
        )
        if _looks(
            layer, command, shell=shell, path=path, executable=given["executable"]
        ):
            given["args"] = _translated(layer, command)
            given["env"] = {
                **(os.environ if given["env"] is None else given["env"]),
                "GIT_OPTIONAL_LOCKS": "0",
            }
            if given["cwd"] is not None:
                given["cwd"] = layer.reading(given["cwd"])
        else:
            if not shell:
                _there(command, given["executable"])
            layer.note("started", told(command))
            given.update(
                args=_NOTHING, executable=None, shell=False, cwd=None, preexec_fn=None
            )
            _drained(given.get("p2cread", -1))
        with layer.past_the_guard():
            return original(self, *given.values())

    return _execute_child


def _drained(fd: Any) -> None:
    """Read the child's input in its place until the program closes it: writing to `true` would break the pipe."""
    if not isinstance(fd, int) or fd < 0 or os.name == "nt":
        return
    own = os.dup(fd)

    def drain() -> None:
        try:
            while real.read(own, 1 << 16):
                pass
        finally:
            real.close(own)

    threading.Thread(target=drain, daemon=True).start()


def _system(layer: Layer, original: Any) -> Callable[[Any], int]:
    def system(command: Any) -> int:
        if not layer.on or _looks(layer, command, shell=True):  # noqa: S604 - the guard is there to judge it
            with layer.past_the_guard():
                return int(original(command))
        layer.note("started", told(command))
        return 0

    return system


def _exec(layer: Layer, original: Any) -> Callable[..., Any]:
    """Return a process that becomes another: a child of the box ends well, the box's own ends as by sys.exit(0)."""

    def execute(path: Any, args: Any, *env: Any) -> Any:
        if not layer.on:
            return original(path, args, *env)
        _there(args, path)
        words = [path, *list(args)[1:]]
        with layer.past_the_guard():
            if _looks(layer, words) and os.getpid() != layer.pid:
                return original(path, _translated(layer, list(args)), *env)
            layer.note("started", told(words))
            if os.getpid() == layer.pid:
                raise SystemExit(0)
            return real._exit(0)

    return execute


def _posix_spawn(layer: Layer, original: Any) -> Callable[..., int]:
    def spawn(path: Any, argv: Any, env: Mapping[Any, Any], **options: Any) -> int:
        if not layer.on:
            return int(original(path, argv, env, **options))
        if original is real.posix_spawn or os.sep in os.fsdecode(path):
            _there(argv, path)
        words = [path, *list(argv)[1:]]
        actions = options.get("file_actions") or ()
        with layer.past_the_guard():
            if _looks(layer, words) and not any(
                action[0] == os.POSIX_SPAWN_OPEN for action in actions
            ):
                return int(
                    original(path, _translated(layer, list(argv)), env, **options)
                )
            layer.note("started", told(words))
            return int(original(_NOTHING[0], _NOTHING, env))

    return spawn


def _spawn(layer: Layer, original: Any) -> Callable[..., int]:
    def spawn(mode: int, file: Any, args: Any, *env: Any) -> int:
        if not layer.on:
            return int(original(mode, file, args, *env))
        layer.note("started", told([file, *list(args)[1:]]))
        if mode == os.P_WAIT:
            return 0
        with layer.past_the_guard():
            child = subprocess.Popen(_NOTHING)  # noqa: S603 - it is `true`, and noted as such
        child.returncode = 0  # the program waits for it by pid
        return child.pid

    return spawn


def _startfile(layer: Layer, _: Any) -> Callable[..., None]:
    return lambda path, *_, **__: layer.note("started", os.fsdecode(path))


_STARTERS: dict[str, Callable[[Layer, Any], Callable[..., Any]]] = {
    "system": _system,
    **dict.fromkeys(("execv", "execve"), _exec),
    **dict.fromkeys(("posix_spawn", "posix_spawnp"), _posix_spawn),
    **dict.fromkeys(("spawnv", "spawnve", "spawnvp", "spawnvpe"), _spawn),
    **dict.fromkeys(("fork", "forkpty"), _fork),
    "startfile": _startfile,
}

__all__ = ["patches", "told"]
