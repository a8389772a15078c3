"""Paths for code that opens files by itself, in C, C++ or Rust: it is given where the layer has the bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from .changing import parent
from .copying import take

if TYPE_CHECKING:
    from .layer import Layer

How = Literal["read", "write", "change"]
"""`write` starts with an empty file, `change` with what is there."""


def path_for(layer: Layer, path: Any, how: How) -> Any:
    """Return the path to give to the original; other values (an open file, an fd) are returned unchanged.

    Raises:
        OSError: there is no folder for a file that is to be written.
    """
    if not layer.on or not isinstance(path, (str, bytes, os.PathLike)):
        return path
    if how == "read":
        if layer.still:
            return path
        at = layer.union.source(layer.name(path))
        return path if at is None or at == layer.text(path) else _spelt(at, path)
    name = layer.name(path)
    with layer.lock:
        if layer.union.source(name) is None:
            parent(layer, name)
        elif not os.path.isdir(path):
            layer.still = False
            take(layer.union, name, empty=how == "write")
        layer.note("written", name)
    return _spelt(layer.union.upper(name), path)


def _spelt(at: str, like: Any) -> Any:
    return os.fsencode(at) if isinstance(like, bytes) else at
