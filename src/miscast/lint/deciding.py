"""Cells of the table that one setting decides: a key's value or its default, or the first switch that is on."""

from __future__ import annotations

from collections.abc import Mapping

from .system import Setting
from .table import UNKNOWN, Cell, dtype
from .view import View


def chosen(view: View, key: str, *, of: str = "") -> Cell:
    """The dtype that a key names, by its setting or by default; `of` is whose default it is, if not the system's."""
    setting = view.given(key)
    return Cell(
        value=dtype(view.get(key)),
        by=setting,
        why="" if setting else f"default of {of or view.system.title}",
    )


def switched(view: View, switches: Mapping[str, str]) -> Cell | None:
    """What the first switch that is on stands for: `{"bf16": "bfloat16", "fp16": "float16"}`."""
    return next(
        (
            Cell(value=value, by=view.given(key))
            for key, value in switches.items()
            if view.on(key)
        ),
        None,
    )


def allowed_by(view: View, key: str) -> Cell:
    """What a trainer's own switch says of TF32; without it, its system does not decide."""
    given = view.given(key)
    if given is None:
        return UNKNOWN
    return Cell(value="on" if given.value is True else "off", by=given)


def on(view: View, *keys: str) -> Setting | None:
    """The first of some switches that is given as on; a system need not have them."""
    return next(
        (
            setting
            for key in keys
            if (setting := view.given(key)) and setting.value is True
        ),
        None,
    )
