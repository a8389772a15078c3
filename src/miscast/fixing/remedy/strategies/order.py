"""Move a model before its tensors are copied, or the state of its optimizer is loaded, which stay where they were.

put `model.to(device)` of train.py:38 before train.py:37
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import assigned, below, called, calls_any, dotted
from ..source import Source
from ..words import place

ORDER = 5
_MOVES = ("to", "cuda", "xpu")


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each statement that moves something too late, to before what reads it."""
    here = source.statement(site.location.line)
    if site.role != "moved" or site.about != "device" or here is None:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    if site.op == "load_state_dict":
        for moving in source.of(cst.SimpleStatementLine):
            if _moved(moving):
                yield from put_before(builder, moving, [here, *_calls_of(source, here)])
    elif not site.blamed and isinstance(here, cst.SimpleStatementLine) and _moved(here):
        # the other operand was copied from it before
        builder = replace(builder, site=replace(site, blamed=True), precision_loss=0)
        yield from put_before(builder, here, _first_read(source, here))


def _moved(statement: cst.SimpleStatementLine) -> str:
    """Return what a statement moves and does nothing else: "model" of `model.to(device)`."""
    value = getattr(statement.body[0], "value", None)
    if not isinstance(value, cst.Call) or called(value) not in _MOVES:
        return ""
    return dotted(value.func).rpartition(".")[0]


def _calls_of(source: Source, node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the statements that call the function around a node."""
    own, lines = source.function(node), source.of(cst.SimpleStatementLine)
    return [n for n in lines if own and calls_any(n, {own.name.value})]


def _first_read(source: Source, moving: cst.SimpleStatementLine) -> list[cst.CSTNode]:
    """Return the first statement of the same block that reads what is moved after it was assigned."""
    name, block = _moved(moving), source.parents[moving]
    reads: list[cst.CSTNode] = []
    for one in source.of(cst.SimpleStatementLine):
        if source.parents[one] is block and source.line(one) < source.line(moving):
            if name in map(source.text, assigned(one)):
                reads = []
            elif any(dotted(node) == name for node in below(one)):
                reads.append(one)
    return reads[:1]


def put_before(
    builder: ChangeBuilder, moving: cst.SimpleStatementLine, firsts: list[cst.CSTNode]
) -> Iterator[Change]:
    """Yield the change that puts a later statement before one of these, or the block of its own level around it."""
    source = builder.source
    for reader in firsts:
        for first in (reader, *source.around(reader)):
            if source.parents.get(first) is source.parents[moving] and source.line(
                moving
            ) > source.line(first):
                title = f"put `{source.text(moving)}` of {place(source, moving)} before {place(source, first)}"
                write = partial(_before, source, source.line(first), moving)
                variant = Variant(title=title, write=write)
                yield from builder.written(source.line(first), variant)


def _before(
    source: Source, line: int, statement: cst.SimpleStatementLine
) -> bytes | None:
    rest = source.without(statement)
    return rest and Source(source.path, rest).before(line, source.text(statement))
