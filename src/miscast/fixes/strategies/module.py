"""Convert a module that nobody converted: where it is made (`Net().to(device)`), or where its kind is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ..at_hand import LAYERS
from ..change import Change, Maker, Spelling
from ..edit_site import Spot
from ..names import METHODS, plainly, spellings
from ..nodes import dotted, keyword, last, method, with_argument
from ..source import Source

ORDER = 30
_AT_ONCE = 12
EVERYWHERE = True
_ITSELF = frozenset({"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "eval", "train", "requires_grad_"})
_NO_MODULES = frozenset({"super", "append", "range", "tuple", "list", "dict"})


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """For a parameter: the statements that make or convert its module, or the module that holds it."""
    if not spot.parameter:
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    if spot.role in ("born", "cast", "moved"):
        for call in source.expressions(spot.location.line):
            if isinstance(call, cst.Call) and _makes(call):
                yield from _made_as(replace(make, order=_AT_ONCE), call)
                yield from make.replaced(call, *_converted(source, spot, call))
    if spot.role in ("use", "caller"):
        for rank, statement, value in assigned(source, spot):
            maker = Maker(source=source, spot=spot, order=ORDER - 5 + rank)
            yield from maker.replaced(value, *_converted(source, spot, value))
            yield from _line_after(maker, statement)


def _made_as(make: Maker, call: cst.Call) -> Iterator[Change]:
    """A layer of torch's, made at once as another one's weights are: `nn.Linear(n, r, dtype=base.weight.dtype)`."""
    if last(call.func) not in LAYERS:
        return
    about, at = make.spot.about, f"{make.source.name}:{make.source.line(call)}"
    reason = "its first weights are other random numbers"
    new = [
        (f"give `{dotted(call.func)}` {about}={text}, at {at}", with_argument(call, keyword(about, node)))
        for text in spellings(make.source, call, make.spot, iter(()))
        for node in (cst.parse_expression(text),)
        if text.endswith(f".weight.{about}")
    ]
    yield from make.replaced(call, *new, reason=reason)


def _converted(source: Source, spot: Spot, node: cst.BaseExpression) -> Iterator[tuple[str, cst.CSTNode]]:
    told = source.text(node)
    told, at = told if len(told) <= 40 else f"{told[:39]}…", source.name
    for text in spellings(source, node, spot, iter(())):
        title = f"convert the module at {at}:{source.line(node)}: {told}.to({text})"
        yield title, method(node, "to", cst.Arg(cst.parse_expression(text)))
    if spot.about == "dtype" and spot.want in METHODS:
        name = METHODS[spot.want]
        yield f"convert the module at {at}:{source.line(node)}: {told}.{name}()", method(node, name)


def _makes(call: cst.Call) -> bool:
    """Whether a call may give a module: by its name, which is a class's, or a method's that returns its module."""
    name = last(call.func)
    if name in _NO_MODULES:
        return False
    return name in _ITSELF or name[:1].isupper() or name.startswith(("from_", "create_", "build"))


def assigned(source: Source, spot: Spot) -> Iterator[tuple[int, cst.SimpleStatementLine, cst.BaseExpression]]:
    """The statements that assign one of the names on the module's path: `models.unet.conv_in`, its root first.

    In a root's rank its last assignment comes first: there everything has been done to it.
    """
    parts = [part.partition("[")[0] for part in spot.path.split(".")]
    while parts and spot.names.get(parts[0]) == "":
        parts = parts[1:]  # an object that holds the module
    found = []
    for node in source.of(cst.SimpleStatementLine):
        for part in node.body:
            if isinstance(part, cst.Assign) and isinstance(part.value, cst.Call) and _makes(part.value):
                names = [last(target.target) for target in part.targets]
                places = [parts.index(name) for name in names if name in parts]
                if places:
                    found.append((min(places), node, part.value))
    latest = reversed(found)
    yield from sorted(latest, key=lambda item: item[0])


def _line_after(make: Maker, statement: cst.SimpleStatementLine) -> Iterator[Change]:
    """`unet.to(torch.float16)` behind the assignment."""
    source, spot = make.source, make.spot
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign):
        return
    name, text = dotted(assign.targets[0].target), plainly(source, spot)
    if not name or text is None:
        return
    title = f"add {name}.to({text}) behind {source.name}:{source.line(statement)}"
    line = Spelling(title=title, write=lambda: source.after(statement, f"{name}.to({text})"))
    yield from make.written(source.line(statement), line)
