"""Cells of the table that one setting decides."""

from __future__ import annotations

from collections.abc import Mapping

from .system import Setting
from .table import UNKNOWN, Cell, dtype
from .view import View


def chosen(view: View, key: str, *, of: str = "") -> Cell:
    """Return the dtype of a key, by its setting or by default; `of` names the default's owner, if not the system."""
    setting = view.given(key)
    return Cell(
        value=dtype(view.get(key)),
        by=setting,
        why="" if setting else f"default of {of or view.system.title}",
    )


def switched(view: View, switches: Mapping[str, str]) -> Cell | None:
    """Return the dtype of the first switch that is on: `{"bf16": "bfloat16", "fp16": "float16"}`."""
    for key, value in switches.items():
        if view.on(key):
            return Cell(value=value, by=view.given(key))
    return None


def allowed_by(view: View, key: str) -> Cell:
    """Return TF32 by a trainer's own switch; unknown without it."""
    given = view.given(key)
    if given is None:
        return UNKNOWN
    return Cell(value="on" if given.value is True else "off", by=given)


def on(view: View, *keys: str) -> Setting | None:
    """Return the first switch that is given as on; the system may lack some of them."""
    for key in keys:
        if (setting := view.given(key)) and setting.value is True:
            return setting
    return None
