"""Replace a loss that autocast forbids by one of logits, or compute it outside of autocast.

F.binary_cross_entropy(torch.sigmoid(x), y)   ->  F.binary_cross_entropy_with_logits(x, y)
loss = criterion(p, y)                        ->  with torch.autocast("cuda", enabled=False):
                                                      loss = criterion(p.float(), y)
loss = criterion(net(x), y)                   ->  prediction = net(x), and the same of it
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import TypeAlias

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, dotted, method
from ..source import Source
from ..words import place
from .context import device_type

ORDER = 2
_OUTSIDE = 6
_REASON = "the sigmoid and the logarithm are computed together"
_LOSS, _WITH_LOGITS = "binary_cross_entropy", "binary_cross_entropy_with_logits"
_Replacement: TypeAlias = tuple[cst.BaseExpression, cst.BaseExpression]


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield the loss without the sigmoid, if it is in sight, and the loss outside of autocast."""
    if site.role != "forbidden" or not site.failed_op.startswith(_LOSS):
        return
    for call in _losses(source, site):
        if call.args:
            yield from _without_sigmoid(source, site, call)
    yield from _outside(source, site)


def _losses(source: Source, site: EditSite) -> Iterator[cst.Call]:
    for node in source.expressions(site.location.line):
        if isinstance(node, cst.Call) and (
            called(node) == _LOSS or _made(source, node) is not None
        ):
            yield node


def _made(source: Source, call: cst.Call) -> cst.Call | None:
    """Return the call that made the module: `nn.BCELoss()`."""
    if isinstance(call.func, cst.Call):
        return call.func if called(call.func) == "BCELoss" else None
    for node in source.nodes:
        value = node.value if isinstance(node, cst.Assign) else None
        named = isinstance(node, cst.Assign) and dotted(call.func) in [
            dotted(one.target) for one in node.targets
        ]
        if named and isinstance(value, cst.Call) and called(value) == "BCELoss":
            return value
    return None


def _without_sigmoid(
    source: Source, site: EditSite, call: cst.Call
) -> Iterator[Change]:
    """Yield the loss of logits. It changes up to three places: the call or the module's creation, and the sigmoid."""
    replaced = _as_logits(source, call.args[0].value)
    if replaced is None:
        return
    made = _made(source, call)
    func = (made or call).func
    name = _WITH_LOGITS if made is None else "nn.BCEWithLogitsLoss"
    title = f"use `{name}` on the logits, without the sigmoid, at {place(source, call)}"
    write = partial(source.with_nodes, replaced, (func, _renamed(func)))
    variant = Variant(title=title, write=write)
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=0, reason=_REASON
    )
    yield from builder.written(source.line(call), variant)


def _as_logits(source: Source, given: cst.BaseExpression) -> _Replacement | None:
    """Return the probabilities and their logits. They are at the call, or where they are set if read only there."""
    at_call = _sigmoid(given)
    if at_call is not None:
        return given, at_call
    value = _set_once(source, given) if isinstance(given, cst.Name) else None
    logits = _sigmoid(value) if value is not None else None
    if not isinstance(given, cst.Name) or value is None or logits is None:
        return None
    if _reads(source, given.value) == 1:
        return value, logits
    return (given, logits) if dotted(logits) else None


def _renamed(func: cst.BaseExpression) -> cst.BaseExpression:
    name = cst.Name(_WITH_LOGITS if _LOSS in dotted(func) else "BCEWithLogitsLoss")
    return func.with_changes(attr=name) if isinstance(func, cst.Attribute) else name


def _sigmoid(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the input of a sigmoid: `x` of `torch.sigmoid(x)`, `x.sigmoid()` and `nn.Sigmoid()(x)`."""
    if not isinstance(node, cst.Call):
        return None
    if called(node) == "sigmoid" and not node.args:
        return node.func.value if isinstance(node.func, cst.Attribute) else None
    module = isinstance(node.func, cst.Call) and called(node.func) == "Sigmoid"
    taken = (called(node) == "sigmoid" or module) and len(node.args) == 1
    return node.args[0].value if taken else None


def _set_once(source: Source, name: cst.Name) -> cst.BaseExpression | None:
    """Return the value of the only assignment of a name in its function."""
    found = source.values(name, name.value)
    return found[0] if len(found) == 1 else None


def _reads(source: Source, name: str) -> int:
    others = (cst.AssignTarget, cst.Attribute, cst.Param)
    names = (one for one in source.of(cst.Name) if one.value == name)
    return sum(not isinstance(source.parents.get(one), others) for one in names)


def _outside(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield the statement in a region without autocast, with its inputs widened first."""
    statement = source.statement(site.location.line)
    torch = source.imported("torch")
    call = next(_losses(source, site), None)
    if torch is None or site.other is None or call is None:
        return
    if not isinstance(statement, cst.SimpleStatementLine):
        return
    type_ = _kind(source, statement) or device_type(source, statement, site, site.other)
    region = f"{torch}.autocast({type_}, enabled=False)"
    plain = all(dotted(argument.value) for argument in call.args)
    variant = Variant(
        title=f"put {place(source, statement)} under `with {region}:`, in float32",
        write=lambda: _in_region(source, site, statement, call, region),
    )
    why = "" if plain else "other results of the statement are no longer rounded"
    far = ORDER + _OUTSIDE
    builder = ChangeBuilder(
        source=source, site=site, order=far, precision_loss=0, reason=why
    )
    yield from builder.written(source.line(statement), variant, at_call=plain)


def _in_region(
    source: Source,
    site: EditSite,
    statement: cst.SimpleStatementLine,
    call: cst.Call,
    region: str,
) -> bytes | None:
    """Return the file with the statement in the region, and a computed prediction moved before it."""
    hoisted = _hoisted(source, call)
    inner = statement.deep_replace(call, _widened(call, site, hoisted))
    data = source.under(statement, inner, region)
    if data is None or not hoisted:
        return data
    first_line = f"{hoisted} = {source.text(call.args[0].value)}"
    return Source(source.path, data).before(source.line(statement), first_line)


def _hoisted(source: Source, call: cst.Call) -> str:
    """Return a free name for a prediction that the call computes. That one stays in autocast."""
    first = call.args[0].value if call.args else None
    if not isinstance(first, cst.Call) or (
        called(first) == "float" and isinstance(first.func, cst.Attribute)
    ):
        return ""
    taken = source.text(source.tree)
    return next(name for n in count() if (name := f"prediction{n or ''}") not in taken)


def _widened(call: cst.Call, site: EditSite, hoisted: str) -> cst.Call:
    """Return the loss of prediction and target in float32."""
    values = [argument.value for argument in call.args[:2]]
    if hoisted:
        values[0] = cst.Name(hoisted)
    pairs = zip(call.args, values, strict=False)
    wide = [_wide(argument, site, value) for argument, value in pairs]
    return call.with_changes(args=[*wide, *call.args[2:]])


def _wide(argument: cst.Arg, site: EditSite, value: cst.BaseExpression) -> cst.Arg:
    """Return an argument in float32, unless it already is."""
    known = site.names.get(dotted(value), "").startswith("float32")
    return argument.with_changes(value=value if known else method(value, "float"))


def _kind(source: Source, statement: cst.CSTNode) -> str:
    """Return the device argument of the region around a statement: `device` of `torch.autocast(device)`."""
    for above in source.around(statement):
        for item in above.items if isinstance(above, cst.With) else ():
            if (
                isinstance(item.item, cst.Call)
                and called(item.item) == "autocast"
                and item.item.args
            ):
                first = item.item.args[0]
                return source.text(first.value) if first.keyword is None else ""
    return ""
