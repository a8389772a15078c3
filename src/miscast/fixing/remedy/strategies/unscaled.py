"""Put the calls of a GradScaler where they belong: `unscale_` before gradients are used, once per step, `update` after.

scaler.unscale_(optimizer)      added before the line that clips, or with it under the `if` of `scaler.step(optimizer)`
scaler.update()                 out of an `if`, behind `scaler.step(optimizer)`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import dropwhile, takewhile

import libcst as cst

from .. import words
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, calls_any, dotted
from ..source import Source
from .order import put_before

ORDER = 1
_LOOKS = ("clip", "clip_grad_norm_", "clip_grad_value_", "add", "norm")
_REASON = "training changes: the gradients are used unscaled"
_OTHER = "training changes: steps that were lost are taken"


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield it before the line that does so, or the change that a call of the scaler's is put elsewhere by."""
    if site.role != "scaled":
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER, reason=_REASON)
    line = site.location.line
    here = source.statement(line)
    if site.op in _LOOKS:
        yield from _before(builder, line, here)
    elif isinstance(here, cst.SimpleStatementLine):
        builder = replace(builder, reason=_OTHER)
        for later in _steps(source, here) if calls_any(here, {"unscale_"}) else ():
            yield from _with_its_step(builder, here, later)
        if calls_any(here, {"step"}):
            yield from _updated(builder, here)


def _before(
    builder: ChangeBuilder, line: int, here: cst.CSTNode | None
) -> Iterator[Change]:
    """Yield the unscaling of gradients before a line: moved there, or with the names of `scaler.step(optimizer)`."""
    source = builder.source
    for later in source.of(cst.SimpleStatementLine):
        if here is not None and calls_any(later, {"unscale_"}):
            yield from put_before(builder, later, [here])
    where, write = f"before {source.name}:{line}", partial(source.before, line)
    steps = (_step(one) for one in _steps(source, here)) if here is not None else ()
    texts = dict.fromkeys(
        f"{dotted(call.func.value)}.unscale_({source.text(call.args[0].value)})"
        for call in steps
        if call is not None and isinstance(call.func, cst.Attribute)
    )
    for text in texts:
        yield from builder.inserted(where, line, write, [text])


def _step(statement: cst.CSTNode) -> cst.Call | None:
    """Return the call of a statement `scaler.step(optimizer)`."""
    part = getattr(statement, "body", (None,))[0]
    call = getattr(part, "value", None)
    if not isinstance(call, cst.Call) or called(call) != "step" or len(call.args) != 1:
        return None
    return call if dotted(call.func).count(".") else None


def _steps(source: Source, here: cst.CSTNode) -> list[cst.SimpleStatementLine]:
    """Return the steps of a scaler after a statement, in its function."""
    own, line = source.function(here), source.line(here)
    steps = (one for one in source.of(cst.SimpleStatementLine) if _step(one))
    later = (one for one in steps if source.line(one) > line)
    return [one for one in later if source.function(one) is own]


def _with_its_step(
    builder: ChangeBuilder, here: cst.SimpleStatementLine, step: cst.CSTNode
) -> Iterator[Change]:
    """Yield a statement, with all between it and the `if` of a later step, put before that step."""
    source = builder.source
    block = getattr(source.parents[here], "body", ())
    branch = next((n for n in source.around(step) if n in block), None)
    rest = dropwhile(lambda one: one is not here, block)
    moved = [*takewhile(lambda one: one is not branch, rest)]
    if isinstance(branch, cst.If) and all(isinstance(n, type(here)) for n in moved):
        first = branch.body.body[0]
        write = partial(_under, source, moved, first)
        yield from _put(builder, here, "before", first, write)


def _under(
    source: Source, moved: Sequence[cst.CSTNode], step: cst.CSTNode
) -> bytes | None:
    """Return the file with statements before a later one."""
    data: bytes | None = source.data
    for one in reversed(moved):
        now = Source(source.path, data or b"")
        data = now.before(source.line(step), source.text(one))
    for one in reversed(moved):
        now = Source(source.path, data or b"")
        statement = now.statement(source.line(one))
        data = now.without(cst.ensure_type(statement, cst.SimpleStatementLine))
    return data


def _updated(builder: ChangeBuilder, step: cst.SimpleStatementLine) -> Iterator[Change]:
    """Yield `scaler.update()` behind a step: from a later place, or added."""
    source, call = builder.source, _step(step)
    text = f"{dotted(call.func).rpartition('.')[0]}.update()" if call else ""
    updates = [n for n in source.of(cst.SimpleStatementLine) if source.text(n) == text]
    for one in updates:
        if source.line(one) > source.line(step):
            moved = partial(_behind, source, one, step)
            yield from _put(builder, one, "after", step, moved)
    if text and not updates:
        where = f"after {words.place(source, step)}"
        write = partial(source.after, step)
        yield from builder.inserted(where, source.line(step), write, [text])


def _behind(
    source: Source, later: cst.SimpleStatementLine, step: cst.CSTNode
) -> bytes | None:
    rest = Source(source.path, source.without(later) or b"")
    before = rest.statement(source.line(step))
    return rest.after(before, source.text(later)) if before is not None else None


def _put(
    builder: ChangeBuilder,
    moved: cst.CSTNode,
    where: str,
    step: cst.CSTNode,
    write: Callable[[], bytes | None],
) -> Iterator[Change]:
    source = builder.source
    at, to = words.place(source, moved), words.place(source, step)
    title = f"put `{source.text(moved)}` of {at} {where} {to}"
    yield from builder.written(source.line(moved), Variant(title=title, write=write))
