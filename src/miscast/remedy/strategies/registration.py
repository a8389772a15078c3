"""Let a module know what it holds, so that `.to()` and `.half()` reach it: `self.register_buffer("mean", …)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import called, calls_any
from ..source import Source

ORDER = 8
EVERYWHERE = True
_LISTS = (cst.List, cst.ListComp, cst.Tuple)
_DICTS = (cst.Dict, cst.DictComp)
_LISTED = re.compile(r"(\w+)\[")
_ATTRIBUTE = re.compile(r"\bself\.(\w+)")


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield the registration of a tensor or a list of modules that `self.name = value` stores in a module.

    On the line where the tensor was made, or anywhere under a name by which the failing line reads it.
    """
    reason = "it is then converted and saved with its module"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=0, reason=reason
    )
    if site.role in ("born", "cast", "moved", "loaded"):
        for part, name in _kept(source, source.statement(site.location.line)):
            yield from _registered(builder, part, name)
    elif site.role == "use":
        names = _read(site)
        for node in source.of(cst.SimpleStatementLine) if names else ():
            for part, name in _kept(source, node):
                if name in names and bool(_container(part.value)) is site.parameter:
                    yield from _registered(builder, part, name)


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
        target = part.targets[0].target
        if (
            isinstance(target, cst.Attribute)
            and isinstance(target.value, cst.Name)
            and target.value.value == "self"
        ):
            yield part, target.attr.value


def _registered(
    builder: ChangeBuilder, part: cst.Assign, name: str
) -> Iterator[Change]:
    container = _container(part.value)
    if container:
        nn = "nn" if builder.source.bound("nn") else "torch.nn"
        kind = cst.parse_expression(f"{nn}.{container}")
        yield from builder.replaced(part.value, cst.Call(kind, [cst.Arg(part.value)]))
    elif not builder.site.parameter and not _constructs(part.value):
        text = cst.Arg(
            cst.SimpleString(f'"{name}"'),
            comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")),
        )
        call = cst.Call(
            cst.parse_expression("self.register_buffer"), [text, cst.Arg(part.value)]
        )
        yield from builder.replaced(part, cst.Expr(call))


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


def _constructs(value: cst.BaseExpression) -> bool:
    """Check whether a class is called. A module or parameter registers itself when it is assigned."""
    return isinstance(value, cst.Call) and called(value)[:1].isupper()


def _in_module(source: Source, node: cst.CSTNode) -> bool:
    """Check whether a statement is in `__init__` of a class that derives from any class."""
    function, owner = source.function(node), source.above(node, cst.ClassDef)
    if owner is None or function is None:
        return False
    return bool(owner.bases) and function.name.value == "__init__"
