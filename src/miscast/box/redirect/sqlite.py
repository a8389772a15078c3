"""`sqlite3.connect`: to the layer's copy of a database, taken with what its journal still holds."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from ...running.process.patching import Patch
from . import real
from .copying import take
from .cpaths import path_for

if TYPE_CHECKING:
    from .layer import Layer

_BESIDE = ("-wal", "-journal")  # not -shm: it is made anew
_ATTACH = 24  # SQLITE_ATTACH; sqlite3 has no name for it before Python 3.12


def patches(layer: Layer) -> Iterator[Patch]:
    """Patch `connect` in every module that holds it."""
    connect = _connect(layer, sqlite3.connect)
    for name in ("sqlite3", "sqlite3.dbapi2", "_sqlite3"):
        if name in sys.modules:
            yield Patch(sys.modules[name], "connect", connect)


def _connect(layer: Layer, original: Callable[..., Any]) -> Callable[..., Any]:
    def connect(database: Any, *args: Any, **options: Any) -> Any:
        if not layer.on:
            return original(database, *args, **options)
        uri = bool(args[6] if len(args) > 6 else options.get("uri"))
        place = _place(layer, database, uri=uri)
        with layer.past_the_guard():
            connection = original(place, *args, **options)
        connection.set_authorizer(_authorizer(layer))
        return connection

    return connect


def _place(layer: Layer, database: Any, *, uri: bool) -> Any:
    """Return the path of the copy, spelled like the database's."""
    text = layer.text(database)
    if not uri or not text.startswith("file:"):
        return database if text in {"", ":memory:"} else _copy(layer, database)
    parts = urlsplit(text)
    asked = parse_qs(parts.query)
    if asked.get("mode") == ["memory"] or parts.path in {"", ":memory:"}:
        return database
    copy = _copy(
        layer, unquote(parts.path), makes=asked.get("mode", ["rwc"]) == ["rwc"]
    )
    return "file:" + quote(str(copy)) + (f"?{parts.query}" if parts.query else "")


def _copy(layer: Layer, database: Any, *, makes: bool = True) -> Any:
    name = layer.name(database)
    known = layer.union.source(name)
    if known is None and not makes:
        return layer.union.upper(name)  # not there either: sqlite says so
    at = path_for(layer, database, "change")
    for suffix in _BESIDE:
        if (
            known is not None
            and not known.startswith(layer.union.folder)
            and real.linked(known + suffix)
        ):
            take(layer.union, name + suffix)
    return at


def _authorizer(layer: Layer) -> Callable[..., int]:
    """Return an authorizer that refuses other files that a statement names: `ATTACH`, `VACUUM INTO`."""

    def allowed(action: int, file: str | None, *_: Any) -> int:
        if (
            action != _ATTACH
            or not layer.on
            or not file
            or file == ":memory:"
            or file.startswith(layer.folder)
        ):
            return sqlite3.SQLITE_OK
        layer.note("written", file, "refused")
        return sqlite3.SQLITE_DENY

    return allowed
