"""Give a function another dtype or device to hand on to what makes the tensor: `setup_caches(1, dtype=x.dtype)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import spellings
from ..nodes import called, dotted, keyword, name_of, with_argument
from ..source import Source
from .conversion import spelled

ORDER = 9
_FAR = 3
"""So many functions may hand it on."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield changes of the calls of a function whose parameter says what is made on the line."""
    if site.role not in ("born", "cast", "moved") or not site.blamed:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for call in source.calls(site.location.line, site.op):
        for given in call.args:
            if name_of(given) in ("", site.about):
                yield from _from_callers(builder, given.value, _FAR)


def _from_callers(
    builder: ChangeBuilder, value: cst.BaseExpression, far: int
) -> Iterator[Change]:
    """Yield changes of what a function's callers give for a parameter, or for the one that they hand on."""
    source, function = builder.source, builder.source.function(value)
    names = [n.name.value for n in function.params.params] if function else []
    name = dotted(value)
    if function is None or name not in names or not far:
        return
    owner = source.above(function, cst.ClassDef)
    place = names.index(name) - (owner is not None)
    made = _called_as(function, owner)
    for call in source.of(cst.Call) if name.endswith(builder.site.about) else ():
        if called(call) == made:
            yield from _at_call(builder, call, name, place, far)


def _called_as(function: cst.FunctionDef, owner: cst.ClassDef | None) -> str:
    name = function.name.value
    return owner.name.value if owner is not None and name == "__init__" else name


def _at_call(
    builder: ChangeBuilder, call: cst.Call, name: str, place: int, far: int
) -> Iterator[Change]:
    plain = [one for one in call.args if not name_of(one)][place : place + 1]
    named = [one for one in call.args if name_of(one) == name]
    given = next(iter((*named, *plain)), None)
    texts = spellings(builder.source, call, builder.site)
    if given is not None:
        yield from _from_callers(builder, given.value, far - 1)
        if spelled(given.value, builder.site) == builder.site.have:
            yield from builder.replaced(given.value, *map(cst.parse_expression, texts))
    elif not any(one.star for one in call.args):
        values = map(cst.parse_expression, texts)
        new = (with_argument(call, keyword(name, value)) for value in values)
        yield from builder.replaced(call, *new)
