"""The tensors of the expression that failed, read off the frame's variables without running any of its code.

    loss = F.linear(x, self.proj.weight)     ->  ("x", …), ("self.proj.weight", …)
    y = torch.mm(a, b.half())                ->  ("a", …), ("b.half()", …)

Where Python knows the columns (3.11), it is the innermost expression, and parts of it without a name are inferred; else
the named tensors of the whole statement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch

from ..syntax import parsed_file
from . import argument_names
from .inferred_parts import inferred, span, span_of
from .stored_values import ABSENT, value

if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType

    from .tensor_notes import Note

_ELEMENTS = 8


class Found(NamedTuple):
    """A tensor, how the line spells it, and what the op calls it."""

    spelled: str
    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    tensor: torch.Tensor | None = None
    """None of a part that no variable holds."""
    part: ast.expr | None = None
    note: Note | None = None
    argument: str = ""


class Operands(NamedTuple):
    """The tensors of an expression, in order, each once; `complete` if there can be no other."""

    found: tuple[Found, ...]
    complete: bool


def operands(trace: TracebackType) -> Operands:
    """The tensors of the expression at which a frame of a traceback stopped."""
    node, exact = _node(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)
    reading = _Reading(trace.tb_frame, exact=exact)
    if node is not None:
        reading.read(node)
    return Operands(tuple(reading.found.values()), reading.complete and exact)


def statements(code: CodeType) -> Iterator[ast.stmt]:
    """The statements of a function's or module's source, in the order of their lines; none where it is not at hand."""
    tree = parsed_file(code.co_filename)
    if tree is None:
        return
    body: ast.AST = tree
    if code.co_name != "<module>":
        for node in ast.walk(tree):
            first = getattr(node, "lineno", 0)
            marks = [first, *(one.lineno for one in getattr(node, "decorator_list", ()))]
            named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name
            if named and code.co_firstlineno in marks:
                body = node
                break
        else:
            return
    yield from sorted(_own_statements(body), key=lambda one: one.lineno)


def _node(code: CodeType, lasti: int, line: int) -> tuple[ast.AST | None, bool]:
    """The expression or statement, and whether it is exactly what failed."""
    tree = parsed_file(code.co_filename)
    if tree is None:
        return None, False
    where = span(code, lasti)
    if None not in where:
        exact = [node for node in ast.walk(tree) if span_of(node) == where]
        if exact:
            stored = isinstance(getattr(exact[-1], "ctx", None), ast.Store)
            return (_statement(tree, line) if stored else exact[-1]), True  # `cache[i] = x` fails at `cache[i]`
    return _statement(tree, line), False


def _statement(tree: ast.Module, line: int) -> ast.AST | None:
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(around, key=lambda node: node.lineno, default=None)


class _Reading:
    """Reads an expression's operands. Of exactly what failed, a call inside is a part, not more operands."""

    def __init__(self, frame: FrameType, *, exact: bool) -> None:
        self.frame = frame
        self.exact = exact
        self.found: dict[str, Found] = {}
        self.complete = True

    def read(self, node: ast.AST) -> None:
        """The node that failed: of an assignment its two sides, of a call its function's owner and its arguments."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            return
        if not self.exact:
            self._walk(node)
            return
        for name, child in argument_names.of(node, self._owner):
            self._operand(child, name)

    def _owner(self, node: ast.expr) -> Literal["tensor", "torch", ""]:
        held = value(node, self.frame)
        if held is ABSENT or isinstance(held, torch.Tensor):
            return "tensor"
        return "torch" if isinstance(held, ModuleType) and held.__name__.startswith("torch") else ""

    def _walk(self, node: ast.AST) -> None:
        if not self._named(node, "") and not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            for child in ast.iter_child_nodes(node):
                self._walk(child)

    def _operand(self, node: ast.AST, argument: str) -> None:
        if isinstance(node, (ast.Tuple, ast.List)):
            for index, child in enumerate(node.elts):
                self._operand(child, f"{argument}[{index}]" if argument else "")
            return
        if isinstance(node, ast.Starred):
            self._operand(node.value, "")
            return
        if self._named(node, argument) or isinstance(node, ast.Constant):
            return
        part = inferred(node, self.frame) if isinstance(node, ast.expr) else None
        if part is None:
            self.complete = False
            return
        spelled = ast.unparse(node)
        self._add(
            Found(spelled, part.meta.dtype, part.device, tuple(part.meta.shape),
                  part=node, note=part.note, argument=argument)  # type: ignore[arg-type]  # an expression, see above
        )  # fmt: skip

    def _named(self, node: ast.AST, argument: str) -> bool:
        """Whether a variable holds it, be it a tensor or not."""
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return False
        held = value(node, self.frame)
        if isinstance(held, torch.Tensor):
            self._add(_found(ast.unparse(node), held, argument))
        elif isinstance(held, (list, tuple, dict)):
            for one in _members(ast.unparse(node), held):
                self._add(one)
        else:
            return isinstance(held, _NUMBERS)
        return True

    def _add(self, one: Found) -> None:
        self.found.setdefault(one.spelled, one)


_NUMBERS = (int, float, bool, complex, str, type(None), torch.dtype, torch.device)


def _found(spelled: str, tensor: torch.Tensor, argument: str = "") -> Found:
    return Found(spelled, tensor.dtype, tensor.device, tuple(tensor.shape), tensor, argument=argument)


def _members(name: str, held: Sequence[Any] | Mapping[Any, Any]) -> Iterator[Found]:
    """Of a long list, the first of each dtype and device: it is these that are at odds."""
    seen: dict[tuple[object, ...], None] = {}
    items = list(held.items() if isinstance(held, dict) else enumerate(held))
    tensors = [(key, one) for key, one in items if isinstance(one, torch.Tensor)]
    for key, one in tensors:
        if (one.dtype, one.device) not in seen and len(seen) < _ELEMENTS:
            seen[one.dtype, one.device] = None
            yield _found(f"{name}[{key!r}]", one, key if isinstance(key, str) else "")
    if len(seen) == 1:
        yield from (_found(f"{name}[{key!r}]", one) for key, one in tensors[1:2])


def _own_statements(body: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(body):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _own_statements(child)
