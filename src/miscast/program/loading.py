"""Loads torch and the virtual machine into a process that was made for checks."""

from __future__ import annotations

import gc
import importlib

from .run import hushed, without_torch


def loaded() -> None:
    """Load both without looking for garbage, and let no later search look at what came: a fifth of a check's time.

    From then on torch knows of no GPU of the real machine. Not for a process with a program's objects in it: the
    garbage collector would forget them too. Raises CannotRunError where torch cannot be imported.
    """
    hushed()
    before = gc.isenabled()
    gc.disable()
    try:
        importlib.import_module("..vm.machine", __package__)
        importlib.import_module(".gpus", __package__).hide()
    except ImportError as error:
        raise without_torch(error) from error
    finally:
        gc.freeze()
        if before:
            gc.enable()
