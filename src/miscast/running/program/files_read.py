"""Record the files that a program opens. A descriptor receives them, so its children's are included.

    with open(path, "ab") as file:
        noted(file.fileno())          # for good: an audit hook stays
    names(path)                       # {"/home/ann/train.py", "/home/ann/data"}; of a folder its listing was read
    variables(path)                   # {"HF_HOME"}: variables of the environment that the program's own lines set

What C++ opens by itself is not seen.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import sysconfig
from contextlib import suppress
from typing import Any

from ...core.failure import FOLDER

_LISTED = ("os.listdir", "os.scandir")
_WRITES = os.O_WRONLY | os.O_RDWR
_SYSTEM = ("/proc/", "/sys/", "/dev/")
_SEEKERS = ("<frozen importlib", FOLDER)
_WHOLE = 1 << 22
"""Bytes of a file that are read for its print; a larger one goes by its size and its time."""
_SETTERS = ("os", "collections.abc", __name__)


def noted(descriptor: int) -> None:
    """Write each path that this process and its forks read from now on to `descriptor`, one a line, each once."""
    seen: set[str] = set()
    installed = _installed()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if _looked_at(event, args):
            note(args[0])
        elif event == "os.putenv" and not _setter().startswith(installed):
            write(os.fsdecode(args[0]))

    def note(path: Any) -> None:
        if not isinstance(path, (str, bytes)) or not path:
            return
        name = os.path.abspath(os.fsdecode(path))
        if not name.startswith(installed):
            write(name)

    def write(name: str) -> None:
        if name in seen or "\n" in name:
            return
        seen.add(name)
        with suppress(OSError):
            os.write(descriptor, f"{name}\n".encode(errors="surrogateescape"))

    sys.addaudithook(hook)


def names(path: str) -> set[str]:
    """Return the paths written to a file; bytecode counts as its source."""
    return {_source(line) for line in _lines(path) if line.startswith(os.sep)}


def variables(path: str) -> set[str]:
    """Return the environment variables written to a file."""
    return {line for line in _lines(path) if not line.startswith(os.sep)}


def contents(path: str) -> str:
    """Return a digest of a file's contents, or of the names in a folder; empty if there is none."""
    try:
        if os.path.isdir(path):
            return digest(json.dumps(sorted(os.listdir(path))).encode())
        state = os.stat(path)
        if state.st_size > _WHOLE:
            return f"{state.st_size} {state.st_mtime_ns}"
        with open(path, "rb") as file:
            return digest(file.read())
    except OSError:
        return ""


def modules_in(folder: str) -> list[str]:
    """Return the modules and packages that can be imported from a folder, as they are named there."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if _is_module(os.path.join(folder, name)))


def _is_module(path: str) -> bool:
    package = os.path.join(path, "__init__.py")
    return path.endswith(".py") or (
        "." not in os.path.basename(path) and os.path.exists(package)
    )


def digest(data: bytes) -> str:
    """Return the digest of a file's contents, equal to `contents` of a file that holds them."""
    return hashlib.sha256(data).hexdigest()


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return [line.rstrip("\n") for line in file]


def _setter() -> str:
    """Return the file of the line that sets a variable of the environment."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _SETTERS:
        frame = frame.f_back
    return frame.f_code.co_filename


def _looked_at(event: str, args: tuple[Any, ...]) -> bool:
    """Check whether an event reads the contents of a path, its first argument."""
    if event == "open":
        return _reads(*args[1:])
    if event not in _LISTED:
        return False
    # the import system and Miscast look for modules: see `modules_in`
    return not sys._getframe(2).f_code.co_filename.startswith(_SEEKERS)


def _reads(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return not set(mode) & set("wax+")
    return not (isinstance(flags, int) and flags & _WRITES)


def _installed() -> tuple[str, ...]:
    """Return the folders of Python and of packages, which are identified by their versions."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {os.path.join(sysconfig.get_path(name), "") for name in names}
    return (*folders, FOLDER, *_SYSTEM)


def _source(name: str) -> str:
    if name.endswith(".pyc"):
        with suppress(ValueError, NotImplementedError):
            return importlib.util.source_from_cache(name)
    return name
