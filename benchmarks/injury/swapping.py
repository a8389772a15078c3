"""Faults by another choice: another dtype, a cast to another one, a device that is not there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .spelled import Change, Place, dotted, is_device, is_dtype, method

_OTHERS = {
    "float16": ("float32", "bfloat16"),
    "bfloat16": ("float32", "float16"),
    "float32": ("float64", "float16"),
    "float64": ("float32",),
    "long": ("int32", "float32"),
    "int64": ("int32", "float32"),
    "bool": ("float32", "uint8"),
    "uint8": ("float32",),
}
_CASTS = {
    "half": ("float", "bfloat16", "double"),
    "bfloat16": ("float", "half"),
    "float": ("double", "half"),
    "long": ("int", "float"),
}


def changes(node: cst.CSTNode, place: Place) -> Iterator[Change]:
    """What can be chosen otherwise at a node."""
    if isinstance(node, cst.Attribute):
        yield from _constant(node, place)
    found = method(node)
    if found is not None:
        yield from _calls(*found, place)


def _constant(node: cst.Attribute, place: Place) -> Iterator[Change]:
    owner, _, name = dotted(node).rpartition(".")
    if owner not in ("torch", "np", "numpy"):
        return
    for other in _OTHERS.get(name, ()):
        if owner != "torch" and other == "bfloat16":
            continue
        if owner != "torch":
            kind = "NumPy's float64" if other == "float64" else "another NumPy dtype"
        else:
            kind = "integer of another type" if name in ("long", "int64") else _of(place)
        yield Change(kind=kind, about="dtype", node=node, replacement=node.with_changes(attr=cst.Name(other)))


def _of(place: Place) -> str:
    """A dtype is a component's, if the statement gives it to a module."""
    statement = place.statement
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        if isinstance(target, cst.Name) and "module" in place.kinds(target.value):
            return "wrong component cast"
    return "another dtype"


def _calls(call: cst.Call, attribute: cst.Attribute, name: str, place: Place) -> Iterator[Change]:
    if not call.args:
        kind = "integer target of another type" if name == "long" else "cast to another dtype"
        if _of(place) == "wrong component cast":
            kind = "wrong component cast"
        for other in _CASTS.get(name, ()):
            swapped = call.with_changes(func=attribute.with_changes(attr=cst.Name(other)))
            yield Change(kind=kind, about="dtype", node=call, replacement=swapped)
    if name != "to" or len(call.args) != 1:
        return
    argument = call.args[0]
    if is_dtype(argument):
        of_old = cst.Arg(cst.parse_expression("torch.FloatTensor"))
        old = cst.Call(func=attribute.with_changes(attr=cst.Name("type")), args=[of_old])
        yield Change(kind=".type(torch.FloatTensor)", about="dtype", node=call, replacement=old)
    if is_device(argument):
        second = call.with_changes(args=[argument.with_changes(value=cst.SimpleString('"cuda:1"'))])
        yield Change(kind="wrong device index", about="device", node=call, replacement=second)
