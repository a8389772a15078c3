"""The tensors of the expression that failed, read off the frame's variables without running any of its code.

    loss = F.linear(x, self.proj.weight)     ->  ("x", …), ("self.proj.weight", …)
    y = torch.mm(a, b.half())                ->  ("a", …), ("b.half()", …)

Where it is known which expression of the statement failed, parts of it without a name are inferred; else these are the
named tensors of the whole statement.
"""

from __future__ import annotations

import ast
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch

from . import argument_names
from .contents import items_of
from .executing_node import definition, executed, tree_of
from .inferred_parts import inferred
from .record import is_tensor
from .safe_lookup import UNREAD, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import CodeType, FrameType, TracebackType

    from .tensor_history import Note

_ELEMENTS = 8
_CONTAINERS = (list, tuple, dict)
_RAISING = (ast.Raise, ast.Assert)
_NUMBERS = (int, float, bool, complex, str, type(None), torch.dtype, torch.device)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
"""Definitions, whose bodies run in other frames."""


class Found(NamedTuple):
    """A tensor, how the line spells it, and what the op calls it."""

    spelled: str
    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    tensor: torch.Tensor | None = None
    """The tensor, or None if no variable holds it."""
    part: ast.expr | None = None
    note: Note | None = None
    argument: str = ""


class Operands(NamedTuple):
    """The tensors of an expression, in order, each once; `complete` if there can be no other."""

    found: tuple[Found, ...]
    complete: bool


def operands(trace: TracebackType) -> Operands:
    """Return the tensors of the expression at which a frame of a traceback stopped."""
    failed, exact = failed_node(trace)
    reading = _Reading(trace.tb_frame)
    if isinstance(failed, _RAISING):  # the error is told there, the op is further out
        return Operands((), complete=True)
    if failed is not None and not isinstance(failed, _DEFINITIONS):
        (reading.operands_of if exact else reading.names_in)(failed)
    return Operands(tuple(reading.found.values()), reading.complete and exact)


def failed_node(trace: TracebackType) -> tuple[ast.AST | None, bool]:
    """Return the node at which a frame stopped.

    Its statement, and False, where it is not known which part of it failed.
    """
    node, statement = executed(trace)
    # `cache[i] = x` fails at `cache[i]`
    stored = isinstance(getattr(node, "ctx", None), ast.Store)
    return (statement if stored or node is None else node), node is not None


def statements(code: CodeType) -> Iterator[ast.stmt]:
    """Yield the statements of a function's or module's source, in the order of their lines.

    None where it is not at hand.
    """
    tree = tree_of(code.co_filename)
    body = (
        tree if tree is None or code.co_name == "<module>" else definition(tree, code)
    )
    if body is not None:
        yield from sorted(_own_statements(body), key=lambda one: one.lineno)


def _own_statements(body: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(body):
        if isinstance(child, _DEFINITIONS):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _own_statements(child)


class _Reading:
    """Reads an expression's operands. Of exactly what failed, a call inside is a part, not more operands."""

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        self.found: dict[str, Found] = {}
        self.complete = True

    def operands_of(self, node: ast.AST) -> None:
        """Read the failed node's operands: of an assignment its sides, of a call its function's owner and arguments."""
        for name, part in argument_names.of(node, self._owner):
            self._operand(part, name)

    def names_in(self, node: ast.AST) -> None:
        """Read the tensors that a statement names, if it is not known which part of it failed."""
        if not isinstance(node, _DEFINITIONS) and not self._named(node, ""):
            for child in ast.iter_child_nodes(node):
                self.names_in(child)

    def _owner(self, node: ast.expr) -> Literal["tensor", "torch", ""]:
        value = value_of(node, self.frame)
        if value is UNREAD or is_tensor(value):
            return "tensor"
        if type(value) is ModuleType and value.__name__.startswith("torch"):
            return "torch"
        return ""

    def _operand(self, node: ast.AST, argument: str) -> None:
        if isinstance(node, (ast.Tuple, ast.List)):
            for index, child in enumerate(node.elts):
                self._operand(child, f"{argument}[{index}]" if argument else "")
        elif isinstance(node, ast.Starred):
            self._operand(node.value, "")
        elif not isinstance(node, ast.Constant) and not self._named(node, argument):
            self._unnamed(node, argument)

    def _unnamed(self, node: ast.AST, argument: str) -> None:
        """Add a part that no variable holds, such as `b.half()` in `mm(a, b.half())`."""
        part = inferred(node, self.frame) if isinstance(node, ast.expr) else None
        if part is None or not isinstance(node, ast.expr):
            self.complete = False
            return
        shape = tuple(part.meta.shape)
        self._add(
            Found(
                ast.unparse(node),
                part.meta.dtype,
                part.device,
                shape,
                part=node,
                note=part.note,
                argument=argument,
            )
        )

    def _named(self, node: ast.AST, argument: str) -> bool:
        """Check whether a variable holds it, be it a tensor or not."""
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return False
        value = value_of(node, self.frame)
        if is_tensor(value):
            self._add(_found(ast.unparse(node), value, argument))
            return True
        if issubclass(type(value), _CONTAINERS):
            for one in _members(ast.unparse(node), value):
                self._add(one)
            return True
        return issubclass(type(value), _NUMBERS)

    def _add(self, one: Found) -> None:
        self.found.setdefault(one.spelled, one)


def _found(spelled: str, tensor: torch.Tensor, argument: str = "") -> Found:
    return Found(
        spelled,
        tensor.dtype,
        tensor.device,
        tuple(tensor.shape),
        tensor,
        argument=argument,
    )


def _members(
    name: str, container: Sequence[Any] | Mapping[Any, Any]
) -> Iterator[Found]:
    """Yield, of a long list, the first of each dtype and device, which may mismatch; of equal ones two."""
    tensors = [(key, one) for key, one in items_of(container) if is_tensor(one)]
    first: dict[tuple[object, ...], tuple[Any, torch.Tensor]] = {}
    for key, one in tensors:
        first.setdefault((one.dtype, one.device), (key, one))
    for key, one in islice(first.values(), _ELEMENTS):
        yield _found(f"{name}[{key!r}]", one, key if isinstance(key, str) else "")
    if len(first) == 1:
        yield from (_found(f"{name}[{key!r}]", one) for key, one in tensors[1:2])
