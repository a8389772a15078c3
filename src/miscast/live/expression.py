"""The tensors of the expression that failed, read off the frame's variables without running any of its code.

    loss = F.linear(x, self.proj.weight)     ->  ("x", tensor), ("self.proj.weight", tensor)

Only what is plainly stored is looked up: names, attributes in a `__dict__` or among a module's parameters, elements
under a constant key. Where Python knows the columns (3.11), it is the innermost expression, else the whole statement.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType

_ELEMENTS = 8
_OF_TENSORS = frozenset({"grad", "data", "T", "mT", "H", "mH", "real", "imag"})
_ABSENT = object()


class Found(NamedTuple):
    """A tensor, and how the line spells it."""

    spelled: str
    tensor: torch.Tensor


def tensors(trace: TracebackType) -> tuple[Found, ...]:
    """The tensors of the expression at which a frame of a traceback stopped, in order, each once."""
    node = _node(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)
    found: dict[str, Found] = {}
    for one in _operands(node, trace.tb_frame) if node is not None else ():
        found.setdefault(one.spelled, one)
    return tuple(found.values())


def statements(code: CodeType) -> Iterator[ast.stmt]:
    """The statements of a function's or module's source, in the order of their lines; none where it is not at hand."""
    tree = _tree(code.co_filename)
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


def value(node: ast.AST, frame: FrameType) -> Any:
    """What a chain of names, attributes and constant keys holds now; `_ABSENT` where it cannot be told."""
    if isinstance(node, ast.Name):
        for scope in (frame.f_locals, frame.f_globals):
            if node.id in scope:
                return scope[node.id]
        return _ABSENT
    if isinstance(node, ast.Attribute):
        return _attribute(value(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _element(value(node.value, frame), node.slice.value)
    return _ABSENT


def _node(code: CodeType, lasti: int, line: int) -> ast.AST | None:
    tree = _tree(code.co_filename)
    if tree is None:
        return None
    span = (line, line, None, None)
    if sys.version_info >= (3, 11):
        span = next(islice(code.co_positions(), lasti // 2, None), span)
    if None not in span:
        exact = [node for node in ast.walk(tree) if _span(node) == span]
        if exact:
            return exact[-1]
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(around, key=lambda node: node.lineno, default=None)


def _span(node: ast.AST) -> tuple[int | None, ...]:
    at = (getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"))
    return tuple(at)


def _operands(node: ast.AST, frame: FrameType) -> Iterator[Found]:
    """In the order in which they stand there; a call's keyword and positional arguments, a method's tensor first."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        held = value(node, frame)
        if isinstance(held, torch.Tensor):
            yield Found(ast.unparse(node), held)
            return
        if isinstance(held, (list, tuple)):
            yield from _members(ast.unparse(node), held)
            return
    if isinstance(node, ast.Starred):
        yield from _operands(node.value, frame)
        return
    for child in ast.iter_child_nodes(node):
        yield from _operands(child, frame)


def _members(name: str, held: Sequence[Any]) -> Iterator[Found]:
    """Of a long list, the first of each dtype and device: it is these that are at odds."""
    seen: dict[tuple[object, ...], None] = {}
    for index, one in enumerate(held):
        if isinstance(one, torch.Tensor) and (one.dtype, one.device) not in seen and len(seen) < _ELEMENTS:
            seen[one.dtype, one.device] = None
            yield Found(f"{name}[{index}]", one)
    if len(seen) == 1:
        yield from (Found(f"{name}[{i}]", one) for i, one in enumerate(held[1:2], 1) if isinstance(one, torch.Tensor))


def _attribute(owner: Any, name: str) -> Any:
    if isinstance(owner, torch.Tensor):
        return getattr(owner, name, _ABSENT) if name in _OF_TENSORS and owner.is_leaf else _ABSENT
    own = getattr(owner, "__dict__", {})
    for held in (own, own.get("_parameters"), own.get("_buffers"), own.get("_modules")):
        if isinstance(held, Mapping) and name in held:
            return held[name]
    return _ABSENT


def _element(owner: Any, key: Any) -> Any:
    if isinstance(owner, (dict, list, tuple)):
        try:
            return owner[key]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    return _ABSENT


@lru_cache(maxsize=32)
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _own_statements(body: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(body):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _own_statements(child)
