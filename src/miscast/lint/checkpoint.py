"""The dtype of a checkpoint on this disk, as its config.json names it."""

from __future__ import annotations

import json
import os

from .setting import named_dtype
from .system import Setting
from .table import Cell
from .view import View

_MOST = 1 << 20  # bytes


def checkpoint(view: View, key: str, *, by: Setting | None, why: str) -> Cell:
    """Return the dtype of the local model that `key` names, beside the file that names it; unknown without one."""
    model = view.given(key)
    found = "" if model is None else _named(model)
    return Cell(value=found or "unknown", by=by or (model if found else None), why=why)


def _named(model: Setting) -> str:
    folder = os.path.join(os.path.dirname(model.document.file), str(model.value))
    try:
        with open(os.path.join(folder, "config.json"), "rb") as stream:
            config = json.loads(stream.read(_MOST))
        parts = config, config.get("text_config") or {}
        names = [part.get("dtype") or part.get("torch_dtype") for part in parts]
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return named_dtype(names[0] or names[1])
