"""The words of a change, made from the code that it writes. All advice about code is worded here.

cast `mask` at train.py:14: .to(latent.dtype)                  an expression is converted
remove `.float()` at train.py:9                                 a conversion is removed
pass dtype=latent.dtype to `torch.ones` at train.py:12         a call gets a keyword argument
replace `torch.float32` with `torch.float16` at train.py:7     any other replacement
add `x = x.to(device)` after train.py:11                      a new line
"""

from __future__ import annotations

import libcst as cst

from ...core.finding import Subject
from .source import Source

_VERBS = {"dtype": "cast", "device": "move"}
_SHORT = 60


def replaced(source: Source, old: cst.CSTNode, new: cst.CSTNode, about: Subject) -> str:
    """Return the words for a node that takes the place of another."""
    at, was, now = place(source, old), source.text(old), source.text(new)
    if isinstance(new, cst.Call) and isinstance(new.func, cst.Attribute):
        begin = source.text(new.func.value)
        if begin in (was, f"({was})"):
            return f"{_VERBS[about]} `{short(was)}` at {at}: {now[len(begin) :]}"
    if isinstance(old, cst.Call) and isinstance(old.func, cst.Attribute):
        begin = source.text(old.func.value)
        if now == begin:
            return f"remove `{was[len(begin) :]}` at {at}"
    if isinstance(old, cst.Call) and isinstance(new, cst.Call):
        return _of_calls(source, old, new, at)
    return _write(now, was, at)


def _of_calls(source: Source, old: cst.Call, new: cst.Call, at: str) -> str:
    """Return the words for a call with another method, or other arguments."""
    was, now = source.text(old), source.text(new)
    if source.text(old.func) == source.text(new.func):
        return _of_arguments(source, old, new, at) or _write(now, was, at)
    if isinstance(old.func, cst.Attribute) and isinstance(new.func, cst.Attribute):
        begin = source.text(old.func.value)
        if begin == source.text(new.func.value):
            return _write(now[len(begin) :], was[len(begin) :], at)
    return _write(now, was, at)


def _of_arguments(source: Source, old: cst.Call, new: cst.Call, at: str) -> str:
    """Return the words for one argument that is removed, added or another; "" for more."""
    before, after = _arguments(source, old), _arguments(source, new)
    lost = [one for one in before if one not in after]
    added = [one for one in after if one not in before]
    counts = len(lost), len(added)
    if counts == (1, 1):
        return _write(added[0], lost[0], at)
    if counts == (1, 0):
        return f"remove `{lost[0]}` at {at}"
    named = counts == (0, 1) and "=" in added[0]
    return f"pass {added[0]} to `{source.text(old.func)}` at {at}" if named else ""


def _arguments(source: Source, call: cst.Call) -> list[str]:
    commas = cst.MaybeSentinel.DEFAULT
    return [source.text(one.with_changes(comma=commas)) for one in call.args]


def _write(now: str, was: str, at: str) -> str:
    return f"replace `{short(was)}` with `{now}` at {at}"


def place(source: Source, node: cst.CSTNode) -> str:
    """Return the words for a place: "data.py:12"."""
    return f"{source.name}:{source.line(node)}"


def short(code: str) -> str:
    """Return code that fits into a sentence."""
    return code if len(code) <= _SHORT else f"{code[: _SHORT - 1]}…"
