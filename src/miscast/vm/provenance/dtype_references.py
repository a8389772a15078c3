"""Find the tensor whose dtype a line took: `t_emb.to(dtype=sample.dtype)` took it from `sample`.

A dtype is a constant that carries no history. Where the line that casts spells `NAME.dtype`, the tensor (or module)
behind the name is looked up in the frame, without running any of the program's code. Where it casts to a name,
`x.to(dtype)`, the line that set the name may spell it; of a parameter of its function, the line that called that.
"""

from __future__ import annotations

import ast
import dis
import linecache
from functools import cache
from typing import TYPE_CHECKING

import torch

from ...core.syntax import nodes_of
from .module_members import tensors_of
from .origin import TORCH, Origin, kind_of
from .record import find, is_tensor
from .safe_lookup import value_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

_CALLS = 3  # through which a dtype is followed


def dtype_source(frame: FrameType | None, dtype: torch.dtype) -> Origin | None:
    """Return the origin of the tensor whose `.dtype` the innermost line outside torch spells, if it is `dtype`."""
    for _ in range(_CALLS):
        frame = _outside_torch(frame)
        if frame is None:
            return None
        spelled = _references(frame.f_code, frame.f_lineno)
        for node in spelled:
            tensor = _tensor(node, frame)
            if tensor is not None and tensor.dtype == dtype:
                record = find(tensor)
                return record.dtype_origin if record else None
        if spelled or not _is_argument(frame, dtype):
            return None
        frame = frame.f_back
    return None


def _outside_torch(frame: FrameType | None) -> FrameType | None:
    while frame is not None and kind_of(frame.f_code) == TORCH:
        frame = frame.f_back
    return frame


def _is_argument(frame: FrameType, dtype: torch.dtype) -> bool:
    """Check whether a function was handed the dtype as such, by a name."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return any(frame.f_locals.get(name) is dtype for name in names)


def _tensor(node: ast.expr, frame: FrameType) -> torch.Tensor | None:
    """Return the tensor of a name and its attributes; of a module, its first floating parameter."""
    value = value_of(node, frame)
    if issubclass(type(value), torch.nn.Module):
        value = next(
            (p for p in tensors_of(value, "_parameters") if p.is_floating_point()), None
        )
    return value if is_tensor(value) else None


def named(frame: FrameType | None, tensor: torch.Tensor) -> bool:
    """Check whether a variable of the innermost function outside torch holds a tensor."""
    frame = _outside_torch(frame)
    return frame is None or any(
        value is tensor for value in list(frame.f_locals.values())
    )


def kept_for_later(
    frame: FrameType | None, tensor: torch.Tensor, *, callers: int = 0
) -> bool:
    """Check whether the innermost function outside torch, or a caller, reads a tensor by a name again later."""
    for _ in range(1 + callers):
        frame = _outside_torch(frame)
        if frame is None:
            return False
        names = [
            name for name, value in list(frame.f_locals.items()) if value is tensor
        ]
        if any(_is_read_next(frame.f_code, frame.f_lasti, name) for name in names):
            return True
        frame = frame.f_back
    return False


@cache
def _is_read_next(code: CodeType, lasti: int, name: str) -> bool:
    """Check whether the next that is done with a name is to read it, not to set it."""
    for one in dis.get_instructions(code):
        if (
            one.offset > lasti
            and one.argval == name
            and one.opname.startswith(("LOAD_", "STORE_", "DELETE_"))
        ):
            return one.opname.startswith("LOAD_")
    return False


@cache
def _references(code: CodeType, number: int) -> tuple[ast.expr, ...]:
    """Return the expressions whose dtype a line takes: those it spells, and those that set a name which it reads."""
    line = linecache.getline(code.co_filename, number)
    tree = _parsed_line(line)
    if ".dtype" in line:
        return tuple(_spelled(tree))
    read = {node.id for node in nodes_of(tree, ast.Name)}
    if not read:
        return ()
    before = range(number - 1, code.co_firstlineno - 1, -1)
    return tuple(
        one
        for earlier in before
        for one in _set_by(linecache.getline(code.co_filename, earlier), read)
    )


def _set_by(line: str, names: set[str]) -> Iterator[ast.expr]:
    """Yield the expressions whose dtype a line gives to one of the names."""
    if ".dtype" not in line or "=" not in line:
        return
    for one in nodes_of(_parsed_line(line), ast.Assign):
        if any(isinstance(t, ast.Name) and t.id in names for t in one.targets):
            yield from _spelled(one.value)


def _spelled(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions before `.dtype` in source: `self.weight` of `self.weight.dtype`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "dtype"
            and _is_plain(node.value)
        ):
            yield node.value


def _is_plain(node: ast.expr) -> bool:
    """Check whether it is a name, its attributes and items."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name)


def _parsed_line(line: str) -> ast.AST:
    """Return the tree of a line, which may be a part of a statement; an empty one where it is nothing by itself."""
    text = line.strip().rstrip(":,\\")
    for one in (text, text.rstrip(")"), f"f({text}", f"f({text})"):
        try:
            return ast.parse(one)
        except (SyntaxError, ValueError):
            continue
    return ast.Pass()
