"""Loads torch and the virtual machine into a process that was made for checks."""

from __future__ import annotations

import gc
import importlib
from contextlib import suppress


def loaded() -> None:
    """Load both without looking for garbage, and let no later search look at what came: a fifth of a check's time.

    Where torch cannot be imported, nothing is loaded; the first run says so. Not for a process with a program's
    objects in it: the garbage collector would forget them too.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        with suppress(ImportError):
            importlib.import_module(".vm", __package__)
    finally:
        gc.freeze()
        if before:
            gc.enable()
