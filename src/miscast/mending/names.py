"""What a line can say for a dtype or a device: `latent.dtype`, a name at hand (`self.dtype`), or the thing itself."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..event import Location
from ..finding import Subject
from .source import Source, below, dotted, last
from .spot import Spot

_LIKES = 2
_AT_HAND = 3
_SHAPED = ("shape", "size", "device", "dtype", "ndim")


def spellings(source: Source, node: cst.CSTNode, spot: Spot, likes: Iterator[str]) -> Iterator[str]:
    """Ways to spell what the spot wants, at a node: the one that follows a tensor first, the plain one last."""
    found: dict[str, None] = {}
    near = [name for name in dict.fromkeys(likes) if _may_fit(source, node, spot, name)]
    near.sort(key=lambda name: spot.fits(name) is None)
    names = dict.fromkeys([*near[:_LIKES], *_known(source, node, spot)])
    found.update((f"{name}.{spot.about}", None) for name in names)
    texts = [text for text in at_hand(source, node, spot.about) if spot.fits(text) is not False]
    texts.sort(key=lambda text: spot.fits(text) is None)
    found.update((text, None) for text in texts[:_AT_HAND])
    written = plainly(source, spot)
    if written is not None:
        found.pop(written, None)
        found[written] = None
    yield from found


def _may_fit(source: Source, node: cst.CSTNode, spot: Spot, name: str) -> bool:
    """Whether a name may stand for what is as it should be; of one that is set again later nothing is known."""
    if spot.fits(name) is not False:
        return True
    own, line = source.function(node), source.line(node)
    return any(
        isinstance(one, cst.AssignTarget) and dotted(one.target) == name
        and source.function(one) is own and source.line(one) > line
        for one in source.nodes
    )  # fmt: skip


def _known(source: Source, node: cst.CSTNode, spot: Spot) -> list[str]:
    """Tensors of the function that were seen to be as they should be, and that are there at the node."""
    own, line = source.function(node), source.line(node)
    there = _parameters(own) if own else []
    for one in source.nodes:
        if isinstance(one, cst.AssignTarget) and source.function(one) is own and source.line(one) < line:
            there.append(dotted(one.target))
        if isinstance(one, cst.For) and one in source.around(node):
            there += [part.value for part in (one.target, *below(one.target)) if isinstance(part, cst.Name)]
    seen = [name for name in dict.fromkeys(there) if name.isidentifier() and _is_tensor(spot, name)]
    return [name for name in seen if spot.fits(name)][:1]


def _parameters(function: cst.FunctionDef) -> list[str]:
    return [one.name.value for one in function.params.params if one.name.value != "self"]


def _is_tensor(spot: Spot, name: str) -> bool:
    return len(spot.names.get(name, "").split()) > 1


def plainly(source: Source, spot: Spot) -> str | None:
    """The thing itself, but for the CPU in a program that computes elsewhere; NumPy reads only what is there."""
    astray = spot.want == "cpu" and "cuda" in source.text(source.tree) and not spot.failed_op.endswith("numpy")
    return None if spot.about == "device" and astray else literal(source, spot.about, spot.want)


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
    for child in below(node):
        if isinstance(child, cst.Attribute) and child.attr.value in _SHAPED and dotted(child.value):
            yield dotted(child.value)
    for child in below(node):
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
                if child is not node and (text := _named(source, child)):
                    yield text
        if isinstance(above, cst.BaseStatement):
            return


def _named(source: Source, node: cst.BaseExpression) -> str:
    """A name, an item of one (`ema[k]`), or what a method in place gives back: `ema[k]` of `ema[k].mul_(0.9)`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value.endswith("_"):
        node = node.func.value
    if isinstance(node, cst.Subscript) and dotted(node.value):
        text = source.text(node)
        return text if text.isprintable() and ":" not in text and "," not in text else ""
    return dotted(node)


def _arguments(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Call):
        yield from (argument.value for argument in node.args)
        if isinstance(node.func, cst.Attribute):
            yield node.func.value
    elif isinstance(node, cst.BinaryOperation):
        yield from (node.left, node.right)
    elif isinstance(node, (cst.List, cst.Tuple)):
        yield from (element.value for element in node.elements)


def _names(scope: cst.CSTNode) -> set[str]:
    """The names that a function assigns or takes."""
    found = set()
    for child in below(scope):
        if isinstance(child, cst.Param):
            found.add(child.name.value)
        elif isinstance(child, cst.AssignTarget):
            found |= {n.value for n in (child.target, *below(child.target)) if isinstance(n, cst.Name)}
    return found


def _words(code: str) -> Iterator[str]:
    try:
        tree = cst.parse_module(code)
    except (cst.ParserSyntaxError, ValueError, RecursionError):
        return
    calls = {id(c.func) for c in below(tree) if isinstance(c, cst.Call)}
    for child in below(tree):
        if isinstance(child, cst.Name) and id(child) not in calls:
            yield child.value


def place(location: Location) -> str:
    """The words for a place: "data.py:12"."""
    return f"{location.file.rpartition('/')[2]}:{location.line}"
