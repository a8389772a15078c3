"""Let a module know what it holds, so that `.to()` and `.half()` reach it: `self.register_buffer("mean", …)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, Maker
from ..names import place
from ..source import Source
from ..spot import Spot

ORDER = 8


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """Where `self.name = value` keeps a tensor, or a list of modules, in a class that is a module."""
    statement = source.statement(spot.location.line)
    if spot.role not in ("born", "cast", "moved", "loaded") or not isinstance(statement, cst.SimpleStatementLine):
        return
    if not _in_module(source, statement):
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    for part in statement.body:
        if not isinstance(part, cst.Assign) or len(part.targets) != 1:
            continue
        target = part.targets[0].target
        if isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == "self":
            yield from _registered(make, part, target.attr.value)


def _registered(make: Maker, part: cst.Assign, name: str) -> Iterator[Change]:
    at, reason = place(make.spot.location), "it is converted with its module from now on, and saved with it"
    if isinstance(part.value, (cst.List, cst.ListComp, cst.Tuple)):
        nn = "nn" if make.source.bound("nn") else "torch.nn"
        new = part.with_changes(value=cst.Call(cst.parse_expression(f"{nn}.ModuleList"), [cst.Arg(part.value)]))
        yield from make.replaced(part, (f"keep `{name}` in a ModuleList, at {at}", new), harm=0, reason=reason)
    elif isinstance(part.value, cst.Dict):
        nn = "nn" if make.source.bound("nn") else "torch.nn"
        new = part.with_changes(value=cst.Call(cst.parse_expression(f"{nn}.ModuleDict"), [cst.Arg(part.value)]))
        yield from make.replaced(part, (f"keep `{name}` in a ModuleDict, at {at}", new), harm=0, reason=reason)
    elif not make.spot.parameter:
        text = cst.Arg(cst.SimpleString(f'"{name}"'), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        call = cst.Call(cst.parse_expression("self.register_buffer"), [text, cst.Arg(part.value)])
        buffer = f"register `{name}` as a buffer, at {at}", cst.Expr(call)
        yield from make.replaced(part, buffer, harm=0, reason=reason)


def _in_module(source: Source, node: cst.CSTNode) -> bool:
    """Whether a statement is in `__init__` of a class that derives from something named Module, or from any class."""
    function = source.function(node)
    owner = next((above for above in source.around(node) if isinstance(above, cst.ClassDef)), None)
    return owner is not None and bool(owner.bases) and function is not None and function.name.value == "__init__"
