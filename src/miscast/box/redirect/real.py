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

PLATFORM: Any = sys.modules["nt" if os.name == "nt" else "posix"]  # where `os` and the import system take it from
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


lstat: Any = _functions["lstat"]
stat: Any = _functions["stat"]
readlink: Any = _functions.get("readlink")
listdir: Any = _functions["listdir"]
mkdir: Any = _functions["mkdir"]
unlink: Any = _functions["unlink"]
rmdir: Any = _functions["rmdir"]
rename: Any = _functions["rename"]
open: Any = _functions["open"]  # noqa: A001 - it is os.open, by its name
close: Any = _functions["close"]
read: Any = _functions["read"]
write: Any = _functions["write"]
fstat: Any = _functions["fstat"]
utime: Any = _functions["utime"]
chmod: Any = _functions["chmod"]
access: Any = _functions["access"]
getcwd: Any = _functions["getcwd"]
chdir: Any = _functions["chdir"]
symlink: Any = _functions.get("symlink")
link: Any = _functions.get("link")


def linked(path: str) -> bool:
    """Whether anything has this name, be it a link to nowhere."""
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True
