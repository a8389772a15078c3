"""Work done in a fork of this process, which changes nothing of the program: no variable, iterator, file or pipe.

The fork has all that the program has, at one moment. Its files, pipes and sockets lead nowhere; a path that it would
write to, remove or start ends the work. A GPU cannot be used in a fork, nor autograd where there is one.
"""

from __future__ import annotations

import builtins
import fcntl
import io
import os
import random
import resource
import select
import stat
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import msgspec

from ..core.failure import spelled
from ..running.workers.forks import killed
from .stretch import UnreadableError
from .trip import Rerun

_CHANGES = (
    "os.chmod os.chown os.kill os.killpg os.link os.mkdir os.mkfifo os.posix_spawn os.remove os.rename os.rmdir"
    " os.symlink os.system os.truncate os.utime shutil.rmtree socket.connect socket.sendto subprocess.Popen"
)
_SECONDS = 600.0
_OPEN = open


class _OutsideError(BaseException):
    """The lines would change something outside of their process. No `except Exception` stops it."""


def apart(work: Callable[[], Rerun], seconds: float = _SECONDS) -> Rerun:
    """Return what came of work that was done in a fork."""
    reading, writing = os.pipe()
    drawn = random.getstate()  # a fork gets another
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # it has threads, and none of them is used
        pid = os.fork()
    if pid == 0:
        _worked(work, writing, drawn)
    os.close(writing)
    try:
        data = _read(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        status = killed(pid)
    if data is None:
        return Rerun(failed=f"it took more than {seconds:.0f} s")
    try:
        return msgspec.msgpack.decode(data, type=Rerun)
    except msgspec.DecodeError:
        return Rerun(failed=f"the process that ran it ended with status {status}")


def _read(reading: int, end: float) -> bytes | None:
    """Return all that comes until the other end is closed; None if that takes too long."""
    data = b""
    while select.select([reading], [], [], max(end - time.monotonic(), 0))[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            return data
        data += part
    return None


def _worked(
    work: Callable[[], Rerun], writing: int, drawn: tuple[object, ...]
) -> NoReturn:
    """Do it in a thread of its own: the ones that OpenMP had for the thread that forked are gone."""
    found = [Rerun(failed="its thread did not start")]

    def run() -> None:
        try:
            found[0] = work()
        except BaseException as error:  # noqa: BLE001 - a fork must not go on as its parent
            found[0] = Rerun(failed=_why(error))

    try:
        _shut(but=writing)
        random.setstate(drawn)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        data = memoryview(msgspec.msgpack.encode(found[0]))
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _why(error: BaseException) -> str:
    known = isinstance(error, (_OutsideError, UnreadableError))
    return str(error) if known else f"it failed with {spelled(error)}"


def _shut(but: int) -> None:
    """Block all output of this process except through one descriptor."""
    null = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the folder's own is closed by now
            if int(name) not in (null, but):
                _lead_nowhere(int(name), null)
    sys.dont_write_bytecode = True
    # whatever writes to a file by another way
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    builtins.open = io.open = _opened
    sys.addaudithook(_held_in)


def _opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """Open a file; one to write to is the null device."""
    return _OPEN(
        file if mode.strip("bt") == "r" else os.devnull,
        mode.replace("x", "w"),
        *args,
        **kwargs,
    )


def _lead_nowhere(descriptor: int, null: int) -> None:
    """Have a file that is only read begin where it is, without moving its parent's; all else is the null device."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        return
    other = null
    access = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    if stat.S_ISREG(mode) and access == os.O_RDONLY:
        other = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
        os.lseek(other, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
    os.dup2(other, descriptor)
    if other != null:
        os.close(other)


def _held_in(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)  # fmt: skip
        if not writes or path == os.devnull or isinstance(path, int):
            return
    elif event not in _CHANGES.split():
        return
    about = next((f" {one}" for one in arguments if isinstance(one, str)), "")
    raise _OutsideError(
        f"its code does something that must not be repeated: {event}{about}"
    )
