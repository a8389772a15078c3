"""Files -> documents: one file per format, found by discovery; a format is a file with `SUFFIXES` and `read`.

`read(lines, text) -> Iterator[Document]` raises UnreadableError, with the parser's reason and place. Nothing is
executed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from ...plugins import each, function, load, name_of
from ..setting import Document, Lines, UnreadableError

__all__ = ["LARGEST", "TooLargeError", "encoding", "known", "read"]

LARGEST = 4_000_000
"""Bytes of a configuration at most: what is larger is data, and is not read."""
_Read = Callable[[Lines, str], Iterator[Document]]


class TooLargeError(UnreadableError):
    """The file is no configuration: nobody writes that much by hand."""


@cache
def _by_suffix() -> Mapping[str, str]:
    files = load(
        __name__,
        needs=(each("SUFFIXES", str), function("read", 2)),
        helpers=("words", "worth"),
    )
    return {suffix: name_of(file) for file in files for suffix in file.SUFFIXES}


def suffix(file: str) -> str:
    """What a file's format is told by: ".json", or ".env" for `.env`, `config.env` and `.env.local`."""
    name = os.path.basename(file).lower()
    if name == ".env" or ".env." in name:
        return ".env"
    return os.path.splitext(name)[1]


def known(file: str) -> bool:
    """Whether a file's name is of a format that can be read."""
    return suffix(file) in _by_suffix()


def read(file: str, *, found: bool = False) -> tuple[Document, ...]:
    """The documents of a file. Raises UnreadableError with one line, OSError where it cannot be opened.

    A file that was `found` below a folder, and was not named, need not be read where a look shows that it sets nothing.
    """
    text = _decoded(file)
    module = importlib.import_module(
        f"{__name__}.{_by_suffix().get(suffix(file)) or _guessed(text)}"
    )
    if found and hasattr(module, "worthwhile") and not module.worthwhile(text):
        return ()
    reader: _Read = module.read
    try:
        return tuple(reader(Lines(file, text), text))
    except RecursionError:
        raise UnreadableError("nested too deeply") from None


def encoding(raw: bytes) -> str:
    """What a file's bytes are encoded in, by its mark, which the encoding keeps as a character."""
    if raw.startswith(b"\xff\xfe"):
        return "utf-16-le"
    return "utf-16-be" if raw.startswith(b"\xfe\xff") else "utf-8"


def _decoded(file: str) -> str:
    with open(file, "rb") as stream:
        raw = stream.read(LARGEST + 1)
    if len(raw) > LARGEST:
        size = os.path.getsize(file)
        raise TooLargeError(
            f"{size / 1e6:,.0f} MB: too large for a configuration (at most {LARGEST / 1e6:.0f} MB)"
        )
    spelled = encoding(raw)
    if spelled == "utf-8" and b"\0" in raw:
        raise UnreadableError(
            "binary content", raw.count(b"\n", 0, raw.index(b"\0")) + 1
        )
    try:
        return raw.decode(spelled).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableError(
            f"not {error.encoding} text: {error.reason}", line
        ) from None


def _guessed(text: str) -> str:
    """The format of a file whose name does not tell it."""
    start = text.lstrip()[:200]
    if start.startswith("#!"):
        return "python" if "python" in start.partition("\n")[0] else "shell"
    if start.startswith("{"):
        return "json"
    return "toml" if start.startswith("[") else "yaml"
