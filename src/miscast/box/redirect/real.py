"""What Python has for files and processes, as it was before anything was redirected.

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

PLATFORM: Any = sys.modules["nt" if os.name == "nt" else "posix"]  # the module that `os` and the import system take from
NAMES = frozenset(name for name in vars(PLATFORM) if callable(getattr(PLATFORM, name, None)))

open_file = builtins.open
open_code = _io.open_code
FileIO = _io.FileIO
execute_child = vars(subprocess.Popen)["_execute_child"]

_functions: dict[str, Any] = {name: getattr(PLATFORM, name) for name in NAMES}
_python = ("spawnv", "spawnve", "spawnvp", "spawnvpe", "startfile")  # written in Python, in `os` itself
_functions.update({name: getattr(os, name) for name in _python if hasattr(os, name)})


def __getattr__(name: str) -> Any:
    """`real.lstat` and the like, as the platform has it."""
    try:
        return _functions[name]
    except KeyError:
        raise AttributeError(name) from None


lstat = _functions["lstat"]
stat = _functions["stat"]
readlink = _functions.get("readlink")
listdir = _functions["listdir"]
mkdir = _functions["mkdir"]
unlink = _functions["unlink"]
rmdir = _functions["rmdir"]
rename = _functions["rename"]
open = _functions["open"]  # noqa: A001 - it is os.open, by its name
close = _functions["close"]
read = _functions["read"]
write = _functions["write"]
fstat = _functions["fstat"]
utime = _functions["utime"]
chmod = _functions["chmod"]
access = _functions["access"]
getcwd = _functions["getcwd"]
chdir = _functions["chdir"]
symlink = _functions.get("symlink")
link = _functions.get("link")


def linked(path: str) -> bool:
    """Whether anything has this name, be it a link to nowhere."""
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True
