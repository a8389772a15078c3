"""Words for a Python number that a dtype cannot hold, and what to write instead.

-1e9 (`value` of masked_fill) does not fit float16: -65504 is the lowest
help  write torch.finfo(scores.dtype).min for -1e9, at model.py:8
"""

from __future__ import annotations

import ast
import math

from .. import remedy
from ..contracts.limits import fits
from ..dtypes import facts, is_floating_point
from ..event import Call, Violation
from ..finding import Fix
from ..remedy import safety

_SUMS = frozenset({"add", "add_", "sub", "sub_", "rsub"})
_WIDER = {"float": ("float32", "float64"), "int": ("int16", "int32", "int64", "float32")}


def misfit(call: Call) -> str:
    """The message for a number that raises."""
    broken = call.violation
    held = facts(broken.expected)
    if held.kind == "complex":
        return f"{_given(call)} does not fit {held.name}"
    number = _value(call)
    if not isinstance(number, (int, float)) or not math.isfinite(number):
        return f"{_given(call)} does not fit {held.name}"
    top, which = (held.max, "largest") if number > 0 else (held.min, "lowest")
    return f"{_given(call)} does not fit {held.name}: {_spelled(top)} is the {which}"


def infinite(call: Call) -> str:
    """The message for a number that becomes infinite."""
    broken = call.violation
    if call.op in _SUMS:
        return f"{_given(call)} takes every {broken.expected} number to infinity"
    sign = "-" if broken.value.startswith("-") else ""
    return f"{_given(call)} is {sign}inf in {broken.expected}"


def ways_out(call: Call) -> tuple[Fix, ...]:
    """A number that fits, and a dtype that holds the number."""
    broken, number = call.violation, _value(call)
    where, floating = remedy.place(call.location), is_floating_point(broken.expected)
    found = []
    if isinstance(number, (int, float)) and math.isfinite(number) and call.op not in _SUMS:
        which = "max" if number > 0 else "min"
        info = "finfo" if floating else "iinfo"
        like = _receiver(call)
        of = f"{like}.dtype" if like else f"torch.{broken.expected}"
        found.append(Fix(title=f"write torch.{info}({of}).{which} for {broken.value}, at {where}"))
    wider = _wider(call)
    if wider and broken.odd:
        title = f"cast `{broken.odd[0]}` before {call.op}, at {where}: .to(torch.{wider})"
        found.append(Fix(title=title, safe=_is_safe(broken.expected, wider, broken)))
    elif wider:
        title = f"give it a dtype that holds {broken.value}, at {where}: torch.{wider}"
        found.append(Fix(title=title, safe=_is_safe(broken.expected, wider, broken)))
    return tuple(found if floating else reversed(found))  # no integer stands for another


def _is_safe(have: str, want: str, broken: Violation) -> bool:
    """What raised has no numbers that could change; what becomes infinite has."""
    return bool(broken.error) and safety.cast_at_call(have, want).safe


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
    """`scores`, if the call's line says `scores.masked_fill(…)` or `scores[mask] = …`."""
    try:
        tree = ast.parse(call.location.code.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        owner: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == call.op:
            owner = node.func.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and "setitem" in call.op:
            owner = node.targets[0].value
        if isinstance(owner, ast.Name) and owner.id not in ("torch", "F"):
            return owner.id
    return None


def _spelled(number: float) -> str:
    return str(int(number)) if abs(number) < 1e20 else f"{number:.4g}".replace("e+", "e")
