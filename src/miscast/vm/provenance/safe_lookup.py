"""Resolve an expression's value in a frame without evaluating it. No code of the program runs.

    self.blocks[0].weight   the parameter, where torch keeps it
    order[i : i + 4]        the list is looked up, and cut
    list(range(3))          [0, 1, 2]
    pick(order)             UNREAD: what a function returns only running it would tell

pure_eval looks up names, attributes and slots, and works out what is written out. Here stands what it does not know:
where torch keeps the parts of a module, what is cheap enough to be worked out, and which containers are plain.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pure_eval import CannotEval, Evaluator
from torch.nn import Module, ModuleDict, ModuleList, Sequential

from ...running.torch_abi import TensorBase
from .contents import attributes_of, defined, items_of
from .module_members import kept, module_parts
from .record import is_meta, is_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

UNREAD: Final = object()
"""A value that only the program's code could give."""
# Sets of types, not tuples: `in` would ask a metaclass of the program's whether it equals each.
_SEQUENCES = frozenset({list, tuple, range})
_INDICES = frozenset({int, bool, slice})
_ENDS = frozenset({int, type(None)})
_ITEMS_OF_SEQUENCES = tuple(kind.__getitem__ for kind in (list, tuple, range))
_ITEMS_OF_MODULES = tuple(
    kind.__getitem__ for kind in (Sequential, ModuleList, ModuleDict)
)
_NUMBERS = frozenset({int, float, bool})
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_LONGEST = 1 << 16
_CALLED: Mapping[Callable[..., Any], frozenset[type]] = {
    list: _SEQUENCES, tuple: _SEQUENCES, range: frozenset({int}), len: _SEQUENCES,
}  # fmt: skip
_OF_TENSORS = frozenset({"grad", "data", "T", "mT", "H", "mH", "real", "imag"})
_is_leaf = TensorBase.is_leaf.__get__  # type: ignore[attr-defined]


def value_of(node: ast.AST | None, frame: FrameType) -> Any:
    """Return the object itself for a name, an attribute or an item; a new one for a literal; else UNREAD."""
    if not isinstance(node, ast.expr):
        return UNREAD
    try:
        return _Values(frame)[node]
    except (CannotEval, RecursionError):
        return UNREAD


def value_of_chain(chain: tuple[str, ...], frame: FrameType) -> Any:
    """Return the value of a name and its attributes, for ("self", "weight") the parameter; None if unread."""
    found = value_of(_expression(chain), frame)
    return None if found is UNREAD else found


@cache
def _expression(chain: tuple[str, ...]) -> ast.expr:
    return ast.parse(".".join(chain), mode="eval").body


class _Values(Evaluator):
    """The expressions of one frame, as its names stand now."""

    def __init__(self, frame: FrameType) -> None:
        # A class body may keep its names in a mapping of the program's own, whose code would run.
        spaces = (frame.f_locals, frame.f_globals, frame.f_builtins)
        super().__init__(
            ChainMap(*(one for one in spaces if type(one).__module__ == "builtins"))
        )

    def __getitem__(self, node: ast.expr) -> Any:
        read = _READ.get(type(node))
        return read(self, node) if read is not None else super().__getitem__(node)

    def name(self, node: ast.Name) -> Any:
        try:
            return self.names[node.id]
        except KeyError:
            raise CannotEval from None

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self[node.value]
        if is_tensor(owner):
            return _of_tensor(owner, node.attr)
        try:
            return super().__getitem__(node)
        except CannotEval:
            spaces = module_parts(owner) if issubclass(type(owner), Module) else []
            return _first(space[node.attr] for space in spaces if node.attr in space)

    def item(self, node: ast.Subscript) -> Any:
        owner, key = self[node.value], self._key(node.slice)
        get = defined(type(owner), "__getitem__")
        if get is dict.__getitem__:
            return _entry(owner, key)
        if _is_one(get, _ITEMS_OF_MODULES):
            modules = dict(kept(owner, "_modules"))
            if type(key) is str:
                return _entry(modules, key)
            return _element(list(modules.values()), key)
        if _is_one(get, _ITEMS_OF_SEQUENCES):
            return _element(owner, key)
        raise CannotEval

    def _key(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self[node]
        ends = [
            None if end is None else self[end]
            for end in (node.lower, node.upper, node.step)
        ]
        if any(type(end) not in _ENDS for end in ends):
            raise CannotEval
        return slice(*ends)

    def operation(self, node: ast.BinOp) -> Any:
        if _is_cheap(node.op, self[node.left], self[node.right]):
            return super().__getitem__(node)
        raise CannotEval

    def call(self, node: ast.Call) -> Any:
        """Evaluate `list`, `tuple`, `range` and `len` of plain things."""
        function, args = self[node.func], [self[one] for one in node.args]
        taken = _first(kinds for own, kinds in _CALLED.items() if own is function)
        if args and not node.keywords and all(type(one) in taken for one in args):
            return _called(function, args)
        raise CannotEval


_READ: Mapping[type, Callable[[_Values, Any], Any]] = {
    ast.Name: _Values.name, ast.Attribute: _Values.attribute, ast.Subscript: _Values.item,
    ast.BinOp: _Values.operation, ast.Call: _Values.call,
}  # fmt: skip


def _first(found: Iterator[Any]) -> Any:
    for one in found:
        return one
    raise CannotEval


def _of_tensor(tensor: Any, name: str) -> Any:
    """Return what a tensor was given by the program or by torch, and views of a real one.

    A virtual one would run an op.
    """
    own = attributes_of(tensor)
    if name in own:
        return own[name]
    if is_meta(tensor):
        return _first(iter([tensor] if name == "data" else []))
    if name in _OF_TENSORS and _is_leaf(tensor):  # `.grad` of another warns
        return getattr(TensorBase, name).__get__(tensor)
    raise CannotEval


def _is_one(found: Any, several: tuple[Any, ...]) -> bool:
    """Check whether it is one of several, by identity: `==` may be the program's."""
    return any(found is one for one in several)


def _entry(entries: dict[Any, Any], key: Any) -> Any:
    """Return the value of a key; neither a default factory nor the program's `__eq__` is called."""
    return _first(
        value
        for own, value in items_of(entries)
        if type(own) is type(key) and own == key
    )


def _element(sequence: Any, key: Any) -> Any:
    if type(key) not in _INDICES:
        raise CannotEval
    try:
        return sequence[key]
    except (LookupError, ValueError):
        raise CannotEval from None


def _called(function: Callable[..., Any], args: list[Any]) -> Any:
    try:
        if (function is list or function is tuple) and len(args[0]) > _LONGEST:
            raise CannotEval
        return function(*args)
    except (TypeError, ValueError, OverflowError):
        raise CannotEval from None


def _is_cheap(operator: ast.operator, left: Any, right: Any) -> bool:
    """Check whether an operator is quick on two plain values.

    A power or a repetition can ask for more than there is.
    """
    kinds = {type(left), type(right)}
    if not isinstance(operator, _OPERATORS) or not kinds <= {*_NUMBERS, list, tuple}:
        return False
    if isinstance(operator, ast.Mult) and int in kinds:
        return _length(left) * _length(right) <= _LONGEST or kinds <= _NUMBERS
    return kinds <= _NUMBERS or (isinstance(operator, ast.Add) and len(kinds) == 1)


def _length(one: Any) -> int:
    return len(one) if type(one) in _SEQUENCES else int(one)
