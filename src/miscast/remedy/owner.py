"""Which module is to be converted, by a name that has a `.to()`.

unet = UNet()              ->  unet
models.unet.conv_in        ->  models.unet       `models` is no module
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import chain

from .. import cause as causes
from ..cause import Cause
from ..event import Call, Event
from .calls import called
from .line import short, statements_at

_TENSORS = ("Parameter", "Tensor", "Buffer")  # classes that are no modules


def module(call: Call, event: Event | None) -> str:
    """The module to convert: as its birth line names it, else the root of the module path at the call."""
    if call.apart:
        return call.apart
    path = call.location.module or ""
    root = call.root or (path or "module").partition(".")[0]
    lines = statements_at(event.location if event else None)
    return _used_at_once(lines, root) or _named(lines, path) or root


def is_modules(call: Call, cause: Cause) -> bool:
    """Whether the blamed operand is a module's parameter: by its name, where no line says that it is a mere tensor."""
    if not causes.is_parameter(cause.blamed):
        return False
    if call.location.module or cause.event is None or cause.event.location is None:
        return True
    return not _makes_tensors(statements_at(cause.chain[-1].location))


def makes_module(event: Event) -> str:
    """The module of whose weights a tensor was computed, as the line that made it names it; "" if it is no module's."""
    for tree in statements_at(event.location if event.library is None else None):
        value = _value(tree)
        if value is not None and _constructs(value):
            match tree:
                case ast.Assign(targets=[ast.Name(id=name), *_]):
                    return name
            return short(ast.unparse(value))
    return ""


def _value(tree: ast.stmt) -> ast.expr | None:
    """What a statement sets a name to, or returns."""
    return tree.value if isinstance(tree, (ast.Assign, ast.Return)) else None


def _makes_tensors(lines: Sequence[ast.stmt]) -> bool:
    """Whether a line says what it sets or returns, and none of that may be a module."""
    values = [value for value in map(_value, lines) if value is not None]
    return bool(values) and not any(_constructs(v) or _may_make(v) for v in values)


def _used_at_once(lines: Sequence[ast.stmt], kind: str) -> str:
    """What makes a module that gets no name: `nn.Linear(2, 2)` of `y = nn.Linear(2, 2)(x)`."""
    for node in chain.from_iterable(map(ast.walk, lines)):
        match node:
            case ast.Call(func=ast.Call() as made) if called(made) == kind:
                return short(ast.unparse(made))
    return ""


def _named(lines: Sequence[ast.stmt], path: str) -> str:
    """The name that a line gives to a module; a module's own attribute is known by the module path at the call."""
    for tree in lines:
        match tree:
            case ast.Assign(targets=[first, *_], value=value) if not isinstance(
                first, ast.Tuple
            ) and _may_make(value):
                name = ast.unparse(first)
                return (path or name) if name.startswith("self.") else name
    return ""


def _constructs(value: ast.expr) -> bool:
    """Whether a class is called: `nn.Linear(2, 2)`, `nn.Linear(2, 2).to(device)`."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made)):
            return _constructs(made)
        case ast.Call():
            name = called(value)
            return name[:1].isupper() and not name.endswith(_TENSORS)
    return False


def _may_make(value: ast.expr) -> bool:
    """Whether it is a call that may give a module: most of torch's own functions give tensors."""
    if not isinstance(value, ast.Call):
        return False
    owner, _, name = ast.unparse(value.func).rpartition(".")
    if owner in ("torch.hub", "torch.jit") or name == "compile":
        return True
    of_torch = owner.partition(".")[0] == "torch" and name[:1].islower()
    return name != "Parameter" and not of_torch
