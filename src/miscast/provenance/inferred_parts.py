"""The dtype, device and shape of a part of an expression that no variable holds: `b.half()` in `mm(a, b.half())`.

A call that was watched is remembered. Else the part is computed once more, on meta tensors, which have no data: by
torch's own functions, operators and indices alone, none of the program's. What that cannot tell stays unknown.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from itertools import islice
from types import CodeType, FrameType, FunctionType, MethodDescriptorType
from typing import Any, NamedTuple

import torch

from ..torch_private import NN, TensorBase
from .origin import TORCH, kind_of
from .stored_values import ABSENT, value
from .tensor_notes import Note, results

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_OPERATORS = frozenset({operator.getitem, *_BINARY.values(), *_UNARY.values()})
_PLAIN = (int, float, complex, bool, str, slice, type(None), type(...), torch.dtype, torch.device)
_MOVES = {"cpu": "cpu", "cuda": "cuda:0"}
_PYTHON = ("torch.functional", "torch.nn.functional")
_OUTSIDE = ("from_file",)
"""What touches more than tensors."""
_VALUES = ("shape", "dtype", "ndim")
_VIEWS = ("T", "mT", "H", "mH", "real", "imag", "data")


class Part(NamedTuple):
    """A tensor without its data: `meta` is on the meta device, `device` is where it was."""

    meta: torch.Tensor
    device: torch.device
    note: Note | None = None


class _UnknownError(Exception):
    """This cannot be told without running the program."""


def inferred(node: ast.AST, frame: FrameType) -> Part | None:
    """What a part of an expression was; None where that cannot be told."""
    try:
        with torch.no_grad():
            found = _of(node, frame)
    except Exception:  # noqa: BLE001 - whatever torch says of this part: it is not known
        return None
    return found if isinstance(found, Part) else None


def span(code: CodeType, lasti: int) -> tuple[int | None, ...]:
    """(first line, last line, first column, last column) of an instruction; without columns before Python 3.11."""
    if sys.version_info >= (3, 11):
        return next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
    return (None,) * 4


def span_of(node: ast.AST) -> tuple[int | None, ...]:
    """The same of a part of the source."""
    return tuple(getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"))


def _of(node: ast.AST, frame: FrameType) -> Any:
    """A Part for a tensor, else a plain value."""
    if isinstance(node, ast.Constant):
        return node.value
    held = value(node, frame)
    if held is not ABSENT:
        return _plain(held)
    if isinstance(node, ast.Call):
        return _remembered(node, frame) or _call(node, frame)
    if isinstance(node, ast.BinOp):
        return _apply(_BINARY[type(node.op)], [_of(node.left, frame), _of(node.right, frame)])
    if isinstance(node, ast.UnaryOp):
        return _apply(_UNARY[type(node.op)], [_of(node.operand, frame)])
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _apply(_BINARY[type(node.ops[0])], [_of(node.left, frame), _of(node.comparators[0], frame)])
    if isinstance(node, (ast.Tuple, ast.List)):
        return [_of(one, frame) for one in node.elts]
    if isinstance(node, ast.Slice):
        return slice(*(one and _of(one, frame) for one in (node.lower, node.upper, node.step)))
    if isinstance(node, ast.Subscript):
        key = _of(node.slice, frame)
        return _apply(operator.getitem, [_of(node.value, frame), tuple(key) if isinstance(key, list) else key])
    if isinstance(node, ast.Attribute):
        return _attribute(_of(node.value, frame), node.attr)
    raise _UnknownError


def _plain(held: Any) -> Any:
    if type(held) in (torch.Tensor, torch.nn.Parameter) and held.layout == torch.strided:
        twin = torch.empty_strided(held.shape, held.stride(), dtype=held.dtype, device="meta")
        return Part(twin, held.device)
    if isinstance(held, _PLAIN):
        return held
    if type(held) in (list, tuple, torch.Size):
        return [_plain(one) for one in held]
    raise _UnknownError


def _remembered(node: ast.Call, frame: FrameType) -> Part | None:
    where = span_of(node)
    for one in results(frame):
        if span(one.code, one.lasti) == where:
            return Part(torch.empty(one.shape, dtype=one.dtype, device="meta"), one.device, one.note)
    return None


def _call(node: ast.Call, frame: FrameType) -> Any:
    args = [_of(one, frame) for one in node.args if not isinstance(one, ast.Starred)]
    kwargs = {one.arg: _of(one.value, frame) for one in node.keywords if one.arg is not None}
    if len(args) < len(node.args) or len(kwargs) < len(node.keywords):
        raise _UnknownError
    function = value(node.func, frame)
    if function is not ABSENT:
        return _apply(_torch_function(function), args, kwargs)
    if not isinstance(node.func, ast.Attribute):
        raise _UnknownError
    name, owner = node.func.attr, _of(node.func.value, frame)
    method = getattr(TensorBase, name, None)
    if not isinstance(owner, Part) or not isinstance(method, MethodDescriptorType) or name.endswith("_"):
        raise _UnknownError
    if name in _MOVES and not args:
        return Part(owner.meta, torch.device(_MOVES[name]))
    return _to(owner, args, kwargs) if name == "to" else _apply(method, [owner, *args], kwargs)


def _torch_function(function: Any) -> Callable[..., Any]:
    """A function of torch's as it was before it was watched; _UnknownError of all others."""
    original: Callable[..., Any] = getattr(function, "__wrapped__", function)
    name = getattr(original, "__name__", "")
    if name.startswith("_") or name in _OUTSIDE:
        raise _UnknownError
    if any(getattr(home, name, None) is original for home in (torch._C._VariableFunctions, NN)):
        return original
    if isinstance(original, FunctionType) and original.__module__ in _PYTHON and kind_of(original.__code__) == TORCH:
        return original
    raise _UnknownError


def _to(owner: Part, args: list[Any], kwargs: dict[str, Any]) -> Part:
    dtype, device = kwargs.get("dtype"), kwargs.get("device")
    for one in [*args, kwargs.get("other")]:
        if isinstance(one, Part):
            dtype, device = one.meta.dtype, one.device
        elif isinstance(one, torch.dtype):
            dtype = one
        elif isinstance(one, (str, torch.device)):
            device = one
    return Part(owner.meta.to(dtype or owner.meta.dtype), torch.device(device or owner.device))


def _apply(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any] | None = None) -> Any:
    """Call it on meta tensors; the result is where they were, or where it was asked for."""
    kwargs = dict(kwargs or {})
    devices = set(_devices([*args, *kwargs.values()]))
    asked = kwargs.pop("device", None)
    if (not devices or asked is not None) and function not in _OPERATORS:
        devices = {torch.device(asked) if asked is not None else torch.get_default_device()}
        kwargs["device"] = "meta"
    result = function(*_metas(args), **{name: _metas([one])[0] for name, one in kwargs.items()})
    return _made(result, devices)


def _made(result: Any, devices: set[torch.device]) -> Any:
    if isinstance(result, (list, tuple)):
        return [_made(one, devices) for one in result]
    if not isinstance(result, torch.Tensor):
        return _plain(result)
    if len(devices) != 1 or result.device.type != "meta":
        raise _UnknownError
    return Part(result, next(iter(devices)))


def _devices(values: list[Any]) -> list[torch.device]:
    found: list[torch.device] = []
    for one in values:
        if isinstance(one, Part):
            found.append(one.device)
        elif isinstance(one, (list, tuple)):
            found += _devices(list(one))
    return found


def _metas(values: list[Any]) -> list[Any]:
    return [
        one.meta if isinstance(one, Part)
        else type(one)(_metas(list(one))) if type(one) in (list, tuple)
        else one
        for one in values
    ]  # fmt: skip


def _attribute(owner: Any, name: str) -> Any:
    if isinstance(owner, Part) and name in _VALUES:
        return _plain(getattr(owner.meta, name))
    if isinstance(owner, Part) and name == "device":
        return owner.device
    if isinstance(owner, Part) and name in _VIEWS:
        return Part(getattr(owner.meta, name), owner.device)
    raise _UnknownError
