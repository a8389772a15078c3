"""The kernel's box seen from inside: the few calls that an overlay answers otherwise than a disk does."""

from __future__ import annotations

import _io
import builtins
import errno
import io
import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from ..core.event import Effect
from ..running.process.everywhere import Names
from ..running.process.patching import Patch
from .network import Fetch, Mode, Network, closed

if TYPE_CHECKING:
    from ..vm.judging.recorder import Recorder


class KernelBox:
    """Files and processes are the kernel's matter, and the guard tells of them; what is sent is told here."""

    def __init__(
        self, *, files: bool = True, network: Mode = "hub", fetch: Fetch | None = None
    ) -> None:
        """Start with `fetch`, which asks a process outside for what a model hub's library reads."""
        self.files = files
        self._network, self._fetch = network, fetch

    @contextmanager
    def entered(self, recorder: Recorder) -> Iterator[Names]:
        """Patch the renaming of folders, named pipes, and the network within the block."""
        network = Network(tell=recorder.effect, mode=self._network, fetch=self._fetch)
        files = _patches(recorder) if self.files else ()
        with closed(network, recorder.failures, [*files, *_signals(recorder)]) as names:
            yield names

    def sealed(self) -> AbstractContextManager[None]:
        """Return a context that does nothing, since nothing gets past the kernel."""
        return nullcontext()

    def effects(self) -> tuple[Effect, ...]:
        """Return no effects, as this process knows of none."""
        return ()


def _patches(recorder: Recorder) -> Iterator[Patch]:
    for name in ("rename", "replace"):
        yield Patch(os, name, _moving(getattr(os, name)))
    opened = _opening(io.open, recorder)
    for module in (io, _io, builtins):
        yield Patch(module, "open", opened)
    yield Patch(os, "open", _opening(os.open, recorder))


def _signals(recorder: Recorder) -> Iterator[Patch]:
    """Patch `os.kill` and `os.killpg`, since process groups reach across namespaces: a terminal shares one."""

    def sending(original: Callable[[int, int], None]) -> Callable[[int, int], None]:
        def send(to: int, number: int) -> None:
            # its group was made outside, and has no number in here
            if to == 0 and number and os.getpgrp() == 0:
                recorder.effect(
                    "signal", f"{signal.Signals(number).name} to process group 0"
                )
            else:
                original(to, number)

        return send

    for name in ("kill", "killpg"):
        yield Patch(os, name, sending(getattr(os, name)))


def _moving(original: Callable[..., None]) -> Callable[..., None]:
    def move(src: Any, dst: Any, **options: Any) -> None:
        """Rename as on a disk: overlayfs refuses to rename a folder of the lower side (EXDEV), and `mv` then copies."""
        try:
            original(src, dst, **options)
        except OSError as error:
            if (
                error.errno != errno.EXDEV
                or options
                or not os.path.isdir(src)
                or os.stat(src).st_dev != _device(dst)
            ):
                raise
            if os.path.isdir(dst):
                os.rmdir(dst)  # as rename(2): only an empty one gives way
            shutil.copytree(src, dst, symlinks=True)
            shutil.rmtree(src)

    return move


def _device(path: Any) -> int:
    return os.stat(os.path.dirname(os.path.abspath(os.fspath(path)))).st_dev


def _opening(original: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    def opened(file: Any, mode: Any = "r", *args: Any, **options: Any) -> Any:
        """Open a file; writes to a named pipe of the disk are discarded, as it has no reader in the sandbox."""
        writes = (
            mode & (os.O_WRONLY | os.O_RDWR)
            if isinstance(mode, int)
            else set("wa+") & set(mode)
        )
        if writes and not isinstance(file, int) and _is_pipe(file):
            recorder.effect("written", os.path.realpath(os.fsdecode(file)))
            file = os.devnull
        return original(file, mode, *args, **options)

    return opened


def _is_pipe(file: Any) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except (OSError, TypeError, ValueError):
        return False
