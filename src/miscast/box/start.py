"""Starts the processes of a box: the best kind that the system allows first.

kernel   namespaces of its own (`namespaces`): nothing gets out, whatever writes
python   Python's calls redirected (`redirect`), and Landlock behind them where the system has it
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ..core.failure import Failures
from ..running.workers.forks import flush_streams
from ..vm.collectives.channel import packed
from .guard import Guard
from .job import Job
from .view import View

if TYPE_CHECKING:
    from ..vm.outside import Outside
    from .mounts import Root
    from .network import Mode

Kind = Literal["kernel", "python"]
FORCED = "MISCAST_BOX"
"""Names the kind of box to take, for those who want to try the other one."""


def apart() -> bool:
    """Check whether the program can run in a fork of this process, and so in a box of its own.

    Not where torch is loaded (a fork has none of its threads), in a process with several threads, or without fork.
    """
    alone = (
        threading.active_count() == 1
        and threading.current_thread() is threading.main_thread()
    )
    return hasattr(os, "fork") and "torch" not in sys.modules and alone


def kinds(job: Job) -> Iterator[Kind]:
    """Yield what to try, in this order."""
    asked = os.environ.get(FORCED)
    if (
        sys.platform == "linux"
        and asked != "python"
        and (_owned(job) or asked == "kernel")
    ):
        yield "kernel"
    if asked != "kernel":
        yield "python"


def _owned(job: Job) -> bool:
    """Check whether an overlay can be written to where the program works.

    In a namespace of one user, a folder of another one cannot be copied to the layer (EOVERFLOW), though its mode may
    let everybody write; nor one above. Those at the top need no copy: an overlay begins there, or at a mount below.
    """
    script = "."
    if os.path.exists(job.target):
        script = os.path.dirname(os.path.abspath(job.target))
    places = {os.getcwd(), script, os.path.expanduser("~")}
    me = os.getuid()
    written = {
        os.path.realpath(place)
        for place in places
        if os.path.isdir(place) and os.access(place, os.W_OK)
    }
    return me == 0 or all(
        os.stat(folder).st_uid == me for place in written for folder in _copied(place)
    )


def _copied(folder: str) -> Iterator[str]:
    """Yield the folders that are copied to the layer with a file of this one: it, and its parents in the overlay."""
    yield folder
    while not os.path.ismount(folder) and not os.path.ismount(os.path.dirname(folder)):
        folder = os.path.dirname(folder)
        if os.path.dirname(folder) == os.sep:
            return
        yield folder


@dataclass(frozen=True, slots=True)
class Box:
    """The ends that this process holds: `guard` says how it ends, `program` what it shows."""

    guard: socket.socket
    program: socket.socket
    pid: int

    def end(self) -> None:
        """End all remaining processes, and clean up."""
        self.guard.close()  # the guard notices
        self.program.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def started(kind: Kind, job: Job, view: View, places: int) -> Box:
    """Return a process that runs the job in a box of this kind; it says "refused" where the system does not let it."""
    ours, guard = socket.socketpair()
    mine, program = socket.socketpair()
    scratch = tempfile.mkdtemp(prefix="miscast-") if kind == "python" else ""
    flush_streams()
    view.open()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            for end in (ours, mine):
                end.close()
            view.enter()
            _Starting(job, guard, program, places, parent, scratch).start(kind)
        finally:
            os._exit(0)
    for end in (guard, program):
        end.close()
    view.entered()
    return Box(ours, mine, pid)


@dataclass(frozen=True, slots=True)
class _Starting:
    """The new process's side."""

    job: Job
    guard: socket.socket
    program: socket.socket
    places: int
    parent: int
    scratch: str

    def start(self, kind: Kind) -> None:
        from .namespaces import NoBoxError

        failures = Failures()
        try:
            with failures.during("it created the sandbox", but=(NoBoxError,)):
                self._kernel() if kind == "kernel" else self._python()
        except NoBoxError as error:
            self.guard.sendall(packed({"refused": str(error)}))
        if failures.line is not None:
            self.guard.sendall(
                packed({"failed": failures.line, "traceback": failures.traceback})
            )

    def _kernel(self) -> None:
        from . import layer, namespaces

        kept = _opened(self.job.keep)
        caches = () if self.job.network != "hub" else tuple(_caches())

        def program(root: Root) -> NoReturn:
            from .kernel import KernelBox

            root.let_go()
            if kept is not None:
                os.close(kept)
            self._run(KernelBox)

        def guard(root: Root) -> NoReturn:
            def told() -> Any:
                if kept is not None:
                    layer.keep(root, kept)
                return layer.effects(root)

            Guard(self.guard, told).run(lambda: program(root))

        network = self.job.network == "open"
        readable = (*caches, *_libraries())
        namespaces.boxed(
            guard, network=network, files=self.job.writes == "box", readable=readable
        )

    def _python(self) -> None:
        from . import layer

        def program() -> NoReturn:
            from .python import PythonBox

            self._run(partial(PythonBox, self.scratch, confined=True))

        def clean() -> None:
            shutil.rmtree(self.scratch, ignore_errors=True)

        def told() -> tuple[()]:
            if self.job.keep is not None:
                layer.keep_folder(
                    os.path.join(self.scratch, "files"), "", self.job.keep
                )
            return ()

        Guard(self.guard, told, clean).run(program)

    def _run(self, kind: Callable[..., Outside]) -> NoReturn:
        """Run the job in a box of this kind, in the process that the guard forked for it."""
        from .program import run
        from .reader import Asking

        network = self.job.network
        fetch = Asking(self.program, self.places) if network == "hub" else None
        box = kind(files=self.job.writes == "box", network=network, fetch=fetch)
        run(self.job, self.program, self.places, box)


def _libraries() -> Iterator[str]:
    """Yield what no program writes into, and every one reads thousands of files of.

    An overlay would take 10 µs for each.
    """
    standard, installed = sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")
    # a virtual environment: packages are elsewhere
    if not installed.startswith(os.path.join(standard, "")):
        yield os.path.realpath(standard)
    spec = importlib.util.find_spec("torch")
    for folder in (spec and spec.submodule_search_locations) or ():
        # not a checkout
        if os.path.basename(os.path.dirname(folder)) in (
            "site-packages",
            "dist-packages",
        ):
            yield os.path.realpath(folder)


def _opened(folder: str | None) -> int | None:
    return None if folder is None else os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


@contextmanager
def caches_there(network: Mode) -> Iterator[None]:
    """Create the folders of model hubs, so that the view shows them; remove those still empty after the block."""
    made: list[str] = []
    if network == "hub" and importlib.util.find_spec("huggingface_hub") is not None:
        for folder in _caches():
            path, missing = folder, []
            while not os.path.isdir(path):
                missing.append(path)
                path = os.path.dirname(path)
            with suppress(OSError):
                os.makedirs(folder, exist_ok=True)
                made += missing
    try:
        yield
    finally:
        for path in made:
            with suppress(OSError):
                os.rmdir(path)


def _caches() -> Iterator[str]:
    """Yield the folders of model hubs, which are shown unchanged because the process outside fills them."""
    home = os.environ.get("HF_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
        "huggingface",
    )
    yield os.path.realpath(os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub"))
