"""Let a module know what it holds, so that `.to()` and `.half()` reach it: `self.register_buffer("mean", …)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ..change import Change, Maker
from ..edit_site import Spot
from ..nodes import called
from ..source import Source

ORDER = 8
EVERYWHERE = True
_SEVERAL = (cst.List, cst.ListComp, cst.Tuple, cst.Dict)
_LISTED = re.compile(r"(\w+)\[")
_ATTRIBUTE = re.compile(r"\bself\.(\w+)")


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """Where `self.name = value` keeps a tensor, or a list of modules, in a class that is a module.

    On the line where the tensor was made, or anywhere under a name by which the failing line reads it.
    """
    make = Maker(source=source, spot=spot, order=ORDER)
    if spot.role in ("born", "cast", "moved", "loaded"):
        for part, name in _kept(source, source.statement(spot.location.line)):
            yield from _registered(make, part, name)
    elif spot.role == "use":
        names = _read(spot)
        for node in source.nodes if names else ():
            for part, name in _kept(source, node):
                if name in names and isinstance(part.value, _SEVERAL) is spot.parameter:
                    yield from _registered(make, part, name)


def _read(spot: Spot) -> frozenset[str]:
    """The lists on a parameter's module path, or the attributes of `self` on the line that uses a plain tensor."""
    if spot.parameter:
        return frozenset(_LISTED.findall(spot.path))
    read = _ATTRIBUTE.findall(spot.location.code)
    return frozenset(name for name in read if spot.odd(f"self.{name}") is not False)


def _kept(source: Source, statement: cst.CSTNode | None) -> Iterator[tuple[cst.Assign, str]]:
    """Each `self.name = value` of a statement in the `__init__` of what may be a module."""
    if not isinstance(statement, cst.SimpleStatementLine) or not _in_module(source, statement):
        return
    for part in statement.body:
        if not isinstance(part, cst.Assign) or len(part.targets) != 1:
            continue
        target = part.targets[0].target
        if isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == "self":
            yield part, target.attr.value


def _registered(make: Maker, part: cst.Assign, name: str) -> Iterator[Change]:
    at = f"{make.source.name}:{make.source.line(part)}"
    reason = "it is converted with its module from now on, and saved with it"
    if isinstance(part.value, (cst.List, cst.ListComp, cst.Tuple)):
        nn = "nn" if make.source.bound("nn") else "torch.nn"
        new = part.with_changes(value=cst.Call(cst.parse_expression(f"{nn}.ModuleList"), [cst.Arg(part.value)]))
        yield from make.replaced(part, (f"keep `{name}` in a ModuleList, at {at}", new), harm=0, reason=reason)
    elif isinstance(part.value, cst.Dict):
        nn = "nn" if make.source.bound("nn") else "torch.nn"
        new = part.with_changes(value=cst.Call(cst.parse_expression(f"{nn}.ModuleDict"), [cst.Arg(part.value)]))
        yield from make.replaced(part, (f"keep `{name}` in a ModuleDict, at {at}", new), harm=0, reason=reason)
    elif not make.spot.parameter and not _constructs(part.value):
        text = cst.Arg(cst.SimpleString(f'"{name}"'), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        call = cst.Call(cst.parse_expression("self.register_buffer"), [text, cst.Arg(part.value)])
        buffer = f"register `{name}` as a buffer, at {at}", cst.Expr(call)
        yield from make.replaced(part, buffer, harm=0, reason=reason)


def _constructs(value: cst.BaseExpression) -> bool:
    """Whether a class is called: a module, or a parameter, is registered as it is kept."""
    return isinstance(value, cst.Call) and called(value)[:1].isupper()


def _in_module(source: Source, node: cst.CSTNode) -> bool:
    """Whether a statement is in `__init__` of a class that derives from something named Module, or from any class."""
    function = source.function(node)
    owner = next((above for above in source.around(node) if isinstance(above, cst.ClassDef)), None)
    return owner is not None and bool(owner.bases) and function is not None and function.name.value == "__init__"
