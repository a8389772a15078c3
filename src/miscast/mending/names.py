"""What a line can say for a dtype or a device: `latent.dtype`, a name at hand (`self.dtype`), or the thing itself."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..event import Location
from ..finding import Subject
from .source import Source, dotted, last
from .spot import Spot

_LIKES = 2
_AT_HAND = 3
_SHAPED = ("shape", "size", "device", "dtype", "ndim")


def spellings(source: Source, node: cst.CSTNode, spot: Spot, likes: Iterator[str]) -> Iterator[str]:
    """Ways to spell what the spot wants, at a node: the one that follows a tensor first, the plain one last."""
    found: dict[str, None] = {}
    names = [name for name in dict.fromkeys(likes) if spot.fits(name) is not False]
    names.sort(key=lambda name: spot.fits(name) is None)
    found.update((f"{name}.{spot.about}", None) for name in names[:_LIKES])
    texts = [text for text in at_hand(source, node, spot.about) if spot.fits(text) is not False]
    texts.sort(key=lambda text: spot.fits(text) is None)
    found.update((text, None) for text in texts[:_AT_HAND])
    written = literal(source, spot.about, spot.want)
    if written is not None:
        found.pop(written, None)
        found[written] = None
    yield from found


def literal(source: Source, about: Subject, value: str) -> str | None:
    """`torch.float16` or `"cuda"`; None where the file has no name for torch."""
    if about == "device":
        return f'"{value.removesuffix(":0")}"'
    torch = source.imported("torch")
    return f"{torch}.{value}" if torch else None


def at_hand(source: Source, node: cst.CSTNode, about: Subject) -> Iterator[str]:
    """Expressions that stand for a dtype (device) around a node, by their names; the nearest scope's first."""
    function = source.function(node)
    owner = next((n for n in source.around(node) if isinstance(n, cst.ClassDef)), None)
    mine, ours, all_ = list[str](), list[str](), list[str]()
    for other in source.nodes:
        text = _spelled(other, about)
        if not text or not _read(source, other):
            continue
        scopes = list(source.around(other))
        if function is not None and function in scopes:
            mine.append(text)
        elif text.startswith("self.") and owner is not None and owner in scopes:
            ours.append(text)
        elif "." not in text and not any(isinstance(n, (cst.FunctionDef, cst.ClassDef)) for n in scopes):
            all_.append(text)
    yield from dict.fromkeys([*mine, *ours, *all_])


def _read(source: Source, node: cst.CSTNode) -> bool:
    """Whether a name is an expression by itself: neither the end of `a.b` nor the `b` of `b=…`."""
    parent = source.parents[node]
    return getattr(parent, "attr", None) is not node and getattr(parent, "keyword", None) is not node


def _spelled(node: cst.CSTNode, about: Subject) -> str:
    if isinstance(node, cst.Param):
        node = node.name
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return ""
    text = dotted(node)
    name = last(node).lower()
    if not name.endswith((about, {"dtype": "precision", "device": "dev"}[about])):
        return ""
    return "" if text.partition(".")[0] in ("torch", "np", "numpy") or not text else text


def likes(source: Source, node: cst.CSTNode, beside: str = "") -> Iterator[str]:
    """Names of tensors that a node could be made like: those whose shape it takes, then those on its line.

    `beside` is a line where the result meets others: of its names those that the node's function knows.
    """
    for child in _below(node):
        if isinstance(child, cst.Attribute) and child.attr.value in _SHAPED and dotted(child.value):
            yield dotted(child.value)
    for child in _below(node):
        if isinstance(child, cst.Call) and last(child.func).endswith("_like"):
            for argument in child.args[:1]:
                if dotted(argument.value):
                    yield dotted(argument.value)
    known = _names(source.function(node) or source.tree)
    for name in _words(beside):
        if name in known:
            yield name


def siblings(source: Source, node: cst.BaseExpression) -> Iterator[str]:
    """The other names in the same call or operation."""
    for above in source.around(node):
        if isinstance(above, (cst.Call, cst.BinaryOperation, cst.List, cst.Tuple)):
            for child in _arguments(above):
                if child is not node and dotted(child):
                    yield dotted(child)
        if isinstance(above, cst.BaseStatement):
            return


def _arguments(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Call):
        yield from (argument.value for argument in node.args)
        if isinstance(node.func, cst.Attribute):
            yield node.func.value
    elif isinstance(node, cst.BinaryOperation):
        yield from (node.left, node.right)
    elif isinstance(node, (cst.List, cst.Tuple)):
        yield from (element.value for element in node.elements)


def _below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for child in node.children:
        yield child
        yield from _below(child)


def _names(scope: cst.CSTNode) -> set[str]:
    """The names that a function assigns or takes."""
    found = set()
    for child in _below(scope):
        if isinstance(child, cst.Param):
            found.add(child.name.value)
        elif isinstance(child, cst.AssignTarget):
            found |= {n.value for n in (child.target, *_below(child.target)) if isinstance(n, cst.Name)}
    return found


def _words(code: str) -> Iterator[str]:
    try:
        tree = cst.parse_module(code)
    except (cst.ParserSyntaxError, ValueError, RecursionError):
        return
    calls = {id(c.func) for c in _below(tree) if isinstance(c, cst.Call)}
    for child in _below(tree):
        if isinstance(child, cst.Name) and id(child) not in calls:
            yield child.value


def place(location: Location) -> str:
    """The words for a place: "data.py:12"."""
    return f"{location.file.rpartition('/')[2]}:{location.line}"
