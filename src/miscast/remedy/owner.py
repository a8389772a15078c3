"""Which module is to be converted, by a name that has a `.to()`; and what keeps a `.to()` from reaching it.

models.unet.conv_in        ->  models.unet       `models` is no module
model.tower[0].lin         ->  keep `tower` in a torch.nn.ModuleList: `model.to()` does not reach it
"""

from __future__ import annotations

import ast
import re

from .. import cause as causes
from ..cause import Cause
from ..event import Call, Event, Location
from .line import short, statements
from .places import place

_LISTED = re.compile(r"(.*)\.(\w+)\[(.)")
_LISTS = (ast.List, ast.Tuple, ast.ListComp)
_DICTS = (ast.Dict, ast.DictComp)
_TENSORS = ("Parameter", "Tensor", "Buffer")  # classes that are no modules
_QUOTES = "'\""


def module(call: Call, event: Event | None) -> str:
    """The module to convert: as its birth line names it, else the root of the module path at the call."""
    path = call.location.module or ""
    if call.apart:
        return call.apart
    root = call.root or (path or "module").partition(".")[0]
    lines = statements(event.location.code) if event and event.location else []
    used = next((found for tree in lines if (found := _used_at_once(tree, root))), None)
    if used is not None:
        return short(ast.unparse(used))
    for tree in lines:
        if (
            isinstance(tree, ast.Assign)
            and not isinstance(tree.targets[0], ast.Tuple)
            and _may_make(tree.value)
        ):
            name = ast.unparse(tree.targets[0])
            return (path or name) if name.startswith("self.") else name
    return root


def is_modules(call: Call, cause: Cause) -> bool:
    """Whether the blamed operand is a module's parameter: by its name, where no line says that it is a mere tensor."""
    if not causes.is_parameter(cause.blamed):
        return False
    if call.location.module or cause.event is None or cause.event.location is None:
        return True
    made = statements(cause.chain[-1].location.code) if cause.chain[-1].location else []
    values = [
        tree.value
        for tree in made
        if isinstance(tree, (ast.Assign, ast.Return)) and tree.value is not None
    ]
    return not values or any(_constructs(value) or _may_make(value) for value in values)


def makes_module(event: Event) -> str:
    """The module of whose weights a tensor was computed, as the line that made it names it; "" if it is no module's."""
    for tree in (
        statements(event.location.code)
        if event.location and event.library is None
        else ()
    ):
        value = tree.value if isinstance(tree, (ast.Assign, ast.Return)) else None
        if value is not None and _constructs(value):
            name = ast.unparse(tree.targets[0]) if isinstance(tree, ast.Assign) else ""
            return name if name.isidentifier() else short(ast.unparse(value))
    return ""


def _constructs(value: ast.expr) -> bool:
    """Whether a class is called: `nn.Linear(2, 2)`, `nn.Linear(2, 2).to(device)`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if not isinstance(value.func.value, ast.Call):
            break
        value = value.func.value
    name = (
        ast.unparse(value.func).rpartition(".")[2]
        if isinstance(value, ast.Call)
        else ""
    )
    return name[:1].isupper() and not name.endswith(_TENSORS)


def unregistered(call: Call, cause: Cause) -> str:
    """How a module is to keep what it holds in a list, or as a plain tensor; "" if it does neither."""
    lines = [line for name, line in call.held if name == cause.blamed.name]
    if not is_modules(call, cause):
        return _as_buffer(call, lines) if cause.about == "device" else ""
    found = _LISTED.match(call.apart)
    if found is not None and call.root and found[1].startswith(call.root):
        line = next((line for line in lines if _fills(line, found[2])), None)
        where = f", at {place(line)}" if line else ""
        return f"keep `{found[2]}` in a torch.nn.{'ModuleDict' if found[3] in _QUOTES else 'ModuleList'}{where}"
    if call.apart:
        return ""
    for line in lines:
        for name, value in _kept(line):
            if isinstance(value, (*_LISTS, *_DICTS)):
                kind = f"{'Parameter' if call.root else 'Module'}{'Dict' if isinstance(value, _DICTS) else 'List'}"
                return f"keep `{name}` in a torch.nn.{kind}, at {place(line)}"
    return ""


def _as_buffer(call: Call, lines: list[Location]) -> str:
    for line in lines if call.location.module else ():
        for name, value in _kept(line):
            if f"self.{name}" in call.location.code and not _is_parameter(value):
                return f'register it, at {place(line)}: self.register_buffer("{name}", {short(ast.unparse(value))})'
    return ""


def _is_parameter(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Parameter")


def _kept(line: Location) -> list[tuple[str, ast.expr]]:
    """Each `self.name = value` on a line."""
    found = []
    for tree in statements(line.code):
        if isinstance(tree, ast.Assign) and isinstance(tree.targets[0], ast.Attribute):
            owner = tree.targets[0].value
            if isinstance(owner, ast.Name) and owner.id == "self":
                found.append((tree.targets[0].attr, tree.value))
    return found


def _fills(line: Location, name: str) -> bool:
    """Whether a line makes a list or puts something into it."""
    return (
        re.search(
            rf"\b{name}\b\s*(?:=(?!=)|\+=|\[[^]]*\]\s*=|\.(?:append|extend|insert)\b)",
            line.code,
        )
        is not None
    )


def _used_at_once(tree: ast.stmt | None, kind: str) -> ast.Call | None:
    """What makes a module that gets no name: `nn.Linear(2, 2)` of `y = nn.Linear(2, 2)(x)`."""
    for node in ast.walk(tree) if tree else ():
        made = node.func if isinstance(node, ast.Call) else None
        if (
            isinstance(made, ast.Call)
            and ast.unparse(made.func).rpartition(".")[2] == kind
        ):
            return made
    return None


def _may_make(value: ast.expr) -> bool:
    """Whether it is a call that may give a module: most of torch's own functions give tensors."""
    if not isinstance(value, ast.Call):
        return False
    owner, _, name = ast.unparse(value.func).rpartition(".")
    if owner in ("torch.hub", "torch.jit") or name == "compile":
        return True
    return name != "Parameter" and not (
        owner.partition(".")[0] == "torch" and name[:1].islower()
    )
