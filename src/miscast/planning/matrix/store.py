"""Results that are kept, and known again while all that they came from is as it was.

A result is kept by what is known before a run (`identity`: the program, the cell, packages, the machine), with the
files that the run read. It holds while each of these has the contents that it had.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from msgspec import DecodeError, Struct, ValidationError, json as fast

from ...core.atomic_write import write_atomically
from ...core.failure import FOLDER
from ...running.program.files_read import contents
from .cell import Cell
from .task import Result

_SPEAKING = (
    "ACCELERATE_", "CUDA_", "DIFFUSERS_", "HF_", "KMP_", "LOCAL_", "MASTER_", "MISCAST_", "MKL_", "NCCL_", "NVIDIA_",
    "OMP_", "PYTHON", "PYTORCH_", "RANK", "TORCH", "TRANSFORMERS_", "WORLD_SIZE",
)  # fmt: skip
"""Prefixes of environment variables for torch and what is built on it. Others differ from shell to shell."""

_T = TypeVar("_T")


class _Kept(Struct, kw_only=True):
    """The stored form."""

    files: dict[str, str]
    result: Result


def folder() -> str:
    """Return the default folder for results: the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "miscast", "matrix")


@dataclass(slots=True)
class Store:
    """Results by identity, a file each, below a folder."""

    folder: str
    _prints: dict[str, str] = field(default_factory=dict)

    def known(self, identity: str) -> Result | None:
        """Return the result that is kept, if nothing that it came from has changed."""
        kept = self._read(identity, _Kept)
        if kept is None or any(
            self._print(file) != mark for file, mark in kept.files.items()
        ):
            return None
        return kept.result

    def files(self, identity: str) -> tuple[str, ...] | None:
        """Return the files read by the run of a stored result, even if changed since; None if there is none."""
        kept = self._read(identity, _Kept)
        return None if kept is None else tuple(kept.files)

    def keep(self, identity: str, result: Result) -> None:
        """Store a combination's result with what its run read. If that fails, the next run repeats it."""
        # inside the box: what only the run itself wrote is not there
        files = {file: mark for file in result.read if (mark := self._print(file))}
        self._write(identity, _Kept(files=files, result=result))

    def begun(self, where: str, options: Mapping[str, Any]) -> None:
        """Store the options of a matrix that begins in a folder."""
        self._write(f"last-{_hash(where)}", options)

    def last(self, where: str) -> dict[str, Any] | None:
        """Return the options of the one that was last begun in a folder."""
        return self._read(f"last-{_hash(where)}", dict[str, Any])

    def _write(self, name: str, value: Any) -> None:
        with suppress(OSError, UnicodeEncodeError):  # a file's name may be no Unicode
            os.makedirs(self.folder, exist_ok=True)
            write_atomically(self._path(name), fast.encode(value))

    def _read(self, name: str, kind: type[_T]) -> _T | None:
        try:
            with open(self._path(name), "rb") as file:
                return fast.decode(file.read(), type=kind)
        except (OSError, ValidationError, DecodeError):
            return None

    def _path(self, identity: str) -> str:
        return os.path.join(self.folder, f"{identity}.json")

    def _print(self, file: str) -> str:
        if file not in self._prints:
            self._prints[file] = contents(file)
        return self._prints[file]


def identity(
    target: str, args: Sequence[str], cell: Cell, options: Mapping[str, Any]
) -> str:
    """Return all that identifies a combination's run beforehand: everything except the files that it will read."""
    environment = {
        name: value for name, value in os.environ.items() if name.startswith(_SPEAKING)
    }
    return _hash(
        {
            "miscast": _own(),
            "packages": packages(),
            "python": [sys.version, platform.platform()],
            "folder": os.getcwd(),
            "target": target,
            "args": [*args, *cell.arguments],
            "machine": cell.machine,
            "ranks": cell.ranks,
            "environment": {**environment, **cell.environment},
            "changes": [[one.file, one.key, one.value] for one in cell.changes],
            "options": dict(options),
        }
    )


@cache
def packages() -> tuple[str, ...]:
    """Return all that is installed, "torch-2.13.0", by name; looked at once."""
    found = (
        f"{one.metadata['Name']}-{one.version}"
        for one in importlib.metadata.distributions()
    )
    return tuple(sorted(set(found)))


@cache
def _own() -> str:
    """Return a hash of Miscast itself, which may be a checkout."""
    files = (
        os.path.join(where, name)
        for where, _, names in os.walk(FOLDER)
        for name in names
        if not name.endswith(".pyc")
    )
    return _hash(sorted(_stated(files)))


def _stated(files: Iterable[str]) -> Iterable[tuple[str, int, int]]:
    for file in files:
        state = os.stat(file)
        yield file, state.st_size, state.st_mtime_ns


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
