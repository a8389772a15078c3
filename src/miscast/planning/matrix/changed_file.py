"""A configuration file with one value replaced where it stands; comments, order and all else are kept.

>>> contents([Change("/home/ann/config.yaml", ("train", "precision"), "no")])
{'/home/ann/config.yaml': b'train: {precision: no}  # why'}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...lint import formats
from ...lint.formats import encoding
from ...lint.setting import LINE_END, Entry, UnreadableError


@dataclass(frozen=True, slots=True)
class Change:
    """The value of a key of a file becomes another, given as a person would write it."""

    file: str
    key: tuple[str, ...]
    value: str


class UnchangeableError(ValueError):
    """The file, or the key in it, is not there; the message is one line."""


def contents(changes: Sequence[Change]) -> dict[str, bytes]:
    """Return each changed file's contents, by path. Raises UnchangeableError."""
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    return {file: _changed(file, some) for file, some in by_file.items()}


def _changed(file: str, changes: Sequence[Change]) -> bytes:
    try:
        with open(file, "rb") as stream:
            raw = stream.read()
        entries = {
            entry.key: entry
            for document in formats.read(file)
            for entry in document.entries
        }
    except OSError as error:
        raise UnchangeableError(f"{file}: {error.strerror}") from error
    except UnreadableError as error:
        raise UnchangeableError(f"{file}: {error}") from error
    spelled = encoding(raw)
    pieces = LINE_END.split(raw.decode(spelled))
    # the last of a line first: what stands before it keeps its column
    at = {change: _found(entries, change).at.column for change in changes}
    for change in sorted(changes, key=at.__getitem__, reverse=True):
        entry = _found(entries, change)
        line = 2 * (entry.at.line - 1)
        mark = "\ufeff" if line == 0 and pieces[0].startswith("\ufeff") else ""
        code = pieces[line].removeprefix(mark)
        before, after = code[: entry.at.column - 1], code[entry.at.end - 1 :]
        pieces[line] = f"{mark}{before}{_spelled(file, change.value)}{after}"
    return "".join(pieces).encode(spelled)


def _found(entries: Mapping[tuple[str, ...], Entry], change: Change) -> Entry:
    name = ".".join(change.key)
    entry = entries.get(change.key)
    if entry is None:
        raise UnchangeableError(f"{change.file} has no value {name} to vary")
    if not entry.at.end:
        raise UnchangeableError(f"{change.file}: {name} spans several lines")
    return entry


def _spelled(file: str, value: str) -> str:
    """Return a value as the file's language has it: a word is a string in JSON and TOML."""
    if os.path.splitext(file)[1] not in (".json", ".toml"):
        return value
    try:
        json.loads(value)
    except ValueError:
        return json.dumps(value)
    return value
