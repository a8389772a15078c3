"""The dtype, device and shape of a part of an expression that no variable holds: `b.half()` in `mm(a, b.half())`.

A call that was watched is remembered. Else the part is computed once more, on meta tensors, which have no data: by
torch's own functions, operators and indices alone, none of the program's. What that cannot tell stays unknown.
"""

from __future__ import annotations

import ast
import operator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ...running.torch_abi import NN, TensorBase
from . import factories
from .executing_node import executed_by
from .origin import TORCH, kind_of
from .safe_lookup import UNREAD, value_of
from .tensor_history import Note, results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_IN_PLACE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv,
    ast.Pow: operator.ipow, ast.BitAnd: operator.iand, ast.BitOr: operator.ior,
}  # fmt: skip
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_OPERATORS = frozenset({operator.getitem, *_BINARY.values(), *_UNARY.values()})
_PLAIN = (
    int, float, complex, bool, str, slice, type(None), type(...), torch.dtype, torch.device,
)  # fmt: skip
_STRIDED = frozenset({torch.Tensor, torch.nn.Parameter})
_SEQUENCES = frozenset({list, tuple, torch.Size})
_FUNCTIONS = frozenset({FunctionType, BuiltinFunctionType})
_MOVES = {"cpu": "cpu", "cuda": "cuda:0"}
_PYTHON = ("torch.functional", "torch.nn.functional")
_OUTSIDE = ("from_file",)
"""Functions that use more than tensors."""
_VALUES = ("shape", "dtype", "ndim")
_VIEWS = ("T", "mT", "H", "mH", "real", "imag", "data")


class Part(NamedTuple):
    """A tensor without its data: `meta` is on the meta device, `device` is where it was."""

    meta: torch.Tensor
    device: torch.device
    note: Note | None = None

    @property
    def dtype(self) -> torch.dtype:
        """The dtype, which is known without the data."""
        return self.meta.dtype


class UnknownPartError(Exception):
    """This cannot be told without running the program."""


class Calling(NamedTuple):
    """A function of torch's, or an operator, and the nodes of what it is called with."""

    function: Callable[..., Any]
    args: tuple[ast.expr, ...]
    kwargs: Mapping[str, ast.expr]


def calling(node: ast.AST | None, frame: FrameType) -> Calling:
    """Return the call of an expression or a writing statement; raise UnknownPartError if it is not torch's own."""
    match node:
        case ast.Call():
            return _called(node, frame)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _BINARY:
            return Calling(_BINARY[type(op)], (left, right), {})
        case ast.AugAssign(op=op, target=target, value=value) if type(op) in _IN_PLACE:
            return Calling(_IN_PLACE[type(op)], (target, value), {})
        case ast.Subscript(value=value, slice=key):
            return Calling(operator.getitem, (value, key), {})
        case ast.Assign(targets=[ast.Subscript(value=into, slice=key)], value=value):
            return Calling(operator.setitem, (into, key, value), {})
    raise UnknownPartError


def _called(call: ast.Call, frame: FrameType) -> Calling:
    func, args = call.func, tuple(call.args)
    kwargs = {one.arg: one.value for one in call.keywords if one.arg is not None}
    spread = any(isinstance(one, ast.Starred) for one in args)
    if spread or len(kwargs) < len(call.keywords):
        raise UnknownPartError
    function = value_of(func, frame)
    if function is not UNREAD:
        return Calling(_torch_function(function), args, kwargs)
    method = getattr(TensorBase, getattr(func, "attr", ""), None)
    if isinstance(func, ast.Attribute) and isinstance(method, MethodDescriptorType):
        return Calling(method, (func.value, *args), kwargs)
    raise UnknownPartError


def inferred(node: ast.AST, frame: FrameType) -> Part | None:
    """Return what a part of an expression was; None if that is unknown."""
    try:
        with torch.no_grad():
            found = part_or_value(node, frame)
    except Exception:  # noqa: BLE001 - whatever torch says of this part: it is not known
        return None
    return found if isinstance(found, Part) else None


def part_or_value(node: ast.AST, frame: FrameType) -> Any:
    """Return a Part for a tensor, a list for a sequence, or the plain value; raise UnknownPartError if neither."""
    known = value_of(node, frame)
    if known is not UNREAD:
        return _plain(known)
    infer = _INFERRED.get(type(node))
    if infer is None:
        raise UnknownPartError
    return infer(node, frame)


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _STRIDED and value.layout == torch.strided:
        twin = factories.empty_strided(
            value.shape, value.stride(), dtype=value.dtype, device="meta"
        )
        return Part(twin, value.device)
    if issubclass(kind, _PLAIN):
        return value
    if kind in _SEQUENCES:
        return [_plain(one) for one in value]
    raise UnknownPartError


def _operation(node: ast.BinOp, frame: FrameType) -> Any:
    return _apply(
        _BINARY[type(node.op)],
        [part_or_value(node.left, frame), part_or_value(node.right, frame)],
    )


def _negation(node: ast.UnaryOp, frame: FrameType) -> Any:
    return _apply(_UNARY[type(node.op)], [part_or_value(node.operand, frame)])


def _comparison(node: ast.Compare, frame: FrameType) -> Any:
    if len(node.ops) > 1:
        raise UnknownPartError
    return _apply(
        _BINARY[type(node.ops[0])],
        [part_or_value(node.left, frame), part_or_value(node.comparators[0], frame)],
    )


def _sequence(node: ast.Tuple | ast.List, frame: FrameType) -> Any:
    return [part_or_value(one, frame) for one in node.elts]


def _slice(node: ast.Slice, frame: FrameType) -> Any:
    return slice(
        *(
            one and part_or_value(one, frame)
            for one in (node.lower, node.upper, node.step)
        )
    )


def _item(node: ast.Subscript, frame: FrameType) -> Any:
    key = part_or_value(node.slice, frame)
    return _apply(
        operator.getitem,
        [
            part_or_value(node.value, frame),
            tuple(key) if isinstance(key, list) else key,
        ],
    )


def _attribute(node: ast.Attribute, frame: FrameType) -> Any:
    owner, name = part_or_value(node.value, frame), node.attr
    if not isinstance(owner, Part):
        raise UnknownPartError
    if name == "device":
        return owner.device
    if name in _VALUES:
        return _plain(getattr(owner.meta, name))
    if name in _VIEWS:
        return Part(getattr(owner.meta, name), owner.device)
    raise UnknownPartError


def _call(node: ast.Call, frame: FrameType) -> Any:
    remembered = _remembered(node, frame)
    if remembered is not None:
        return remembered
    called = calling(node, frame)
    args = [part_or_value(one, frame) for one in called.args]
    kwargs = {name: part_or_value(one, frame) for name, one in called.kwargs.items()}
    if isinstance(called.function, MethodDescriptorType):
        return _method(called.function, args[0], args[1:], kwargs)
    return _apply(called.function, args, kwargs)


def _remembered(node: ast.Call, frame: FrameType) -> Part | None:
    """Return what a call gave that was watched, the last time that it was made."""
    for one in results(frame):
        if executed_by(frame, one.lasti) is node:
            return Part(
                factories.empty(one.shape, dtype=one.dtype, device="meta"),
                one.device,
                one.note,
            )
    return None


def _method(
    method: MethodDescriptorType, owner: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Return a tensor's method; none that writes."""
    name = method.__name__
    if not isinstance(owner, Part) or name.endswith("_"):
        raise UnknownPartError
    if name in _MOVES and not args:
        return Part(owner.meta, torch.device(_MOVES[name]))
    if name == "to":
        return _to(owner, args, kwargs)
    return _apply(method, [owner, *args], kwargs)


def _to(owner: Part, args: list[Any], kwargs: dict[str, Any]) -> Part:
    dtype, device = kwargs.get("dtype"), kwargs.get("device")
    for one in [*args, kwargs.get("other")]:
        if isinstance(one, Part):
            dtype, device = one.meta.dtype, one.device
        elif isinstance(one, torch.dtype):
            dtype = one
        elif isinstance(one, (str, torch.device)):
            device = one
    return Part(
        owner.meta.to(dtype or owner.meta.dtype), torch.device(device or owner.device)
    )


_INFERRED: Mapping[type[ast.AST], Callable[[Any, FrameType], Any]] = {
    ast.Attribute: _attribute, ast.BinOp: _operation, ast.Call: _call, ast.Compare: _comparison, ast.List: _sequence,
    ast.Slice: _slice, ast.Subscript: _item, ast.Tuple: _sequence, ast.UnaryOp: _negation,
}  # fmt: skip


def _torch_function(function: Any) -> Callable[..., Any]:
    """Return a function of torch's as it was before it was watched; UnknownPartError of all others."""
    if type(function) not in _FUNCTIONS:
        raise UnknownPartError
    original: Callable[..., Any] = getattr(function, "__wrapped__", function)
    name = getattr(original, "__name__", "")
    if name.startswith("_") or name in _OUTSIDE:
        raise UnknownPartError
    if any(
        getattr(home, name, None) is original
        for home in (torch._C._VariableFunctions, NN)
    ):
        return original
    if (
        isinstance(original, FunctionType)
        and original.__module__ in _PYTHON
        and kind_of(original.__code__) == TORCH
    ):
        return original
    raise UnknownPartError


def _apply(
    function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any] | None = None
) -> Any:
    """Call it on meta tensors; the result is on their original device, or on the requested one."""
    kwargs = dict(kwargs or {})
    devices = set(_devices([*args, *kwargs.values()]))
    asked = kwargs.pop("device", None)
    if (not devices or asked is not None) and function not in _OPERATORS:
        devices = {
            torch.device(asked) if asked is not None else torch.get_default_device()
        }
        kwargs["device"] = "meta"
    result = function(
        *_metas(args), **{name: _meta(one) for name, one in kwargs.items()}
    )
    return _made(result, devices)


def _made(result: Any, devices: set[torch.device]) -> Any:
    if isinstance(result, (list, tuple)):
        return [_made(one, devices) for one in result]
    if not isinstance(result, torch.Tensor):
        return _plain(result)
    if len(devices) != 1 or result.device.type != "meta":
        raise UnknownPartError
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
    return [_meta(one) for one in values]


def _meta(value: Any) -> Any:
    if isinstance(value, Part):
        return value.meta
    return type(value)(_metas(list(value))) if type(value) in (list, tuple) else value
