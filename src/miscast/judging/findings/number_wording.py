"""Words for a Python number that a dtype cannot hold, and what to write instead.

-1e9 (`value` of masked_fill) does not fit float16: -65504 is the lowest
help  replace -1e9 with torch.finfo(scores.dtype).min at model.py:8
"""

from __future__ import annotations

import ast
import math
from typing import TypeGuard

from ...core.dtypes import facts, is_floating_point
from ...core.event import Call
from ...core.finding import Fix
from ...fixing import remedy
from ...torch_facts.contracts.limits import fits

_SUMS = frozenset({"add", "add_", "sub", "sub_", "rsub"})
_WIDER = {
    "float": ("float32", "float64"),
    "int": ("int16", "int32", "int64", "float32"),
}


def misfit(call: Call) -> str:
    """Return the message for a number that raises."""
    broken = call.violation
    held = facts(broken.expected)
    if held.kind == "complex":
        return f"{_given(call)} does not fit {held.name}"
    number = _value(call)
    if not _is_finite(number):
        return f"{_given(call)} does not fit {held.name}"
    top, which = (held.max, "largest") if number > 0 else (held.min, "lowest")
    return f"{_given(call)} does not fit {held.name}: {_spelled(top)} is the {which}"


def infinite(call: Call) -> str:
    """Return the message for a number that becomes infinite."""
    broken = call.violation
    if call.op in _SUMS:
        return f"{_given(call)} makes every {broken.expected} value infinite"
    sign = "-" if broken.value.startswith("-") else ""
    return f"{_given(call)} is {sign}inf in {broken.expected}"


def ways_out(call: Call) -> tuple[Fix, ...]:
    """Return a number that fits, and a dtype that holds the number."""
    broken, number = call.violation, _value(call)
    floating = is_floating_point(broken.expected)
    found = []
    if _is_finite(number) and call.op not in _SUMS:
        which = "max" if number > 0 else "min"
        info = "finfo" if floating else "iinfo"
        like = _receiver(call)
        of = f"{like}.dtype" if like else f"torch.{broken.expected}"
        where = remedy.place(call.location)
        end = f"torch.{info}({of}).{which}"
        found.append(Fix(title=f"replace {broken.value} with {end} at {where}"))
    if wider := _wider(call):
        found.append(Fix(title=_widening(call, wider)))
    # no integer stands for another
    return tuple(found if floating else reversed(found))


def _widening(call: Call, wider: str) -> str:
    broken, where = call.violation, remedy.place(call.location)
    if broken.odd:
        name = (broken.odd[0] == "self" and _receiver(call)) or broken.odd[0]
        return f"cast `{name}` before {call.op} at {where}: .to(torch.{wider})"
    return f"use a dtype that can hold {broken.value} at {where}: torch.{wider}"


def _is_finite(number: complex | None) -> TypeGuard[float]:
    return isinstance(number, (int, float)) and math.isfinite(number)


def _given(call: Call) -> str:
    return f"{call.violation.value} (`{call.violation.argument}` of {call.op})"


def _value(call: Call) -> complex | None:
    try:
        return int(call.violation.value)
    except ValueError:
        pass
    try:
        return float(call.violation.value)
    except ValueError:
        return None


def _wider(call: Call) -> str | None:
    number, held = _value(call), facts(call.violation.expected)
    if number is None:
        return None
    candidates = _WIDER.get(held.kind, ())
    if isinstance(number, float) and not number.is_integer():
        candidates = _WIDER["float"]
    return next((name for name in candidates if fits(number, name)), None)


def _receiver(call: Call) -> str | None:
    """Return `scores` if the call's line is `scores.masked_fill(…)` or `scores[mask] = …`."""
    try:
        tree = ast.parse(call.location.code.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    owners = (_owner(node, call.op) for node in ast.walk(tree))
    names = (one.id for one in owners if isinstance(one, ast.Name))
    return next((name for name in names if name not in ("torch", "F")), None)


def _owner(node: ast.AST, op: str) -> ast.expr | None:
    """Return what an op is called on, if this node calls it."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name == op:
            return owner
        case ast.Assign(targets=[ast.Subscript(value=owner), *_]) if "setitem" in op:
            return owner
    return None


def _spelled(number: float) -> str:
    return (
        str(int(number)) if abs(number) < 1e20 else f"{number:.4g}".replace("e+", "e")
    )
