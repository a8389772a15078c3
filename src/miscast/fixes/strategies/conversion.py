"""Drop a conversion that stands in the code, or change what it converts to: `x.float()`, `model.to("cpu", half)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import libcst as cst

from ...dtypes import DTYPES, parse
from ..change import Change, Maker, Spelling, rounds
from ..edit_site import Spot
from ..names import METHODS, place, plainly, siblings, spellings
from ..nodes import called, dotted, last, method, spaced
from ..offloading import is_kept
from ..rounding import spoils
from ..source import Source

ORDER = 20
_DEVICES = frozenset({"cuda", "cpu", "xpu", "npu", "ipu"})
_GENERAL = frozenset({"to", "type", "type_as", "to_empty", "astype"})


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """Every conversion on the line, and every dtype or device that is spelled on it."""
    if spot.role in ("absent", "forbidden"):
        return
    at = place(spot.location)
    make = Maker(source=source, spot=spot, order=ORDER if spot.role in ("cast", "moved") else ORDER + 25)
    for node in source.expressions(spot.location.line):
        if (rounds(spot) and spoils(source, node)) or (spot.about == "device" and is_kept(source, node)):
            continue
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            if _converts(node, spot):
                yield from _dropped(make, node, at)
                yield from _changed(make, node, at)
            elif called(node) in _GENERAL:
                yield from _general(make, node, at)
    for node in source.expressions(spot.location.line):
        if rounds(spot) and spoils(source, node):
            continue
        if spelled(node, spot) == spot.have and spot.role not in ("use", "caller"):
            text = plainly(source, spot)
            if text and not isinstance(source.parents.get(node), cst.Attribute):
                new = cst.parse_expression(text)
                yield from make.replaced(node, (f"write {text} for {source.text(node)}, at {at}", new))


def spelled(node: cst.CSTNode, spot: Spot) -> str:
    """The dtype (device) that a literal names: "float32" for `torch.float32` and "fp32"; "" for all else."""
    text = dotted(node)
    if isinstance(node, cst.SimpleString):
        text = str(node.evaluated_value)
        if spot.about == "device":
            return f"{text}:0" if text in _DEVICES - {"cpu"} else text
    elif not text.startswith(("torch.", "np.", "numpy.")):
        return ""
    try:
        return parse(text) if text.rpartition(".")[2] not in ("float", "int", "bool", "long") or "." in text else ""
    except (ValueError, KeyError):
        return ""


def _converts(call: cst.Call, spot: Spot) -> bool:
    """Whether a call is a method that does nothing but convert to what the tensor has: `.float()`, `.cpu()`."""
    name = called(call)
    if spot.about == "device":
        return name in _DEVICES and name != spot.want.partition(":")[0]
    return METHODS.get(spot.have) == name


def _dropped(make: Maker, call: cst.Call, at: str) -> Iterator[Change]:
    source, spot = make.source, make.spot
    assert isinstance(call.func, cst.Attribute)
    title = f"drop `.{called(call)}({', '.join(map(source.text, call.args))})` at {at}"
    write = _without(source, call)
    yield from make.written(source.line(call), Spelling(title=title, write=write), reason=_why(spot))


def _without(source: Source, call: cst.Call) -> Callable[[], bytes | None]:
    """Its receiver instead of a call, or, where it stands alone (`unet.half()`), nothing."""
    assert isinstance(call.func, cst.Attribute)
    receiver, statement = call.func.value, source.parents.get(source.parents.get(call, call))
    parent = source.parents.get(call)
    alone = isinstance(parent, cst.Expr) and _only_reads(receiver)
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        alone = source.text(parent.targets[0].target) == source.text(receiver)  # `x = x` says nothing
    if alone and isinstance(statement, cst.SimpleStatementLine):
        return lambda: source.without(statement)
    return lambda: source.with_node(call, receiver)


def _only_reads(node: cst.BaseExpression) -> bool:
    """Whether an expression only looks something up: `unet`, `blocks[0]`, `encoder.get_input_embeddings()`."""
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        if isinstance(node, cst.Call):
            if node.args or not called(node).startswith("get_"):
                return False
            node = node.func
        else:
            node = node.value
    return isinstance(node, cst.Name)


def _why(spot: Spot) -> str:
    return "" if spot.about == "device" else f"what is computed with it is no longer {spot.have}"


def _changed(make: Maker, call: cst.Call, at: str) -> Iterator[Change]:
    source, spot = make.source, make.spot
    assert isinstance(call.func, cst.Attribute)
    new = []
    for text in spellings(source, call, spot, siblings(source, call)):
        node = method(call.func.value, "to", cst.Arg(cst.parse_expression(text)))
        new.append((f"write `.to({text})` for `.{called(call)}()`, at {at}", node))
    if spot.about == "dtype" and spot.want in METHODS:
        name = METHODS[spot.want]
        new.append((f"write `.{name}()` for `.{called(call)}()`, at {at}", method(call.func.value, name)))
    yield from make.replaced(call, *new)


def _general(make: Maker, call: cst.Call, at: str) -> Iterator[Change]:
    """`.to(…)`: without the argument that gives the dtype (device), or with another one."""
    source, spot = make.source, make.spot
    assert isinstance(call.func, cst.Attribute)
    for index, argument in enumerate(call.args):
        if not _gives(argument, spot):
            continue
        told = source.text(argument)
        new = []
        for text in spellings(source, call, spot, siblings(source, call)):
            args = list(call.args)
            args[index] = argument.with_changes(value=cst.parse_expression(text))
            new.append((f"write {text} for {told}, at {at}", call.with_changes(args=args)))
        if len(call.args) > 1:
            shorter = call.with_changes(args=spaced([a for a in call.args if a is not argument]))
            write: Callable[[], bytes | None] = partial(source.with_node, call, shorter)
        else:
            write = _without(source, call)
        told = f"`.{called(call)}({told})`" if len(call.args) == 1 else told
        drop = Spelling(title=f"drop {told} at {at}", write=write)
        yield from make.written(source.line(call), drop, reason=_why(spot))
        yield from make.replaced(call, *new)


def _gives(argument: cst.Arg, spot: Spot) -> bool:
    """Whether an argument of `.to` may be its dtype (its device)."""
    named = argument.keyword.value if argument.keyword else ""
    if named:
        return named == spot.about
    name = last(argument.value).lower()
    other = {"dtype": "device", "device": "dtype"}[spot.about]
    if name.endswith(other) or (spot.about == "device" and name in DTYPES):
        return False
    if isinstance(argument.value, cst.SimpleString):
        return spot.about == "device"
    return spot.about == "device" or name in DTYPES or name.endswith("dtype") or not name.startswith("dev")
