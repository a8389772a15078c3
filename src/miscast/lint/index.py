"""Claims of systems and suffixes of formats, from index.json, so that only those in use are imported.

    python -m miscast.lint.reindex      write index.json; a test says when that is due

An entry is valid while its file has the same checksum. Other files are imported, so an outdated index only costs time.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

FILE = os.path.join(os.path.dirname(__file__), "index.json")
Entry = Mapping[str, Any]


def split(
    package: str, helpers: Collection[str] = ()
) -> tuple[dict[str, Entry], tuple[str, ...]]:
    """Return the entries of a package's modules, by name, and the names of the modules that have none."""
    entries = _written().get(package.rpartition(".")[2], {})
    known: dict[str, Entry] = {}
    others = []
    for name, file in modules(sys.modules[package].__path__):
        entry = entries.get(name)
        if entry is not None and entry["checksum"] == checksum(file):
            known[name] = entry
        elif name not in helpers:
            others.append(name)
    return known, tuple(others)


def checksum(file: str) -> int:
    """Return the checksum of a file's bytes."""
    with open(file, "rb") as stream:
        return zlib.crc32(stream.read())


def modules(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each module's name and source file; a folder's is its `__init__.py`."""
    for folder in folders:
        for item in sorted(os.listdir(folder)):
            name, suffix = os.path.splitext(item)
            inside = os.path.join(folder, item, "__init__.py")
            if suffix == ".py" and name != "__init__":
                yield name, os.path.join(folder, item)
            elif not suffix and os.path.isfile(inside):
                yield name, inside


@cache
def _written() -> Mapping[str, Mapping[str, Entry]]:
    try:
        with open(FILE, encoding="utf-8") as stream:
            found: Mapping[str, Mapping[str, Entry]] = json.load(stream)
    except FileNotFoundError:
        return {}
    return found
