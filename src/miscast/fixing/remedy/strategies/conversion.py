"""Drop a conversion that stands in the code, or change what it converts to: `x.float()`, `model.to("cpu", half)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from ....core.dtypes import DTYPES, parse
from .. import words
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite, drops_fractions
from ..names import METHODS, conversions, plainly, siblings, spellings
from ..nodes import called, dotted, keyword, last, name_of, spaced, with_argument
from ..offloading import is_kept
from ..rounding import is_meant, is_wide_on_purpose, rounds_too_early
from ..source import Source

ORDER = 20
_DEVICES = frozenset({"cuda", "cpu", "xpu", "npu", "ipu"})
_GENERAL = frozenset({"to", "type", "type_as", "to_empty", "astype"})


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each conversion on the line, and each dtype or device in it."""
    if site.role in ("absent", "forbidden", "scaled", "defined"):
        return
    order = ORDER if site.role in ("cast", "moved") else ORDER + 25
    builder = ChangeBuilder(source=source, site=site, order=order)
    here = source.expressions(site.location.line)
    nodes = [node for node in here if not rounds_too_early(source, site, node)]
    for node in nodes:
        if site.about == "dtype" or not is_kept(source, node):
            yield from _at_call(builder, node)
    for node in nodes if site.role not in ("use", "caller") else ():
        yield from _rewritten(builder, node)


def _at_call(builder: ChangeBuilder, call: cst.BaseExpression) -> Iterator[Change]:
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if is_meant(builder.source, builder.site, call):
        return
    if _converts(call, builder.site):
        yield from _dropped(builder, call)
        yield from _changed(builder, call)
    elif called(call) in _GENERAL:
        yield from _general(builder, call)
    elif builder.site.about == "device":
        yield from _loaded(builder, call)


def _rewritten(builder: ChangeBuilder, node: cst.BaseExpression) -> Iterator[Change]:
    """Another dtype (device) for one that is spelled out."""
    source, site = builder.source, builder.site
    text = plainly(source, site) if spelled(node, site) == site.have else None
    calls = (one for one in source.around(node) if isinstance(one, cst.Call))
    call = next(calls, None)  # that makes a tensor of that dtype, or casts to it
    if call is not None and (
        is_wide_on_purpose(site, call) or is_meant(source, site, call)
    ):
        return
    if text and not isinstance(source.parents.get(node), cst.Attribute):
        yield from builder.replaced(node, cst.parse_expression(text))


def spelled(node: cst.CSTNode, site: EditSite) -> str:
    """Return the dtype (device) of a literal: "float32" for `torch.float32` and "fp32". "" for all else."""
    text = dotted(node)
    if isinstance(node, cst.SimpleString):
        text = str(node.evaluated_value)
        if site.about == "device":
            return f"{text}:0" if text in _DEVICES - {"cpu"} else text
    elif not text.startswith(("torch.", "np.", "numpy.")):
        return ""
    try:
        plain = text in ("float", "int", "bool", "long")
        return "" if plain else parse(text)
    except (ValueError, KeyError):
        return ""


def _converts(call: cst.Call, site: EditSite) -> bool:
    """Check whether a call only converts to what the tensor already has: `.float()`, `.cpu()`."""
    name = called(call)
    if site.about == "device":
        return name in _DEVICES and name != site.want.partition(":")[0]
    return METHODS.get(site.have) == name


def _dropped(
    builder: ChangeBuilder, call: cst.Call, shorter: cst.Call | None = None
) -> Iterator[Change]:
    """Yield the change that removes a conversion, or leaves a shorter one."""
    source, site = builder.source, builder.site
    assert isinstance(call.func, cst.Attribute)
    new = call.func.value if shorter is None else shorter
    write = _without(source, call) if shorter is None else None
    title = words.replaced(source, call, new, site.about)
    drop = Variant(title=title, write=write or partial(source.with_node, call, new))
    # integers that were cast to floats have no fractions
    if drops_fractions(site.have, site.want):
        builder = replace(builder, precision_loss=0)
    # without the cast they stay integers, which fit no better
    elif drops_fractions(site.want, site.placed):
        builder = replace(builder, precision_loss=2)
    yield from replace(builder, reason=_why(site)).written(source.line(call), drop)


def _without(source: Source, call: cst.Call) -> Callable[[], bytes | None]:
    """Return the file with a call replaced by its receiver, or removed if it is alone (`unet.half()`)."""
    assert isinstance(call.func, cst.Attribute)
    receiver = call.func.value
    statement = source.parents.get(source.parents.get(call, call))
    parent = source.parents.get(call)
    alone = isinstance(parent, cst.Expr) and _only_reads(receiver)
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        # `x = x` says nothing
        alone = source.text(parent.targets[0].target) == source.text(receiver)
    if alone and isinstance(statement, cst.SimpleStatementLine):
        return lambda: source.without(statement)
    return lambda: source.with_node(call, receiver)


def _only_reads(node: cst.BaseExpression) -> bool:
    """Check whether an expression only reads: `unet`, `blocks[0]`, `encoder.get_input_embeddings()`."""
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        if isinstance(node, cst.Call):
            if node.args or not called(node).startswith("get_"):
                return False
            node = node.func
        else:
            node = node.value
    return isinstance(node, cst.Name)


def _why(site: EditSite) -> str:
    return "" if site.about == "device" else f"later results are no longer {site.have}"


def _changed(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    source, site = builder.source, builder.site
    assert isinstance(call.func, cst.Attribute)
    beside = siblings(source, call)
    new = conversions(source, call, site, beside, owner=call.func.value)
    yield from builder.replaced(call, *new)


def _general(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    """`.to(…)`: without the argument that gives the dtype (device), or with another one."""
    source, site = builder.source, builder.site
    for index, argument in enumerate(call.args):
        if not _gives(argument, site):
            continue
        new = []
        for text in spellings(source, call, site, siblings(source, call)):
            args = list(call.args)
            args[index] = argument.with_changes(value=cst.parse_expression(text))
            new.append(call.with_changes(args=args))
        rest = spaced([a for a in call.args if a is not argument])
        yield from _dropped(
            builder, call, call.with_changes(args=rest) if rest else None
        )
        yield from builder.replaced(call, *new)


def _loaded(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    """`torch.load(file, map_location=…)` with another device."""
    source = builder.source
    if "map_location" in map(name_of, call.args):
        texts = spellings(source, call, builder.site)
        values = (keyword("map_location", cst.parse_expression(text)) for text in texts)
        new = (with_argument(call, value) for value in values)
        yield from builder.replaced(call, *new)


def _gives(argument: cst.Arg, site: EditSite) -> bool:
    """Check whether an argument of `.to` may be its dtype (its device)."""
    if argument.keyword:
        return name_of(argument) == site.about
    name = last(argument.value).lower()
    other = {"dtype": "device", "device": "dtype"}[site.about]
    if name.endswith(other) or (site.about == "device" and name in DTYPES):
        return False
    if isinstance(argument.value, cst.SimpleString):
        return site.about == "device"
    of_dtype = name in DTYPES or name.endswith("dtype")
    return of_dtype or site.about == "device" or not name.startswith("dev")
