"""Python's functions for files and processes, from before anything was redirected.

The layer itself works with these: it would call itself otherwise. Imported before a box is ever on. A name that the
platform lacks is absent here, too: ask with `getattr(real, name, None)`.
"""

from __future__ import annotations

import _io
import builtins
import os
import subprocess
import sys
from typing import Any

# where `os` and the import system take it from
PLATFORM: Any = sys.modules["nt" if os.name == "nt" else "posix"]
NAMES = frozenset(
    name for name in vars(PLATFORM) if callable(getattr(PLATFORM, name, None))
)

open_file = builtins.open
open_code = _io.open_code
FileIO = _io.FileIO
execute_child = vars(subprocess.Popen)["_execute_child"]

FUNCTIONS: dict[str, Any] = {name: getattr(PLATFORM, name) for name in NAMES}
# written in Python, in `os` itself
_python = ("spawnv", "spawnve", "spawnvp", "spawnvpe", "startfile")
FUNCTIONS.update({name: getattr(os, name) for name in _python if hasattr(os, name)})
globals().update(FUNCTIONS)
_lstat = FUNCTIONS["lstat"]


def __getattr__(name: str) -> Any:
    """Raise for what the platform lacks; type checkers take it for `real.lstat` and the like."""
    raise AttributeError(name)


def linked(path: str) -> bool:
    """Check whether anything has this name, be it a link to nowhere."""
    try:
        _lstat(path)
    except (OSError, ValueError):
        return False
    return True
