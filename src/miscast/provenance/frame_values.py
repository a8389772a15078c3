"""What an expression stands for in a frame, read and not run: no code of the program's is called for it.

    order[i : i + 4]        the list is looked up, and cut
    list(range(3))          [0, 1, 2]
    pick(order)             UNREAD: what a function returns only running it would tell
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

UNREAD: Final = object()
_SEQUENCES = (list, tuple, range)
_KEYS = (int, str, bool)
_LONGEST = 1 << 16
_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_NUMBERS = (int, float, bool)
_CALLED = {list: _SEQUENCES, tuple: _SEQUENCES, range: (int,), len: _SEQUENCES}


def value_of(node: ast.expr | None, frame: FrameType) -> Any:
    """The object itself for a name, an attribute or an item; a new one for what is written out; else UNREAD."""
    read = _READ.get(type(node))
    return read(node, frame) if read else UNREAD


def _name(node: ast.Name, frame: FrameType) -> Any:
    for space in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if node.id in space:
            return space[node.id]
    return UNREAD


def _attribute(node: ast.Attribute, frame: FrameType) -> Any:
    """What the object itself holds under that name, or its class as a plain value."""
    owner = value_of(node.value, frame)
    found = _space(owner).get(node.attr, UNREAD)
    if found is not UNREAD:
        return found
    held = (_space(kind).get(node.attr, UNREAD) for kind in type(owner).__mro__)
    found = next((one for one in held if one is not UNREAD), UNREAD)
    return found if type(found) in (*_SEQUENCES, *_NUMBERS) else UNREAD


def _space(owner: Any) -> Mapping[str, Any]:
    try:
        space = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return space if type(space) is dict or isinstance(owner, type) else {}


def _item(node: ast.Subscript, frame: FrameType) -> Any:
    owner, key = value_of(node.value, frame), value_of(node.slice, frame)
    plain = type(owner) is dict and type(key) in _KEYS
    if plain or (type(owner) in _SEQUENCES and type(key) in (int, bool, slice)):
        try:
            return owner[key]
        except (LookupError, TypeError, ValueError):
            return UNREAD
    return UNREAD


def _slice(node: ast.Slice, frame: FrameType) -> Any:
    parts = [None if part is None else value_of(part, frame) for part in (node.lower, node.upper, node.step)]
    return slice(*parts) if all(part is None or type(part) is int for part in parts) else UNREAD


def _sequence(node: ast.List | ast.Tuple, frame: FrameType) -> Any:
    items = [value_of(item, frame) for item in node.elts]
    if any(item is UNREAD for item in items):
        return UNREAD
    return items if isinstance(node, ast.List) else tuple(items)


def _negative(node: ast.UnaryOp, frame: FrameType) -> Any:
    inner = value_of(node.operand, frame)
    return -inner if isinstance(node.op, ast.USub) and type(inner) in _NUMBERS else UNREAD


def _arithmetic(node: ast.BinOp, frame: FrameType) -> Any:
    work, a, b = _ARITHMETIC.get(type(node.op)), value_of(node.left, frame), value_of(node.right, frame)
    repeats = type(node.op) is ast.Mult and {type(a), type(b)} in ({list, int}, {tuple, int})
    joins = type(node.op) is ast.Add and type(a) is type(b) and type(a) in (list, tuple)
    if work is None or not (joins or repeats or (type(a) in _NUMBERS and type(b) in _NUMBERS)):
        return UNREAD
    if repeats and _length(a) * _length(b) > _LONGEST:
        return UNREAD
    try:
        return work(a, b)
    except (ArithmeticError, MemoryError):
        return UNREAD


def _length(one: Any) -> int:
    return one if isinstance(one, int) else len(one)


def _call(node: ast.Call, frame: FrameType) -> Any:
    """`list`, `tuple`, `range` and `len` of plain things."""
    function, args = value_of(node.func, frame), [value_of(a, frame) for a in node.args]
    taken = next((kinds for own, kinds in _CALLED.items() if own is function), ())
    if not taken or node.keywords or not args or any(type(a) not in taken for a in args):
        return UNREAD
    if function in (list, tuple) and len(args[0]) > _LONGEST:
        return UNREAD
    try:
        return function(*args)
    except (TypeError, ValueError):
        return UNREAD


_READ: Mapping[type, Callable[[Any, FrameType], Any]] = {
    ast.Constant: lambda node, _: node.value,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _item,
    ast.Slice: _slice,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.UnaryOp: _negative,
    ast.BinOp: _arithmetic,
    ast.Call: _call,
}
