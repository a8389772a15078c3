"""Which files a program reads, as it opens them: told through a descriptor, so that its children's are told, too.

    with open(path, "ab") as file:
        noted(file.fileno())          # for good: an audit hook stays
    names(path)                       # {"/home/ann/train.py", "/home/ann/data"}; of a folder its listing was read

What C++ opens by itself is not seen.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from contextlib import suppress
from typing import Any

_LISTED = ("os.listdir", "os.scandir")
_WRITES = os.O_WRONLY | os.O_RDWR
_SYSTEM = ("/proc/", "/sys/", "/dev/")


def noted(descriptor: int) -> None:
    """From now on each path that this process and its forks read goes to `descriptor`, one a line, each once."""
    seen: set[str] = set()
    installed = _installed()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if _reads(mode, flags):
                note(path)
        elif event in _LISTED and args[0] not in sys.path:
            note(args[0])

    def note(path: Any) -> None:
        if not isinstance(path, (str, bytes)) or not path:
            return
        name = os.path.abspath(os.fsdecode(path))
        if name in seen or name.startswith(installed) or "\n" in name:
            return
        seen.add(name)
        with suppress(OSError):
            os.write(descriptor, f"{name}\n".encode(errors="surrogateescape"))

    sys.addaudithook(hook)


def names(path: str) -> set[str]:
    """The paths that were told to a file; bytecode stands for its source."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return {_source(line.rstrip("\n")) for line in file}


def _reads(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return not set(mode) & set("wax+")
    return not (isinstance(flags, int) and flags & _WRITES)


def _installed() -> tuple[str, ...]:
    """Folders of Python and of packages, which go by their versions."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {os.path.join(sysconfig.get_path(name), "") for name in names}
    package = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
    return (*folders, package, *_SYSTEM)


def _source(name: str) -> str:
    if name.endswith(".pyc"):
        with suppress(ValueError, NotImplementedError):
            return importlib.util.source_from_cache(name)
    return name
