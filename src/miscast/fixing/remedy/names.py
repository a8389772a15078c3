"""Spell a dtype or a device in a line: `latent.dtype`, a name in scope (`self.dtype`), or a literal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import libcst as cst

from ...core.finding import Subject
from ...judging.cause import is_parameter
from .at_hand import at_hand, is_there, plain_names
from .edit_site import EditSite
from .nodes import VIEWS, below, called, dotted, indices, last, method
from .source import Source

_LIKES = 2
_AT_HAND = 3
METHODS = {
    "float32": "float", "float16": "half", "float64": "double", "bfloat16": "bfloat16", "int64": "long",
    "int32": "int", "int16": "short", "int8": "char", "uint8": "byte", "bool": "bool",
}  # fmt: skip
"""The methods that cast to these dtypes."""
_NO_TENSORS = ("self", "cls", "True", "False", "None")
_JOINING = (cst.Call, cst.BinaryOperation, cst.List, cst.Tuple, cst.Subscript)
"""Expressions whose parts are used with each other."""
_DISPLAYS = (cst.List, cst.Tuple, cst.Dict, cst.Set, cst.BaseComp)
_EXACT = ("bool", "int64")  # a mask of numbers is another mask
_SHAPED = (".shape", ".size", ".device", ".dtype", ".ndim")


def spellings(
    source: Source, node: cst.CSTNode, site: EditSite, likes: Iterable[str] = ()
) -> Iterator[str]:
    """Ways to spell what the site wants, at a node: the one that follows a tensor first, the plain one last."""
    site = site if _is_here(source, node, site) else replace(site, names={})
    like = _tensors_like(source, node, site, likes)[:_LIKES]
    hand = _values_at_hand(source, node, site)[:_AT_HAND]
    tensors = (f"{one}.{site.about}" for one in (*like, *_known(source, node, site)))
    found = [*_met(source, node, site, like, hand), *tensors, *hand]
    written = plainly(source, site)
    if not found and written is None:
        found = [*_of_the_module(source, node, site)]
    yield from dict.fromkeys(one for one in found if one != written)
    if written is not None:
        yield written


def _met(
    source: Source,
    node: cst.CSTNode,
    site: EditSite,
    like: Sequence[str],
    hand: Sequence[str],
) -> Iterator[str]:
    """Yield the dtype of the weight that a node meets, before those of tensors that only have the same."""
    if site.role == "promoted" and like and site.fits(like[0]) is None:
        # what met the module's weight may be the wide one
        yield from (text for text in hand if text.startswith("self.weight."))
    elif site.about == "dtype" and site.other and is_parameter(site.other):
        yield from filter(site.fits, hand)
        yield from filter(site.is_weight, [f"{_taking(source, node)}.weight.dtype"])


def conversions(
    source: Source,
    node: cst.BaseExpression,
    site: EditSite,
    likes: Iterable[str] = (),
    owner: cst.BaseExpression | None = None,
) -> Iterator[cst.Call]:
    """Yield conversions of a node (of `owner`) to what the site wants: `node.to(x.dtype)`, then `node.half()`."""
    converted = node if owner is None else owner
    for text in spellings(source, node, site, likes):
        to_host = text == '"cpu"'
        args = () if to_host else (cst.Arg(cst.parse_expression(text)),)
        yield method(converted, "cpu" if to_host else "to", *args)
    if site.about == "dtype" and site.want in METHODS:
        yield method(converted, METHODS[site.want])


def _taking(source: Source, node: cst.CSTNode) -> str:
    """Return what a node is handed to, as it is written: "self.conv_in" of `self.conv_in(x)`."""
    argument = source.parents.get(node)
    call = source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    return dotted(call.func) if isinstance(call, cst.Call) else ""


def _of_the_module(source: Source, node: cst.CSTNode, site: EditSite) -> Iterator[str]:
    """Yield the dtype (device) of the module that a call hands a node to: `self.decoder(x)`, `self.vae.decode(x)`."""
    name, path = _taking(source, node), site.path.split(".")
    owner = name.rpartition(".")[0]
    if not name or not site.path or site.parameter:
        return
    if owner.rpartition(".")[2] in path:
        yield f"{owner}.{site.about}"
    elif name.rpartition(".")[2] in path:
        yield f"next({name}.parameters()).{site.about}"


def _tensors_like(
    source: Source, node: cst.CSTNode, site: EditSite, likes: Iterable[str]
) -> list[str]:
    """Return the tensors that may fit and are in scope, those known to fit first."""
    names = (name for name in dict.fromkeys(likes) if _names_tensor(source, node, name))
    near = (name for name in names if _may_fit(source, node, site, name))
    there = [name for name in near if is_there(source, node, name)]
    return sorted(there, key=lambda name: site.fits(name) is None)


def _names_tensor(source: Source, node: cst.CSTNode, name: str) -> bool:
    other = name in _NO_TENSORS or name.endswith(_SHAPED) or source.bound(name)
    return not other and not is_container(source, node, name)


def is_container(source: Source, node: cst.CSTNode, name: str) -> bool:
    """Check for a name that a node's function only sets to lists, tuples or dictionaries as written there."""
    values = source.values(node, name)
    return bool(values) and all(isinstance(one, _DISPLAYS) for one in values)


def _values_at_hand(source: Source, node: cst.CSTNode, site: EditSite) -> list[str]:
    """Return names for the dtype (device) itself in scope, those known to fit first."""
    fit = (site.want, site.want.removesuffix(":0"))
    known = [text for text, told in site.names.items() if told in fit]
    texts = [text for text in known if not text.startswith("torch.")]
    near = () if site.want in _EXACT else at_hand(source, node, site.about)
    texts += [text for text in near if site.fits(text) is not False]
    there = [text for text in dict.fromkeys(texts) if is_there(source, node, text)]
    return sorted(there, key=lambda text: site.fits(text) is None)


def _may_fit(source: Source, node: cst.CSTNode, site: EditSite, name: str) -> bool:
    """Check whether a name may have the wanted value. For a name that is set again later, this is unknown."""
    fits = site.fits(name)
    if fits is not False:  # a name for a dtype (device) is no tensor
        return (fits is None and site.want not in _EXACT) or bool(device_of(site, name))
    line = source.line(node)
    return any(set_ == name and at > line for at, set_ in source.targets(node))


def _is_here(source: Source, node: cst.CSTNode, site: EditSite) -> bool:
    """Check whether a node is in the function of a site, whose names are known."""
    own, here = source.function(node), site.location.function
    return source.path == site.location.file and (
        own is None or own.name.value == here or here.startswith("<")
    )


def _known(source: Source, node: cst.CSTNode, site: EditSite) -> list[str]:
    """Tensors of the function that were seen to be as they should be, and that are there at the node."""
    there = filter(str.isidentifier, dict.fromkeys(_set_before(source, node)))
    return [one for one in there if device_of(site, one) and site.fits(one)][:1]


def _set_before(source: Source, node: cst.CSTNode) -> Iterator[str]:
    """Yield the names set at a node: its function's parameters, assignments above, enclosing loops."""
    own, line = source.function(node), source.line(node)
    yield from _parameters(own) if own else ()
    yield from (name for at, name in source.targets(node) if at < line)
    for loop in source.of(cst.For):
        if loop in source.around(node):
            parts = (loop.target, *below(loop.target))
            yield from (part.value for part in parts if isinstance(part, cst.Name))


def _parameters(function: cst.FunctionDef) -> list[str]:
    return [
        one.name.value for one in function.params.params if one.name.value != "self"
    ]


def device_of(site: EditSite, name: str) -> str:
    """Return the device of the tensor that a name of this function stood for; "" of what was none."""
    told = site.names.get(name, "").split()
    return told[-1] if len(told) > 1 else ""


def plainly(source: Source, site: EditSite) -> str | None:
    """Return the literal, but not for the CPU beside a tensor elsewhere: there the program computes.

    Nor for a second device of its kind that the program does not spell out: the line may run for each of them.
    """
    quoted = frozenset({f'"{site.want}"', f"'{site.want}'"})
    second = site.want.partition(":")[2] not in ("", "0") and not states(source, quoted)
    astray = second or (site.want == "cpu" and site.other is not None)
    if site.about == "device" and astray:
        return None
    return literal(source, site.about, site.want)


def spelled_out(about: Subject, value: str) -> frozenset[str]:
    """Return the ways to spell out a dtype, or a device."""
    if about == "device":
        kind = value.partition(":")[0]
        return frozenset(
            {f'"{kind}"', f"'{kind}'", f'"{value}"', f"'{value}'", f".{kind}()"}
        )
    return frozenset({f"torch.{value}", f".{METHODS.get(value, value)}()"})


def states(
    source: Source,
    words: frozenset[str],
    within: cst.ClassDef | None = None,
    *,
    named: bool = True,
) -> bool:
    """Check whether a file spells out one of these in a creation or conversion, not among choices.

    Not `named`: it does more than to give it a name, as `device = torch.device("cuda")` does.
    """
    found = (one for one in _said(source) if one[0] in words)
    inner = (one for one in found if within is None or within in one[2])
    return any(named or called(call) != "device" for _, call, _ in inner)


@lru_cache(maxsize=16)
def _said(source: Source) -> Sequence[tuple[str, cst.Call, Sequence[cst.CSTNode]]]:
    """Return the plain arguments and argument-free methods of a file's calls. Skip choices and command lines."""
    found: list[tuple[str, cst.Call, Sequence[cst.CSTNode]]] = []
    for node in source.of(cst.Call):
        if last(node.func) in ("add_argument", "option", "Option", "field"):
            continue
        own = {f".{last(node.func)}()"} if not node.args else set[str]()
        own |= {
            one.value for a in node.args if isinstance(one := a.value, cst.SimpleString)
        }
        own |= {dotted(argument.value) for argument in node.args}
        scopes = list(source.around(node))
        if not any(isinstance(above, cst.IfExp) for above in scopes):
            found += [(word, node, scopes) for word in own]
    return found


def literal(source: Source, about: Subject, value: str) -> str | None:
    """`torch.float16` or `"cuda"`; None where the file has no name for torch."""
    if about == "device":
        return f'"{value.removesuffix(":0")}"'
    torch = source.imported("torch")
    return f"{torch}.{value}" if torch else None


def likes(source: Source, node: cst.CSTNode, beside: str = "") -> Iterator[str]:
    """Names of tensors that a node could be made like: those whose shape it takes, then those on its line.

    `beside` is a line where the result meets others: of its names those that the node's function knows.
    """
    yield from _shapes_of(node)
    calls = (child for child in below(node) if isinstance(child, cst.Call))
    calls = (call for call in calls if last(call.func).endswith("_like"))
    yield from filter(None, (dotted(call.args[0].value) for call in calls if call.args))
    known = _names(source, source.function(node)) if beside else ()
    yield from (word for word in _words(beside) if word in known)


def _shapes_of(node: cst.CSTNode) -> Iterator[str]:
    for child in below(node):
        if isinstance(child, cst.Attribute) and f".{child.attr.value}" in _SHAPED:
            yield from filter(None, (dotted(child.value),))


def siblings(source: Source, node: cst.BaseExpression) -> Iterator[str]:
    """Yield the other names in the same call or operation."""
    for above in source.around(node):
        if isinstance(above, _JOINING):
            for child in _arguments(above):
                if child is not node and (text := _named(source, child)):
                    yield text
        if isinstance(above, (cst.BaseStatement, cst.Lambda)):
            return


def _named(source: Source, node: cst.BaseExpression) -> str:
    """Return a name, its item (`ema[k]`), or what a view or an in-place method is of: `x` of `x.mul_(2)`."""
    while (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and (called(node).endswith("_") or called(node) in VIEWS)
    ):
        node = node.func.value
    if isinstance(node, cst.Subscript) and dotted(node.value):
        text = source.text(node)
        odd = any(part in text for part in (":", ",", ".shape"))
        return "" if odd or not text.isprintable() else text
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
    elif isinstance(node, cst.Subscript):
        yield from (node.value, *indices(node))


@lru_cache(maxsize=64)
def _names(source: Source, function: cst.FunctionDef | None) -> frozenset[str]:
    """Return the names that a function, or any of the file, assigns or takes."""
    taken: list[tuple[cst.CSTNode, cst.CSTNode]]
    taken = [(one, one.name) for one in source.of(cst.Param)]
    taken += [(one, one.target) for one in source.of(cst.AssignTarget)]
    own = (t for one, t in taken if function is None or function in source.around(one))
    return frozenset(name.value for target in own for name in plain_names(target))


def _words(code: str) -> Iterator[str]:
    try:
        tree = cst.parse_module(code)
    except (cst.ParserSyntaxError, ValueError, RecursionError):
        return
    calls = {id(c.func) for c in below(tree) if isinstance(c, cst.Call)}
    for child in plain_names(tree):
        if id(child) not in calls:
            yield child.value
