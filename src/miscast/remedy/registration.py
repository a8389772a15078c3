"""What keeps a module's `.to()` from reaching what it holds, and how the module is to hold it.

self.tower = [Tower()]     ->  keep `tower` in a torch.nn.ModuleList, at model.py:7
self.mean = torch.ones(3)  ->  register it, at model.py:8: self.register_buffer("mean", torch.ones(3))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..cause import Cause
from ..event import Call, Location
from ..finding import Fix
from .line import short, statements_at
from .owner import is_modules
from .places import place

_ITEM = re.compile(r"(.*)\.(\w+)\[(.)")
_LISTS = (ast.List, ast.Tuple, ast.ListComp)
_DICTS = (ast.Dict, ast.DictComp)
_QUOTES = "'\""


def registration(call: Call, cause: Cause) -> Fix | None:
    """The way to hold what is out of the reach of `.to()`, in a list or as a plain tensor; None if it is not."""
    lines = call.held_as(cause.blamed.name)
    if is_modules(call, cause):
        way = _in_a_list(call, lines)
    else:
        way = _as_buffer(call, lines) if cause.about == "device" else ""
    return Fix(title=f"{way}, so that `.to()` reaches it") if way else None


def _in_a_list(call: Call, lines: Sequence[Location]) -> str:
    item = _ITEM.match(call.apart)
    if item is not None and call.root and item[1].startswith(call.root):
        line = next((line for line in lines if _fills(line, item[2])), None)
        where = f", at {place(line)}" if line else ""
        kind = "ModuleDict" if item[3] in _QUOTES else "ModuleList"
        return f"keep `{item[2]}` in a torch.nn.{kind}{where}"
    return "" if call.apart else _of_the_line(call, lines)


def _of_the_line(call: Call, lines: Sequence[Location]) -> str:
    """The same where the trace knows of no module: a line says that a list is kept."""
    for line, name, value in _kept(lines):
        if isinstance(value, (*_LISTS, *_DICTS)):
            what = "Parameter" if call.root else "Module"
            kind = "Dict" if isinstance(value, _DICTS) else "List"
            return f"keep `{name}` in a torch.nn.{what}{kind}, at {place(line)}"
    return ""


def _as_buffer(call: Call, lines: Sequence[Location]) -> str:
    if not call.location.module:
        return ""
    for line, name, value in _kept(lines):
        if f"self.{name}" in call.location.code and not _is_parameter(value):
            written = f'self.register_buffer("{name}", {short(ast.unparse(value))})'
            return f"register it, at {place(line)}: {written}"
    return ""


def _is_parameter(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Parameter")


def _kept(lines: Sequence[Location]) -> Iterator[tuple[Location, str, ast.expr]]:
    """Each `self.name = value` on these lines."""
    for line in lines:
        for tree in statements_at(line):
            match tree:
                case ast.Assign(
                    targets=[ast.Attribute(ast.Name("self"), name), *_], value=value
                ):
                    yield line, name, value


def _fills(line: Location, name: str) -> bool:
    """Whether a line makes a list or puts something into it."""
    sets = r"=(?!=)|\+=|\[[^]]*\]\s*=|\.(?:append|extend|insert)\b"
    return re.search(rf"\b{name}\b\s*(?:{sets})", line.code) is not None
