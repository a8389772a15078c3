"""What a line can say for a dtype or a device: `latent.dtype`, a name at hand (`self.dtype`), or the thing itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import libcst as cst

from ..event import Location
from ..finding import Subject
from .source import Source, below, dotted, last
from .spot import Spot

_LIKES = 2
_AT_HAND = 3
METHODS = {
    "float32": "float", "float16": "half", "float64": "double", "bfloat16": "bfloat16", "int64": "long", "int32": "int",
    "int16": "short", "int8": "char", "uint8": "byte", "bool": "bool",
}  # fmt: skip
"""The methods that cast to these dtypes."""
_OWN = ("self", "cls")
_FEATURES = ("in_features", "out_features", "weight")
LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LayerNorm", "Embedding", "Bilinear", "GroupNorm", "RMSNorm")
_SHAPED = ("shape", "size", "device", "dtype", "ndim")


def spellings(source: Source, node: cst.CSTNode, spot: Spot, likes: Iterator[str]) -> Iterator[str]:
    """Ways to spell what the spot wants, at a node: the one that follows a tensor first, the plain one last."""
    found: dict[str, None] = {}
    spot = spot if _is_here(source, node, spot) else replace(spot, names={})
    near = [name for name in dict.fromkeys(likes) if name not in _OWN and _may_fit(source, node, spot, name)]
    near = [name for name in near if _is_there(source, node, name)]
    near.sort(key=lambda name: spot.fits(name) is None)
    names = dict.fromkeys([*near[:_LIKES], *_known(source, node, spot)])
    found.update((f"{name}.{spot.about}", None) for name in names)
    fit = (spot.want, spot.want.removesuffix(":0"))
    texts = [text for text, told in spot.names.items() if told in fit and not text.startswith("torch.")]
    texts += [text for text in at_hand(source, node, spot.about) if spot.fits(text) is not False]
    texts = [text for text in dict.fromkeys(texts) if _is_there(source, node, text)]
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


def _is_here(source: Source, node: cst.CSTNode, spot: Spot) -> bool:
    """Whether a node stands in the function of a spot, whose names are known."""
    own, here = source.function(node), spot.location.function
    return source.path == spot.location.file and (own is None or own.name.value == here or here.startswith("<"))


def _is_there(source: Source, node: cst.CSTNode, text: str) -> bool:
    """Whether the name that an expression begins with has a value at a node: a local name is set above it, or taken."""
    own, name = source.function(node), text.partition(".")[0].partition("[")[0]
    statement = next((n for n in (node, *source.around(node)) if isinstance(n, cst.BaseStatement)), node)
    scopes = [n for n in source.around(node) if isinstance(n, (cst.FunctionDef, cst.Lambda, cst.CompFor))]
    if any(isinstance(n, cst.Param) and n.name.value == name for scope in scopes for n in below(scope)):
        return True
    lines = [source.line(n) for n in source.nodes if _sets(n, name) and source.function(n) is own]
    return not lines or min(lines) < source.line(statement)


def _sets(node: cst.CSTNode, name: str) -> bool:
    """Whether a part of a statement gives a name its value."""
    if isinstance(node, (cst.AssignTarget, cst.For, cst.CompFor, cst.NamedExpr, cst.AnnAssign)):
        target = node.target
        return any(isinstance(one, cst.Name) and one.value == name for one in (target, *below(target)))
    return isinstance(node, cst.AsName) and dotted(node.name) == name


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
    """The thing itself, but for the CPU, since the program computes elsewhere; NumPy reads only what is there."""
    astray = spot.want == "cpu" and not spot.failed_op.endswith("numpy")
    return None if spot.about == "device" and astray else literal(source, spot.about, spot.want)


def spelled_out(about: Subject, value: str) -> frozenset[str]:
    """The ways to spell out a dtype, or a device."""
    if about == "device":
        kind = value.partition(":")[0]
        return frozenset({f'"{kind}"', f"'{kind}'", f'"{value}"', f"'{value}'", f".{kind}()"})
    return frozenset({f"torch.{value}", f".{METHODS.get(value, value)}()"})


def states(source: Source, words: frozenset[str]) -> bool:
    """Whether a file spells out one of these where it makes or converts something, not as one of several choices."""
    for node in source.nodes:
        if not isinstance(node, cst.Call) or last(node.func) in ("add_argument", "option", "Option", "field"):
            continue
        own = [source.text(argument.value) for argument in node.args]
        said = any(text in words for text in own) or f".{last(node.func)}()" in words
        if said and not any(isinstance(above, cst.IfExp) for above in source.around(node)):
            return True
    return False


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
    script = _only_as_script(source, source.around(node))
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
            all_ += [text] if script or not _only_as_script(source, scopes) else []
    yield from dict.fromkeys([*mine, *_given(function, about), *ours, *all_, *_of_layers(function, owner, about)])


def _given(function: cst.FunctionDef | None, about: Subject) -> Iterator[str]:
    """The devices, or dtypes, that a function gives by a name where it makes or moves something else."""
    for node in below(function) if function is not None else ():
        for argument in node.args if isinstance(node, cst.Call) and last(node.func) == "to" else ():
            text = dotted(argument.value)
            if argument.keyword is None and "." in text and not text.startswith("torch."):
                other = text.endswith("device" if about == "dtype" else "dtype")
                yield from () if other else (text,)


def _of_layers(function: cst.FunctionDef | None, owner: cst.ClassDef | None, about: Subject) -> Iterator[str]:
    """What a module's weights say: of `base`, whose features are asked for, or of a layer of the same class."""
    for node in below(function) if function is not None else ():
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.attr.value in _FEATURES:
            yield f"{node.value.value}.weight.{about}"
    for node in below(owner) if owner is not None and function is not None and _is_method(function) else ():
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call) and last(node.value.func) in LAYERS:
            name = dotted(node.targets[0].target)
            if name.startswith("self."):
                yield f"{name}.weight.{about}"
                return


def _is_method(function: cst.FunctionDef) -> bool:
    """Whether it is called on a module that has been made: not as it is made."""
    first = function.params.params[:1]
    return function.name.value != "__init__" and bool(first) and first[0].name.value == "self"


def _only_as_script(source: Source, scopes: Iterable[cst.CSTNode]) -> bool:
    """Whether something stands under `if __name__ == "__main__":`, and so is not there for who imports the file."""
    return any(isinstance(one, cst.If) and "__main__" in source.text(one.test) for one in scopes)


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
        return text if text.isprintable() and not any(part in text for part in (":", ",", ".shape")) else ""
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
            found |= {name.value for name in _plain_names(child.target)}
    return found


def _words(code: str) -> Iterator[str]:
    try:
        tree = cst.parse_module(code)
    except (cst.ParserSyntaxError, ValueError, RecursionError):
        return
    calls = {id(c.func) for c in below(tree) if isinstance(c, cst.Call)}
    for child in _plain_names(tree):
        if id(child) not in calls:
            yield child.value


def _plain_names(tree: cst.CSTNode) -> Iterator[cst.Name]:
    """The names in a part of a program that are none's attribute."""
    parts = {id(child.attr) for child in (tree, *below(tree)) if isinstance(child, cst.Attribute)}
    yield from (one for one in (tree, *below(tree)) if isinstance(one, cst.Name) and id(one) not in parts)


def place(location: Location) -> str:
    """The words for a place: "data.py:12"."""
    return f"{location.file.rpartition('/')[2]}:{location.line}"
