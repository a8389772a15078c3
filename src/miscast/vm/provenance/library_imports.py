"""Ops and memory of a library's import are not the program's: a process in which it is imported already has neither."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import Any

from .origin import USER, kind_of_file

# private to Python (3.3 to 3.14), which has nothing public that tells of an import at work
AT_WORK: dict[str, Any] = getattr(
    getattr(importlib, "_bootstrap", None), "_module_locks", {}
)
"""The modules that are being imported, the innermost last; nearly always empty."""


def imports_library() -> bool:
    """Check whether this thread executes the lines of a module that it imports and that is not the user's."""
    for name, lock in reversed(list(AT_WORK.items())):
        if getattr(lock(), "owner", None) == threading.get_ident():
            spec = getattr(sys.modules.get(name), "__spec__", None)
            file = getattr(spec, "origin", None)
            return isinstance(file, str) and kind_of_file(file) != USER
    return False
