"""Faults by leaving something out: an argument, a cast, a move, autocast, the registration of a buffer."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .spelled import CASTS, Change, Place, dotted, is_device, is_dtype, method, without


def changes(node: cst.CSTNode, place: Place) -> Iterator[Change]:
    """What can be left out of a node."""
    if isinstance(node, cst.Call):
        yield from _arguments(node, place)
        if not _says_nothing(node, place):
            yield from _calls(node)
    if isinstance(node, cst.With):
        yield from _autocast(node)
    if isinstance(node, cst.Expr):
        yield from _buffer(node)


def _says_nothing(call: cst.Call, place: Place) -> bool:
    """Whether `x = x` or `x` would be left of `x = x.to(device)` or `x.to(device)`: nobody leaves such a line."""
    if not isinstance(call.func, cst.Attribute):
        return False
    if isinstance(place.parent, cst.Expr):
        return True
    return isinstance(place.parent, cst.Assign) and any(
        place.code(target.target) == place.code(call.func.value) for target in place.parent.targets
    )


def _arguments(call: cst.Call, place: Place) -> Iterator[Change]:
    name = dotted(call.func).rpartition(".")[2]
    if name in ("autocast", "load"):
        return
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == "dtype" and name != "to":
            yield Change(kind=_of_factory(place), about="dtype", node=call, replacement=without(call, argument))
        elif name == "Generator":
            yield Change(
                kind="generator on the CPU", about="device", node=call, replacement=without(call, argument)
            )
        elif argument.keyword is not None and argument.keyword.value == "device" and name != "to":
            yield Change(
                kind="dropped device argument", about="device", node=call, replacement=without(call, argument)
            )


def _of_factory(place: Place) -> str:
    text = place.code(place.statement) if place.statement is not None else ""
    return "float32 mask" if "mask" in text and "\n" not in text else "dropped dtype argument"


def _calls(call: cst.Call) -> Iterator[Change]:
    found = method(call)
    if found is None:
        return
    _, attribute, name = found
    receiver = attribute.value
    if name in CASTS and not call.args:
        kind = "integer target of another type" if name in ("long", "int") else "dropped cast"
        yield Change(kind=kind, about="dtype", node=call, replacement=receiver)
    elif name == "astype":
        yield Change(kind="NumPy's float64", about="dtype", node=call, replacement=receiver)
    elif name == "cuda":
        yield Change(kind="forgotten move", about="device", node=call, replacement=receiver)
    elif name in ("type_as", "to"):
        dtypes = [argument for argument in call.args if name == "type_as" or is_dtype(argument)]
        devices = [argument for argument in call.args if is_device(argument)]
        alone = len(dtypes) + len(devices) == 1
        for argument in dtypes:
            fewer = receiver if alone else without(call, argument)
            yield Change(kind="dropped cast", about="dtype", node=call, replacement=fewer)
        for argument in devices:
            fewer = receiver if alone else without(call, argument)
            yield Change(kind="forgotten move", about="device", node=call, replacement=fewer)


def _autocast(node: cst.With) -> Iterator[Change]:
    item = node.items[0].item
    if len(node.items) == 1 and isinstance(item, cst.Call) and dotted(item.func).endswith("autocast"):
        off = cst.Arg(
            keyword=cst.Name("enabled"),
            value=cst.Name("False"),
            equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
        )
        switched = item.with_changes(args=[*item.args, off])
        yield Change(kind="autocast switched off", about="dtype", node=item, replacement=switched)
        if isinstance(node.body, cst.IndentedBlock):
            bare = cst.FlattenSentinel(node.body.body)
            yield Change(kind="autocast removed", about="dtype", node=node, replacement=bare, whole=True)


def _buffer(node: cst.Expr) -> Iterator[Change]:
    """`self.register_buffer("name", value)` → `self.name = value`."""
    found = method(node.value)
    if found is None or found[2] != "register_buffer":
        return
    call, attribute, _ = found
    name = call.args[0].value
    if isinstance(name, cst.SimpleString) and isinstance(name.raw_value, str):
        target = cst.Attribute(value=attribute.value, attr=cst.Name(name.raw_value))
        plain = cst.Assign(targets=[cst.AssignTarget(target)], value=call.args[1].value)
        yield Change(kind="buffer as a plain tensor", about="device", node=node, replacement=plain)
        yield Change(kind="buffer as a plain tensor", about="dtype", node=node, replacement=plain)
