"""Explanations as JSON, schema 1: a frozen copy of the types."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .explanation import Explanation, Place, Told


def render(found: Sequence[Explanation]) -> str:
    """{"schema": 1, "explanations": […]}."""
    return json.dumps({"schema": 1, "explanations": [_explanation(one) for one in found]}, indent=2, ensure_ascii=False)


def _explanation(one: Explanation) -> dict[str, object]:
    return {
        "category": one.category,
        "error": one.error,
        "op": one.op,
        "op_guessed": one.guessed,
        "operands": [_operand(operand) for operand in one.operands],
        "location": _place(one.location),
        "module": one.module or None,
        "causes": [
            {"name": cause.name, "text": cause.text, "evidence": list(cause.evidence), "weight": cause.weight}
            for cause in one.causes
        ],
        "help": list(one.help),
        "count": one.count,
        "ranks": list(one.ranks),
        "lines": list(one.lines),
        "pattern": one.pattern,
    }


def _operand(operand: Told) -> dict[str, object]:
    """The last three are known only where an exception was at hand, not of a text."""
    return {
        "name": operand.name,
        "role": operand.role or None,
        "dtype": operand.dtype,
        "device": operand.device,
        "shape": None if operand.shape is None else list(operand.shape),
        "path": operand.path or None,
        "since": [
            {"how": e.how, "dtype": e.dtype, "device": e.device, "file": e.file, "line": e.line, "code": e.code}
            for e in operand.since
        ],
    }


def _place(place: Place | None) -> dict[str, object] | None:
    if place is None:
        return None
    return {
        "file": place.file,
        "line": place.line,
        "function": place.function,
        "code": place.code,
        "library": place.library or None,
    }
