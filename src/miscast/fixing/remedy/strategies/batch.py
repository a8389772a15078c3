"""Convert what a loop takes from a data loader, at the head of its body: `x, y = x.to(device), y.to(device)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import spellings
from ..nodes import dotted, targets
from ..rounding import rounds_too_early, uses_in
from ..source import Source
from ..words import place

ORDER = 35
_WANTED = "…"
"""Stands for the dtype or device in a line."""
_TENSOR = "{name} = {name}.to(…)"
_DICT = "{name} = {{k: v.to(…) for k, v in {name}.items()}}"
_LIST = "{name} = [v.to(…) for v in {name}]"


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield conversions in a loop `for batch in …:` around the line, or before a line that passes a dict."""
    statement = source.statement(site.location.line)
    if site.role == "caller" and site.about == "device" and not site.parameter:
        yield from _handed_on(source, site)
    loop = _loop(source, statement) if statement is not None else None
    if loop is None or site.parameter or site.role not in ("loaded", "caller", "use"):
        return
    order = ORDER + 5 * (loop is not statement)
    builder = ChangeBuilder(source=source, site=site, order=order)
    texts = list(spellings(source, loop.iter, site))
    for line in _lines(source, site, loop):
        where = f"at the start of the loop at {place(source, loop)}"
        new = [line.replace(_WANTED, text) for text in texts]
        write = partial(source.after, loop)
        yield from builder.inserted(where, source.line(loop), write, new)


def _handed_on(source: Source, site: EditSite) -> Iterator[Change]:
    """Move what a call is handed as a dict: `batch = {k: v.to(device) for k, v in batch.items()}`."""
    statement = source.statement(site.location.line)
    line = source.line(statement) if statement is not None else site.location.line
    builder = ChangeBuilder(source=source, site=site, order=ORDER + 5)
    where = f"before {source.name}:{line}"
    for node in source.expressions(site.location.line):
        if isinstance(node, cst.Name) and site.names.get(node.value) == "dict":
            form = _DICT.format(name=node.value)
            texts = [
                form.replace(_WANTED, text) for text in spellings(source, node, site)
            ]
            write = partial(source.before, line)
            yield from builder.inserted(where, line, write, texts)


def _lines(source: Source, site: EditSite, loop: cst.For) -> Iterator[str]:
    """Yield lines that convert what the loop takes, all at once or one name each."""
    names = list(_names(source, site, loop))
    if len(names) > 1 and site.about == "device":
        yield f"{', '.join(names)} = {', '.join(f'{name}.to({_WANTED})' for name in names)}"
    for name in names:
        if not rounds_too_early(source, site, *uses_in(loop, name)):
            yield from (form.format(name=name) for form in _forms(site, name))


def _loop(source: Source, statement: cst.CSTNode) -> cst.For | None:
    """Return the loop that a statement begins, or is in, within its function."""
    around = (statement, *source.around(statement))
    found = next(
        (node for node in around if isinstance(node, (cst.For, cst.FunctionDef))), None
    )
    return found if isinstance(found, cst.For) else None


def _names(source: Source, site: EditSite, loop: cst.For) -> Iterator[str]:
    """Yield the loop's names that may hold the fault."""
    body = source.text(loop.body)
    for target in targets(loop.target):
        name = dotted(target)
        if (
            name.strip("_")
            and _may_be_offending(site, name)
            and not _is_written_or_called(body, name)
        ):
            yield name


def _forms(site: EditSite, name: str) -> tuple[str, ...]:
    is_dict = site.names.get(name) == "dict"
    if site.about == "dtype":
        return () if is_dict else (_TENSOR,)
    return (_DICT,) if is_dict else (_TENSOR, _DICT, _LIST)


def _is_written_or_called(body: str, name: str) -> bool:
    """Check whether a loop writes to a name's value in place, which a copy would lose, or calls it: a layer."""
    return re.search(rf"\b{re.escape(name)}(?:\.\w+[a-z]_)?\(", body) is not None


def _may_be_offending(site: EditSite, name: str) -> bool:
    """Check whether a name may be the mismatching value, or hold it."""
    return site.offends(name) is not False or site.names[name] in ("", "dict")
