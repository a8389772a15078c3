"""Read files into documents: one module per format, found by discovery, with `SUFFIXES` and `read`.

`read(lines, text) -> Iterator[Document]` raises UnreadableError, with the parser's reason and place. Nothing is
executed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from types import ModuleType

from ...core.plugins import each, function, load, name_of
from .. import index
from ..setting import Document, Lines, TooLargeError, UnreadableError

__all__ = ["LARGEST", "encoding", "known", "read"]

LARGEST = 4_000_000
"""Largest size of a configuration in bytes; larger files are data, and are not read."""
_Read = Callable[[Lines, str], Iterator[Document]]
_HELPERS = ("modules", "words", "worth", "yaml_nodes")
_DATA = ("json", "toml", "yaml")
_BYTES = "latin-1"
"""The encoding for bytes that are not UTF-8: each is one character, so that they can be written back unchanged."""
_CODE = (f"{__name__}.python", f"{__name__}.shell")
"""Formats that need not be UTF-8: Python files declare their encoding, shells accept any bytes."""


@cache
def _by_suffix() -> Mapping[str, str]:
    indexed, others = index.split(__name__, _HELPERS)
    found = {
        suffix: name for name, one in indexed.items() for suffix in one["suffixes"]
    }
    return found | {
        suffix: name_of(file) for file in _loaded(others) for suffix in file.SUFFIXES
    }


def _loaded(names: Collection[str] | None = None) -> tuple[ModuleType, ...]:
    """Import the formats of some names; all without any."""
    promised = (each("SUFFIXES", str), function("read", 2))
    return load(__name__, needs=promised, helpers=_HELPERS, only=names)


def entries() -> dict[str, dict[str, list[str]]]:
    """Return what the index holds of each format, by module."""
    return {name_of(file): {"suffixes": [*file.SUFFIXES]} for file in _loaded()}


def suffix(file: str) -> str:
    """Return the suffix that determines the format: ".json", or ".env" for `.env`, `config.env` and `.env.local`."""
    name = os.path.basename(file).lower()
    if name == ".env" or ".env." in name:
        return ".env"
    return os.path.splitext(name)[1]


def known(file: str) -> bool:
    """Check whether a file's name has a known format."""
    return suffix(file) in _by_suffix()


def read(
    file: str, *, found: bool = False, raw: bytes | None = None
) -> tuple[Document, ...]:
    """Return the documents of a file. Raises UnreadableError with one line, OSError if it cannot be opened.

    A file that was `found` in a folder, and not named, is skipped if a quick check shows that it sets nothing.
    `raw` is its content, if that differs from the file on disk.
    """
    raw = _raw(file) if raw is None else raw
    text = _decoded(raw)
    kind = _by_suffix().get(suffix(file)) or _guessed(text)
    module = importlib.import_module(f"{__name__}.{kind}")
    if encoding(raw) == _BYTES and module.__name__ not in _CODE:
        _refuse_outside_comments(raw)
    worthwhile = getattr(module, "worthwhile", lambda _text: True)
    if found and not worthwhile(text):
        return ()
    reader: _Read = module.read
    try:
        return tuple(reader(Lines(file, text), text))
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    except UnreadableError as error:
        raise _named(error, kind) from None
    except ValueError as error:
        # a parser's own: a number of 10,000 digits, half of a surrogate pair
        raise UnreadableError(str(error).partition(";")[0]) from None


def _named(error: UnreadableError, kind: str) -> UnreadableError:
    """Return a parser's error with the name of the format."""
    if isinstance(error, TooLargeError) or kind not in _DATA:
        return error
    return UnreadableError(f"not {kind.upper()}: {error}", error.line, error.column)


def encoding(raw: bytes) -> str:
    """Return the encoding of a file's bytes: by its byte order mark, which stays a character, else UTF-8 if valid."""
    if raw.startswith(b"\xff\xfe"):
        return "utf-16-le"
    if raw.startswith(b"\xfe\xff"):
        return "utf-16-be"
    return _BYTES if _undecodable(raw) else "utf-8"


def _undecodable(raw: bytes) -> UnicodeDecodeError | None:
    """Return why bytes are not UTF-8, or None."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error
    return None


def _raw(file: str) -> bytes:
    with open(file, "rb") as stream:
        raw = stream.read(LARGEST + 1)
    if len(raw) > LARGEST:
        size = os.path.getsize(file)
        raise TooLargeError(
            f"{size / 1e6:,.0f} MB: too large for a configuration (at most {LARGEST / 1e6:.0f} MB)"
        )
    return raw


def _decoded(raw: bytes) -> str:
    spelled = encoding(raw)
    if spelled in ("utf-8", _BYTES) and b"\0" in raw:
        raise UnreadableError(
            "binary content", raw.count(b"\n", 0, raw.index(b"\0")) + 1
        )
    try:
        return raw.decode(spelled).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _no_text(error, 1) from None


def _refuse_outside_comments(raw: bytes) -> None:
    """Raise for the first line that is not UTF-8 before a "#": a value would be misread, a comment does not matter."""
    for number, line in enumerate(raw.splitlines(), 1):
        error = _undecodable(line)
        if error is not None and b"#" not in line[: error.start]:
            raise _no_text(error, number)


def _no_text(error: UnicodeDecodeError, line: int) -> UnreadableError:
    return UnreadableError(f"not {error.encoding} text: {error.reason}", line)


def _guessed(text: str) -> str:
    """Return the format of a file by its content."""
    start = text.lstrip()[:200]
    if start.startswith("#!"):
        return "python" if "python" in start.partition("\n")[0] else "shell"
    if start.startswith("{"):
        return "json"
    return "toml" if start.startswith("[") else "yaml"
