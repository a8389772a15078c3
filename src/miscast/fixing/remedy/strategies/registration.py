"""Let a module know what it holds, so that `.to()` and `.half()` reach it: `self.register_buffer("mean", …)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import libcst as cst

from ....core.dtypes import DTYPES, is_floating_point
from .. import words
from ..change import Change, ChangeBuilder, Variant
from ..edit_site import EditSite
from ..nodes import called, calls_any, dotted, keyword, last, spaced
from ..source import Source

ORDER = 8
EVERYWHERE = True
_LISTS = (cst.List, cst.ListComp, cst.Tuple)
_DICTS = (cst.Dict, cst.DictComp)
_MODULES = "Module", "Model"
"""How the names of classes of modules end."""
_LISTED = re.compile(r"(\w+)\[")
_FOLLOWED = re.compile(r"\bself\.(\w+)\.(?:device|dtype)\b")
_ATTRIBUTE = re.compile(r"\bself\.(\w+)")


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield the registration of a tensor or a list of modules that `self.name = value` stores in a module.

    On the line where the tensor was made, or anywhere under a name by which the failing line reads it.
    """
    reason = "it is then converted with its module"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=0, reason=reason
    )
    if site.want in DTYPES and not is_floating_point(site.want):
        return  # no conversion of a module makes its tensors integers
    if site.role in ("born", "cast", "moved", "loaded"):
        yield from _where_made(builder)
    elif site.role == "use":
        yield from _where_read(builder)


def _where_made(builder: ChangeBuilder) -> Iterator[Change]:
    source, at = builder.source, builder.site.location
    followed = _FOLLOWED.findall(at.code)
    line, makers = source.statement(at.line), _makers(builder)
    others = source.of(cst.SimpleStatementLine) if followed or makers else ()
    for statement in (line, *others):
        for part, name in _kept(source, statement):
            call = part.value if isinstance(part.value, cst.Call) else None
            made = statement is line or (call is not None and called(call) in makers)
            if made or name in followed:
                yield from _registered(builder, part, name)


def _makers(builder: ChangeBuilder) -> tuple[str, ...]:
    """Return the function that made a tensor on another device, if it is a plain one: `self.mask = causal_mask(n)`."""
    source, site = builder.source, builder.site
    name = site.location.function
    return (name,) if site.about == "device" and name in source.defined else ()


def _where_read(builder: ChangeBuilder) -> Iterator[Change]:
    source, site = builder.source, builder.site
    names = _read(site)
    lines = source.of(cst.SimpleStatementLine) if names else ()
    kept = [one for node in lines for one in _kept(source, node)]
    for part, name in kept:
        if name in names and bool(_container(part.value)) is site.parameter:
            yield from _registered(builder, part, name)
    yield from _all_registered(builder, kept)


def _all_registered(
    builder: ChangeBuilder, kept: Sequence[tuple[cst.Assign, str]]
) -> Iterator[Change]:
    """Yield the registration of all tensors of a module that are like the offending one, if there are several."""
    source, offends = builder.source, builder.site.offends
    pairs = [
        (part, _as_buffer(part, name))
        for part, name in kept
        if offends(f"self.{name}") and not _is_held(part.value)
    ]
    if len(pairs) > 1 and not builder.site.parameter:
        title = ", and ".join(
            words.replaced(source, *pair, builder.site.about) for pair in pairs
        )
        write = partial(source.with_nodes, *pairs)
        yield from builder.written(
            source.line(pairs[0][0]), Variant(title=title, write=write)
        )


def _read(site: EditSite) -> frozenset[str]:
    """Return the lists on a parameter's module path, or the `self` attributes on a plain tensor's line."""
    if site.parameter:
        return frozenset(_LISTED.findall(site.path))
    read = _ATTRIBUTE.findall(site.location.code)
    known = (True,) if site.about == "dtype" else (True, None)
    return frozenset(name for name in read if site.offends(f"self.{name}") in known)


def _kept(
    source: Source, statement: cst.CSTNode | None
) -> Iterator[tuple[cst.Assign, str]]:
    """Yield each `self.name = value` of a statement in the `__init__` of a possible module."""
    if not isinstance(statement, cst.SimpleStatementLine) or not _in_module(
        source, statement
    ):
        return
    for part in statement.body:
        if not isinstance(part, cst.Assign) or len(part.targets) != 1:
            continue
        owner, _, name = dotted(part.targets[0].target).rpartition(".")
        if owner == "self":
            yield part, name


def _registered(
    builder: ChangeBuilder, part: cst.Assign, name: str
) -> Iterator[Change]:
    container = _container(part.value)
    if container:
        nn = "nn" if builder.source.bound("nn") else "torch.nn"
        kind = cst.parse_expression(f"{nn}.{container}")
        saved = replace(
            builder, reason="it is then converted and saved with its module"
        )
        yield from saved.replaced(part.value, cst.Call(kind, [cst.Arg(part.value)]))
    elif not builder.site.parameter and not _is_held(part.value):
        yield from builder.replaced(part, _as_buffer(part, name))


def _as_buffer(part: cst.Assign, name: str) -> cst.Expr:
    plain = [cst.Arg(cst.SimpleString(f'"{name}"')), cst.Arg(part.value)]
    # checkpoints do not have it
    args = spaced([*plain, keyword("persistent", cst.Name("False"))])
    return cst.Expr(cst.Call(cst.parse_expression("self.register_buffer"), args))


def _container(value: cst.BaseExpression) -> str:
    """Return the class of torch that holds what a list or a dict does; "" for all else."""
    name = called(value) if isinstance(value, cst.Call) else ""
    if isinstance(value, _DICTS) or name == "dict":
        kind = "Dict"
    elif isinstance(value, _LISTS) or name in ("list", "tuple"):
        kind = "List"
    else:
        return ""
    return f"Parameter{kind}" if calls_any(value, ("Parameter",)) else f"Module{kind}"


def _is_held(value: cst.BaseExpression) -> bool:
    """Check for a container, or a class that is called: a module or parameter registers itself when it is assigned."""
    constructs = isinstance(value, cst.Call) and called(value)[:1].isupper()
    return constructs or bool(_container(value))


def _in_module(source: Source, node: cst.CSTNode) -> bool:
    """Check whether a statement is in `__init__` of a class of modules."""
    function, owner = source.function(node), source.above(node, cst.ClassDef)
    if owner is None or function is None:
        return False
    return function.name.value == "__init__" and _is_module(source, owner)


def _is_module(source: Source, owner: cst.ClassDef) -> bool:
    """Check whether a class, or one that it derives from in its file, has a `forward` or a module's name for a base."""
    bases = {last(base.value) for base in owner.bases}
    kin = (n for n in source.of(cst.ClassDef) if n.name.value in bases)
    return bool(bases) and any(map(_may_be_called, (owner, *kin)))


def _may_be_called(owner: cst.ClassDef) -> bool:
    if any(last(base.value).endswith(_MODULES) for base in owner.bases):
        return True
    methods = (one for one in owner.body.body if isinstance(one, cst.FunctionDef))
    return any(one.name.value == "forward" for one in methods)
