"""Loads torch and the virtual machine into a process that was made for checks."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..launching.entry import CannotRunError
from .run import hushed, without_torch


@contextmanager
def unsearched() -> Iterator[None]:
    """Disable garbage collection within the block, and exclude what exists at its end from later collections.

    A search looks at all that was imported: it takes time, and a fork then copies the memory of it.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


def shared() -> None:
    """Load what several forks need: also what torch's meta kernels in Python import when they are called.

    As `loaded`, but that something cannot be imported is left for the first of them to tell.
    """
    with suppress(CannotRunError):
        loaded()
        with (
            unsearched(),
            suppress(Exception),
        ):  # whatever a user's module of some name raises
            importlib.import_module("torch.fx.experimental.symbolic_shapes")


def loaded() -> None:
    """Load both without looking for garbage, and let no later search look at what came: a fifth of a check's time.

    From then on torch knows of no GPU of the real machine. Not for a process with a program's objects in it: the
    garbage collector would forget them too. Raises CannotRunError where torch cannot be imported.
    """
    hushed()
    with unsearched():
        try:
            importlib.import_module("...vm.machine", __package__)
            importlib.import_module("...vm.dynamo", __package__).spare()
            importlib.import_module(".gpus", __package__).hide()
        except ImportError as error:
            raise without_torch(error) from error
