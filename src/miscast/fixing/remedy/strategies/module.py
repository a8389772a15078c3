"""Convert a module that nobody converted: where it is made (`Net().to(device)`), or where its kind is made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import libcst as cst

from ..at_hand import LAYERS
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import METHODS, conversions, plainly, spelled_out, spellings
from ..nodes import called, dotted, keyword, last, with_argument
from ..source import Source

ORDER = 30
_AT_ONCE = 12
EVERYWHERE = True
_ITSELF = frozenset({
    "to", "type", "cuda", "cpu", "half", "float", "double", "bfloat16", "eval", "train", "requires_grad_",
})  # fmt: skip
_MODULE = cst.Module([])
_NO_MODULES = frozenset({"super", "append", "range", "tuple", "list", "dict"})


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield changes of the statements that make or convert a parameter's module, or its parent."""
    if not site.parameter:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    if site.role in ("born", "cast", "moved"):
        for call in source.expressions(site.location.line):
            if isinstance(call, cst.Call) and _makes(call):
                yield from _made_as(replace(builder, order=_AT_ONCE), call)
                yield from builder.replaced(call, *conversions(source, call, site))
    if site.role in ("use", "caller"):
        for rank, statement, value in assigned(source, site):
            ranked = replace(builder, order=ORDER - 5 + rank)
            yield from ranked.replaced(value, *conversions(source, value, site))
            yield from _line_after(ranked, statement)
        for call in _made_in_lists(source, site) if site.role == "use" else ():
            nearer = replace(builder, order=ORDER - 5)
            yield from nearer.replaced(call, *conversions(source, call, site))


def _made_in_lists(source: Source, site: EditSite) -> Iterator[cst.Call]:
    """Yield the calls of the class that made a weight, in a list of modules: `[Net() for _ in range(4)]`."""
    made = site.start
    line = source.statement(made.line) if made and made.file == source.path else None
    owner = source.above(line, cst.ClassDef) if line is not None else None
    names = {owner.name.value} if owner is not None else set()
    for one in source.of(cst.ListComp) if names else ():
        if isinstance(one.elt, cst.Call) and called(one.elt) in names:
            yield one.elt


def _made_as(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    """Yield torch's layer made with another's weights' dtype: `nn.Linear(n, r, dtype=base.weight.dtype)`."""
    if last(call.func) not in LAYERS:
        return
    about = builder.site.about
    reason = "its initial weights are different random numbers"
    new = [
        with_argument(call, keyword(about, cst.parse_expression(text)))
        for text in spellings(builder.source, call, builder.site)
        if text.endswith(f".weight.{about}")
    ]
    yield from replace(builder, reason=reason).replaced(call, *new)


def _makes(call: cst.Call) -> bool:
    """Check whether a call may return a module: a class by its name, or a method that returns its module."""
    name = last(call.func)
    if name in _NO_MODULES or name.endswith("Config"):
        return False
    makes = name.startswith(("from_", "create_", "build"))
    return makes or name in _ITSELF or name[:1].isupper()


def assigned(
    source: Source, site: EditSite
) -> Iterator[tuple[int, cst.SimpleStatementLine, cst.BaseExpression]]:
    """Yield the statements that assign a name on the module's path: `models.unet.conv_in`, its root first.

    In a root's rank its last assignment comes first: there everything has been done to it.
    """
    parts = [part.partition("[")[0] for part in site.path.split(".")]
    found = [
        (parts.index(name), statement, value)
        for statement, name, value in _made_modules(source)
        if name in parts
        and not _is_done(value, site)
        and not _is_not_run(source, statement, site)
    ]
    found.reverse()
    yield from sorted(found, key=lambda item: item[0])


def _is_not_run(source: Source, statement: cst.CSTNode, site: EditSite) -> bool:
    """Check whether a statement is in one branch of an `if`, of which another made the tensor."""
    at = site.start
    made = source.statement(at.line) if at and at.file == source.path else None
    here = list(source.around(statement))
    there = list(source.around(made)) if made is not None else []
    both = (n for n in here if isinstance(n, cst.If) and n in there)
    return any((n.body in here) != (n.body in there) for n in both)


@lru_cache(maxsize=16)
def _made_modules(
    source: Source,
) -> Sequence[tuple[cst.SimpleStatementLine, str, cst.BaseExpression]]:
    """Return each name that may be set to a module, the last part of a dotted one, with its value."""
    plain = {n.name.value for n in source.of(cst.ClassDef) if not n.bases}
    pairs = ((n, *pair) for n in source.of(cst.SimpleStatementLine) for pair in _set(n))
    return [(n, last(t), value) for n, t, value in pairs if _gives_one(t, value, plain)]


def _set(
    statement: cst.SimpleStatementLine,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    for part in statement.body:
        yield from _pairs(part) if isinstance(part, cst.Assign) else ()


def _pairs(
    assign: cst.Assign,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Yield what is assigned to what: `a, b = Net(), Net()` is two."""
    for one in assign.targets:
        target, value = one.target, assign.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            several = zip(target.elements, value.elements, strict=False)
            yield from ((left.value, right.value) for left, right in several)
        else:
            yield target, value


def _is_done(value: cst.BaseExpression, site: EditSite) -> bool:
    """Check whether an expression ends with the conversion that the site wants: `Net().half().cuda()`."""
    words = spelled_out(site.about, site.want)
    kinds = {"dtype": METHODS.values(), "device": ("cuda", "cpu")}[site.about]
    while isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        if called(value) in kinds and not value.args:
            return f".{called(value)}()" in words
        if called(value) == "to":
            texts = [_MODULE.code_for_node(one.value) for one in value.args]
            if any(text in words or site.fits_as(text) for text in texts):
                return True
        value = value.func.value
    return False


def _gives_one(
    target: cst.BaseExpression, value: cst.BaseExpression, plain: Collection[str]
) -> bool:
    """Check for a call that may give a module, or one that was handed over: `self.model = model`. `plain`: classes."""
    if isinstance(value, cst.Call):
        return _makes(value) and called(value) not in plain
    return isinstance(value, cst.Name) and isinstance(target, cst.Attribute)


def _line_after(
    builder: ChangeBuilder, statement: cst.SimpleStatementLine
) -> Iterator[Change]:
    """`unet.to(torch.float16)` behind the assignment."""
    source, site = builder.source, builder.site
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign):
        return
    name, text = dotted(assign.targets[0].target), plainly(source, site)
    if not name or text is None:
        return
    line, write = source.line(statement), partial(source.after, statement)
    where = f"after {source.name}:{line}"
    yield from builder.inserted(where, line, write, [f"{name}.to({text})"])
