"""Combine a YAML with the files that it includes: Hydra's `defaults`, yacs' `_BASE_`.

    defaults:                       trainer/gpu.yaml's `precision` is `trainer.precision` here
      - trainer: gpu
      - _self_

Other ways of composing (`override`, `optional`, a choice by interpolation) leave the document unchanged. Only files in
the linted paths or the current folder are read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..core.frozen import replace
from ..core.regex import regex
from .setting import Document, Entry, interpolated

_Read = Callable[[str], Iterable[Document]]
_DEEPEST = 20
_MOST = 200
"""Most files that one includes, so that files that include each other end."""
_CHOICE = regex(r"(?P<group>[\w/]+)(?:@(?P<package>[\w.]+))?")
_PACKAGE = regex(r"#\s*@package\s+(?P<name>[\w.]+)")


class _OtherwiseError(Exception):
    """The document is composed in an unsupported way."""


def composed(document: Document, read: _Read) -> Document:
    """Return the document with the entries of the files that it includes, in the file's order of precedence."""
    if document.origin != "file" or not any(map(_includes, document.entries)):
        return document
    left = iter(range(_MOST))

    def counted(file: str) -> Iterable[Document]:
        if next(left, None) is None:
            raise _OtherwiseError
        return read(file)

    try:
        entries = _entries(document, (), counted, 0)
    except (_OtherwiseError, OSError, ValueError):
        return document
    return replace(document, entries=interpolated(entries.values()))


def _includes(entry: Entry) -> bool:
    return entry.key[:1] in (("defaults",), ("_BASE_",))


def _entries(
    document: Document, package: tuple[str, ...], read: _Read, depth: int
) -> dict[tuple[str, ...], Entry]:
    """Return the entries of a document and its bases, by key; later ones replace earlier ones."""
    if depth > _DEEPEST:
        raise _OtherwiseError
    own = {
        (*package, *entry.key): replace(entry, key=(*package, *entry.key))
        for entry in document.entries
        if not _includes(entry)
    }
    found: dict[tuple[str, ...], Entry] = {}
    said = False
    for entry in filter(_includes, document.entries):
        if entry.value == "_self_":
            said = True
            found = _over(found, own)
        elif (base := _base(document, entry, package)) is not None:
            file, below = base
            for other in read(file):
                inner = _packaged(file, below, package)
                found = _over(found, _entries(other, inner, read, depth + 1))
    return found if said else _over(found, own)


def _over(
    found: Mapping[tuple[str, ...], Entry], later: Mapping[tuple[str, ...], Entry]
) -> dict[tuple[str, ...], Entry]:
    """Return both, with `later` replacing entries of the same key."""
    return {**{key: entry for key, entry in found.items() if key not in later}, **later}


def _base(
    document: Document, entry: Entry, package: tuple[str, ...]
) -> tuple[str, tuple[str, ...]] | None:
    """Return the file that an entry of `defaults` or `_BASE_` names, and its package; None if it names none."""
    folder, value = os.path.dirname(document.file), entry.value
    if value is None:
        return None
    if not isinstance(value, str):
        raise _OtherwiseError
    if entry.key == ("_BASE_",):
        return os.path.join(folder, value), package
    if entry.key[0] != "defaults" or len(entry.key) not in (2, 3):
        raise _OtherwiseError
    if len(entry.key) == len(("defaults", "0")):
        return _named(folder, value), package
    choice = _CHOICE.fullmatch(entry.key[2])
    if choice is None:
        raise _OtherwiseError
    group = choice["group"].split("/")
    own = choice["package"].split(".") if choice["package"] else group
    return _named(os.path.join(folder, *group), value), (*package, *own)


def _named(folder: str, name: str) -> str:
    file = os.path.join(folder, name)
    return file if file.endswith((".yaml", ".yml")) else f"{file}.yaml"


def _packaged(
    file: str, below: tuple[str, ...], outer: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the package of a file: from its header, else its group's."""
    for line in _header(file):
        if said := _PACKAGE.match(line):
            name = said["name"]
            if name == "_global_":
                return ()
            return below if name == "_group_" else (*outer, *name.split("."))
    return below


def _header(file: str) -> Iterator[str]:
    with open(file, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            if line.strip() and not line.startswith("#"):
                return
            yield line
