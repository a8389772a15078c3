"""Write a number that the dtype holds: `torch.finfo(scores.dtype).min` for `-1e9`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import libcst as cst

from ....core.dtypes import DTYPES, is_floating_point
from ....torch_facts.contracts.limits import fits
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import dotted
from ..source import Source

ORDER = 5
_INFO, _END = ("iinfo", "finfo"), ("min", "max")


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each number on the line that its dtype cannot hold."""
    if site.role != "absent" or site.have not in DTYPES:
        return
    torch = source.imported("torch")
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, reason="it is a different number"
    )
    for node in source.expressions(site.location.line) if torch is not None else ():
        number = _value(source, node)
        if number is None or _held(number, site.have):
            continue
        texts = [
            f"{torch}.{_INFO[is_floating_point(site.have)]}({like}).{_END[number > 0]}"
            for like in (*_receivers(source, node), f"{torch}.{site.have}")
        ]
        yield from builder.replaced(node, *map(cst.parse_expression, texts))


def _held(number: float, dtype: str) -> bool:
    try:
        return not math.isfinite(number) or fits(number, dtype)
    except (ValueError, KeyError):
        return True


def _value(source: Source, node: cst.BaseExpression) -> float | None:
    if isinstance(source.parents.get(node), cst.UnaryOperation):
        return None  # told with its sign
    try:
        found = ast.literal_eval(source.text(node))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    number = isinstance(found, (int, float)) and not isinstance(found, bool)
    return found if number else None


def _receivers(source: Source, node: cst.CSTNode) -> Iterator[str]:
    """`scores.dtype` of `scores.masked_fill(mask, -1e9)` and of `scores[mask] = -1e9`."""
    for above in source.around(node):
        func = above.func if isinstance(above, cst.Call) else None
        if isinstance(func, cst.Attribute) and dotted(func.value):
            if dotted(func.value) != source.imported("torch"):
                yield f"{dotted(func.value)}.dtype"
            return
        if isinstance(above, cst.Assign):
            target = above.targets[0].target
            if isinstance(target, cst.Subscript) and dotted(target.value):
                yield f"{dotted(target.value)}.dtype"
            return
