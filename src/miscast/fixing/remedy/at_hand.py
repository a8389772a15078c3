"""Find expressions for a dtype or a device near a node: names in reach, and the weights of a module.

dtype, self.dtype, args.device, DEVICE          base.weight.dtype of a layer that wraps `base`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice

import libcst as cst

from ...core.finding import Subject
from .nodes import below, called, dotted, is_class_name, last
from .source import Source

_FEATURES = ("in_features", "out_features", "weight")
_NO_VALUES = ("attr", "keyword", "func")
_NAMED = (cst.ImportAlias, cst.ImportFrom, cst.AsName, cst.FunctionDef, cst.ClassDef)
LAYERS = (
    "Linear", "Conv1d", "Conv2d", "Conv3d", "LayerNorm", "Embedding", "Bilinear", "GroupNorm", "RMSNorm",
)  # fmt: skip


def at_hand(source: Source, node: cst.CSTNode, about: Subject) -> Iterator[str]:
    """Expressions that stand for a dtype (device) around a node, by their names; the nearest scope's first."""
    function = source.function(node)
    owner = source.above(node, cst.ClassDef)
    scope = partial(
        _scope, source, function, owner, _only_as_script(source, source.around(node))
    )
    found: dict[str, list[str]] = {}
    for other, text in _all_spelled(source, about):
        found.setdefault(scope(other, text), []).append(text)
    mine, ours, all_ = (found.get(where, []) for where in ("function", "class", "file"))
    given, layers = _given(function, about), _of_layers(function, owner, about)
    yield from dict.fromkeys([*mine, *given, *ours, *all_, *layers])


@lru_cache(maxsize=16)
def _all_spelled(source: Source, about: Subject) -> tuple[tuple[cst.CSTNode, str], ...]:
    """Return the expressions of a file that give a dtype (device), with their text."""
    functions = {
        n.name.value for n in source.tree.body if isinstance(n, cst.FunctionDef)
    }
    texts = ((node, _spelled(source, node, about)) for node in source.nodes)
    named = ((n, text) for n, text in texts if text and text not in functions)
    spelled = (pair for pair in named if _read(source, pair[0]))
    return (*spelled, *(_of_accelerators(source) if about == "device" else ()))


def _of_accelerators(source: Source) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield the devices of accelerate's objects: `accelerator.device` of `accelerator = Accelerator()`."""
    for one in source.of(cst.Assign):
        name = dotted(one.targets[0].target)
        made = called(one.value) if isinstance(one.value, cst.Call) else ""
        if name and made == "Accelerator":
            yield one, f"{name}.device"


def _scope(  # noqa: PLR0913 - where it is asked, and of what
    source: Source,
    function: cst.FunctionDef | None,
    owner: cst.ClassDef | None,
    script: bool,
    node: cst.CSTNode,
    text: str,
) -> str:
    """Return where an expression is set: in a function, a class or the file. "" means out of reach."""
    scopes = list(source.around(node))
    if function in scopes:
        return "function"
    if text.startswith("self."):
        return "class" if owner in scopes else ""
    if isinstance(node, cst.Call):
        return "file"
    if any(isinstance(scope, (cst.FunctionDef, cst.ClassDef)) for scope in scopes):
        return ""
    return "file" if script or not _only_as_script(source, scopes) else ""


def _given(function: cst.FunctionDef | None, about: Subject) -> Iterator[str]:
    """Yield the devices, or dtypes, that a function passes by name to a `.to()` call."""
    for node in below(function) if function is not None else ():
        for argument in (
            node.args if isinstance(node, cst.Call) and last(node.func) == "to" else ()
        ):
            text = dotted(argument.value)
            if argument.keyword is None and _gives(text, about):
                yield text


def _gives(text: str, about: Subject) -> bool:
    other = "device" if about == "dtype" else "dtype"
    return "." in text and not text.startswith("torch.") and not text.endswith(other)


def _of_layers(
    function: cst.FunctionDef | None, owner: cst.ClassDef | None, about: Subject
) -> Iterator[str]:
    """Yield the dtype (device) of weights: of `base`, whose features are read, or of an own layer."""
    for node in below(function) if function is not None else ():
        name, _, end = dotted(node).rpartition(".")
        if end in _FEATURES and name.isidentifier():
            yield f"{name}.weight.{about}"
    if owner is not None and function is not None and _is_method(function):
        yield from (f"{name}.weight.{about}" for name in islice(_layers(owner), 1))


def _layers(owner: cst.ClassDef) -> Iterator[str]:
    """Yield the layers that a class keeps in `self`."""
    for node in below(owner):
        made = node.value if isinstance(node, cst.Assign) else None
        if isinstance(node, cst.Assign) and isinstance(made, cst.Call):
            name = dotted(node.targets[0].target)
            if name.startswith("self.") and called(made) in LAYERS:
                yield name


def _is_method(function: cst.FunctionDef) -> bool:
    """Check whether it is a method of a finished module, not `__init__`."""
    first = function.params.params[:1]
    of_object = bool(first) and first[0].name.value == "self"
    return of_object and function.name.value != "__init__"


def _only_as_script(source: Source, scopes: Iterable[cst.CSTNode]) -> bool:
    """Check whether code is under `if __name__ == "__main__":`, so that importers of the file lack it."""
    branches = (one for one in scopes if isinstance(one, cst.If))
    return any("__main__" in source.text(one.test) for one in branches)


def _read(source: Source, node: cst.CSTNode) -> bool:
    """Check for a whole expression: not the end of `a.b`, the `b` of `b=…`, or what is imported, defined or called."""
    parent = source.parents[node]
    if isinstance(parent, _NAMED):
        return False
    return not any(getattr(parent, part, None) is node for part in _NO_VALUES)


def _spelled(source: Source, node: cst.CSTNode, about: Subject) -> str:
    """Return the text of an expression that gives a dtype (device) by its name: `args.dtype`, `model_dtype(args)`."""
    if isinstance(node, cst.Param):
        node = node.name
    text, named = dotted(node), node
    if isinstance(node, cst.Call) and all(
        dotted(one.value) and (one.keyword, one.star) == (None, "") for one in node.args
    ):
        text, named = source.text(node), node.func
    if not isinstance(named, (cst.Name, cst.Attribute)):
        return ""
    if is_class_name(last(named)):
        return ""
    name = last(named).lower()
    if not name.endswith((about, {"dtype": "precision", "device": "dev"}[about])):
        return ""
    return "" if text.partition(".")[0] in ("", "torch", "np", "numpy") else text


def is_there(source: Source, node: cst.CSTNode, text: str) -> bool:
    """Check whether an expression's first name has a value at a node: a local set above, or an argument.

    What a call is given must be set in the same function, or in the file.
    """
    name, _, given = text.partition("(")
    here = _is_set(source, node, name)
    arguments = given.removesuffix(")").split(",") if given else ()
    return here is not False and all(_is_set(source, node, a) for a in arguments if a)


def is_borrowed(source: Source, node: cst.CSTNode, name: str) -> bool:
    """Check for a name that the file sets below a function which does not read it: a script's `device`, or its `x`."""
    own, firsts = source.function(node), _first_set(source)
    if own is None or firsts.get((0, name), 0) < source.line(own):
        return False
    uses = (source.function(one) is own for one in source.spelled.get(name, ()))
    return not any(uses) and not _is_taken(source, node, name)


def _is_set(source: Source, node: cst.CSTNode, text: str) -> bool | None:
    """Check whether a name, or the first of `a.b[c]`, is set at a node. None: the file does not show it."""
    own, name = source.function(node), text.strip().partition(".")[0].partition("[")[0]
    around = (
        n for n in (node, *source.around(node)) if isinstance(n, cst.BaseStatement)
    )
    statement = next(around, node)
    if _is_taken(source, node, name):
        return True
    firsts = _first_set(source)
    first = firsts.get((source.line(own) if own is not None else 0, name))
    if first is not None:
        return first < source.line(statement)
    return True if source.bound(name) or (0, name) in firsts else None


def _is_taken(source: Source, node: cst.CSTNode, name: str) -> bool:
    """Check whether a function around a node takes this argument, or a comprehension goes over it."""
    for scope in source.around(node):
        names: Iterator[str] = iter(())
        if isinstance(scope, (cst.FunctionDef, cst.Lambda)):
            names = (n.name.value for n in below(scope) if isinstance(n, cst.Param))
        elif isinstance(scope, cst.BaseComp):
            names = (n for part in below(scope) for n in _sets(part))
        if name in names:
            return True
    return False


@lru_cache(maxsize=16)
def _first_set(source: Source) -> dict[tuple[int, str], int]:
    """Return the first line that sets each name in a function, by the function's line, or in the file (0)."""
    found: dict[tuple[int, str], int] = {}
    for node in source.nodes:
        for name in _sets(node):
            own, line = source.function(node), source.line(node)
            key = source.line(own) if own is not None else 0, name
            found[key] = min(line, found.get(key, line))
    return found


def _sets(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names that a part of a statement sets."""
    if isinstance(
        node, (cst.AssignTarget, cst.For, cst.CompFor, cst.NamedExpr, cst.AnnAssign)
    ):
        yield from (name.value for name in plain_names(node.target))
    elif isinstance(node, cst.AsName):
        yield dotted(node.name)


def plain_names(tree: cst.CSTNode) -> Iterator[cst.Name]:
    """Yield the names in a part of a program that are neither attributes nor keywords of calls."""
    nodes = (tree, *below(tree))
    parts = {id(node.attr) for node in nodes if isinstance(node, cst.Attribute)}
    parts |= {id(node.keyword) for node in nodes if isinstance(node, cst.Arg)}
    names = (node for node in nodes if isinstance(node, cst.Name))
    yield from (name for name in names if id(name) not in parts)
