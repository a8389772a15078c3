"""A box for a fork that already has torch: each trial of `fix` is one, and none sees what another wrote."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from ..vm.collectives.channel import Channel
from ..vm.outside import Outside
from .guard import Guard
from .start import FORCED


def prepared() -> None:
    """Load what boxes are made of, so that forks of this process find it."""
    from . import kernel, layer, mounts, namespaces, python  # noqa: F401
    from .network import shield

    shield.clients_by_module()


def within(
    program: Callable[[Outside], NoReturn], scratch: str
) -> tuple[int, list[list[str]]]:
    """Run `program` in a box, in a fork of this process, which is of no use afterwards; killed, it takes it along.

    `scratch` is where a box of Python makes its folder.

    Returns how it ended, as of waitpid, and what the layer holds: kinds of effects with their paths.
    """
    from . import layer
    from .namespaces import NoBoxError, boxed

    ours, theirs = socket.socketpair()

    def guard(root: Any) -> NoReturn:
        ours.close()
        Guard(theirs, partial(layer.effects, root)).run(lambda: _opened(root, program))

    redirect = sys.platform != "linux" or os.environ.get(FORCED) == "python"
    if not redirect:
        try:
            boxed(guard)
        except NoBoxError:
            redirect = True
    if redirect:
        _redirected(program, ours, theirs, scratch)
    theirs.close()
    try:
        said, _ = Channel(ours).receive()
    except (EOFError, OSError):
        return 1 << 8, []
    return int(said.get("ended", 1 << 8)), said.get("effects", [])


def _opened(root: Any, program: Callable[[Outside], NoReturn]) -> NoReturn:
    from .kernel import KernelBox

    root.let_go()
    program(KernelBox())


def _redirected(
    program: Callable[[Outside], NoReturn],
    ours: socket.socket,
    theirs: socket.socket,
    scratch: str,
) -> None:
    from .python import PythonBox

    folder = tempfile.mkdtemp(dir=scratch)
    pid = os.fork()
    if pid == 0:
        ours.close()
        clean = lambda: shutil.rmtree(folder, ignore_errors=True)  # noqa: E731
        Guard(theirs, tuple, clean).run(
            lambda: program(PythonBox(folder, confined=True))
        )
    os.waitpid(pid, 0)
