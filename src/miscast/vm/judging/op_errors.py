"""Find refused dtypes that no contract or table foresaw, from an error's text and operands.

On real hardware the same text would end the program. Here it is told like any mistake.
"""

from __future__ import annotations

import ast
import re
import traceback
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import torch

from ...core.dtypes import parse, scalar_name
from ...core.event import Violation
from ...core.syntax import nodes_of
from ...torch_facts.contracts.signature import argument
from ..provenance.executing_node import executed
from ..provenance.failed_expression import failed_node
from ..provenance.origin import LIBRARY, TORCH, USER, kind_of
from ..provenance.record import Record, find, is_tensor
from ..provenance.safe_lookup import value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType, TracebackType

    from ..call import Call
    from ..provenance.origin import Place
    from .recorder import Recorder

    _Operand = tuple[str, torch.Tensor, Record]

ERRORS = (RuntimeError, TypeError, ValueError, IndexError, KeyError)
"""Errors of ops (NotImplementedError is a RuntimeError)."""

# Held against all texts of the measured table: words, and dtypes as C++ prints them ("Float", "CPUBFloat16Type").
_DTYPES = re.compile(
    r"dtype|scalar[ _]?type|data type|not implemented for '|floating|\bcomplex|integral|boolean(?! value)|be cast to"
    r"|other than float|(?:bool|half|float|int|int64|long) (?:tensor|input)|tensors used as|must be long|long or int"
    r"|type int64|differentiable ?type|on torch\.\w+ input|same type|and \w+ type \(|real-valued|primitive descriptor",
    re.IGNORECASE,
)
_SCALAR_TYPES = re.compile(
    r"\b(?:CPU|torch\.(?:cuda\.)?)?(?:BFloat16|Half|Float|Double|Long|Int|Short|Char|Byte|Bool|Float8_\w+|Complex[A-Z]\w+)"
    r"(?:Tensor|Type)?\b"
)
# Bytes that do not come out even when they are viewed as another dtype's: a matter of shapes.
_SIZES = re.compile(r"different element sizes")
# What Python, or torch's binding to it (python_arg_parser.cpp), says of arguments that no signature takes.
_BINDING = re.compile(
    r"invalid combination of arguments|unexpected keyword argument|multiple values for|missing \d+ required"
    r"|missing (?:a )?required (?:keyword-only )?argument|takes (?:no|at most|from|exactly|\d+) "
    r"|must be [^\n]{1,200}, not "
)
# What torch's modules say of masks: integers are neither of these.
_MASK = re.compile(r"only bool and floating types")
_OF_CLASSES = ("__init__", "__call__", "_wrapped_call_impl", "_call_impl")
_NO_INDEX = "only integer tensors of a single element can be converted to an index"
_ASKED = re.compile(
    r"expected scalar type (Long|Int|Float|Double|Half|BFloat16) but found"
)
_INTEGRAL = re.compile(
    r"int64|int32|\bLong\b|\blong\b|integral|indices|index", re.IGNORECASE
)
_PYTHON_NAME = re.compile(r"torch\.(\w+)")


def about_dtypes(error: BaseException) -> bool:
    """Check whether an op's error speaks of dtypes (a meta kernel may look one up in a table that lacks it)."""
    if isinstance(error, KeyError):
        return bool(error.args) and isinstance(error.args[0], torch.dtype)
    text = str(error)
    if isinstance(error, TypeError) and _BINDING.search(text):
        return False
    if _SIZES.search(text):
        return False
    return _DTYPES.search(text) is not None or _SCALAR_TYPES.search(text) is not None


def ending(recorder: Recorder, error: BaseException) -> None:
    """Record the error that ended the program, if torch's own Python code or its autograd engine refused a dtype."""
    if _is_no_index(error):
        violation = Violation(
            kind="unsupported",
            odd=(),
            expected="int64",
            error=text_of(error),
            raises="TypeError",
        )
        recorder.last_words("__index__", violation, *_places(error.__traceback__))
        return
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    inner = takewhile(lambda frame: kind_of(frame.f_code) == TORCH, reversed(frames))
    own = [*inner][::-1]
    refuses = isinstance(error, (*ERRORS, AssertionError)) and about_dtypes(error)
    if not own or not refuses:
        return
    text, trace = text_of(error), error.__traceback__
    assert trace is not None
    expected, operands = _refused(own, _innermost(trace), text)
    violation = Violation(
        kind="unsupported" if "not implemented for" in text else "dtype",
        odd=tuple(name for name, _, _ in operands),
        expected=expected,
        error=text,
        raises=type(error).__name__,
    )
    user, library = _places(trace)
    recorder.last_words(_called(own[0]), violation, user, library, operands)


def _refused(
    frames: Sequence[FrameType], at: TracebackType, text: str
) -> tuple[str, list[_Operand]]:
    """Return the expected dtype and the operand of what torch's frames raised `at` their innermost."""
    words = set(re.findall(r"\w+", text))
    expected = "bool" if _MASK.search(text) else "float32"
    return _compared(at, words) or (expected, list(_named(frames, words))[:1])


def _compared(at: TracebackType, words: set[str]) -> tuple[str, list[_Operand]] | None:
    """Return the other dtype, and the tensor, on which a `raise` depended: `if Z.dtype != original_dtype:`."""
    test = getattr(getattr(executed(at).statement, "parent", None), "test", None)
    for one in nodes_of(test, ast.Compare):
        wanted = value_of(one.comparators[0], at.tb_frame)
        left = one.left.value if isinstance(one.left, ast.Attribute) else None
        tensor = value_of(left, at.tb_frame)
        record = find(tensor) if is_tensor(tensor) else None
        if left is None or record is None or not isinstance(wanted, torch.dtype):
            continue
        if tensor.dtype is not wanted:
            name = ast.unparse(left)
            called = name if name in words else "result"
            return _name(wanted), [(called, tensor, record)]
    return None


def _innermost(trace: TracebackType) -> TracebackType:
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _named(frames: Sequence[FrameType], words: set[str]) -> Iterator[_Operand]:
    """Yield the tensors of torch's frames that an error calls by their names: `src_key_padding_mask`."""
    for frame in frames:
        for name, value in frame.f_locals.items():
            record = find(value) if name in words and is_tensor(value) else None
            if record is not None:
                yield name, value, record


def _called(frame: FrameType) -> str:
    """Return the name of what the program called: of a module or an object that is made, that of its class."""
    name, own = frame.f_code.co_name, frame.f_locals.get("self")
    return type(own).__name__ if name in _OF_CLASSES and own is not None else name


def _is_no_index(error: BaseException) -> bool:
    """Check whether Python needed an index from a floating-point tensor, for example in `data[start : start + 8]`."""
    trace = error.__traceback__
    if not isinstance(error, TypeError) or str(error) != _NO_INDEX or trace is None:
        return False
    trace = _innermost(trace)
    asked = [one.slice for one in nodes_of(failed_node(trace)[0], ast.Subscript)]
    names = (name for part in asked for name in nodes_of(part, ast.Name, ast.Attribute))
    return any(_is_fraction(value_of(name, trace.tb_frame)) for name in names)


def _is_fraction(one: Any) -> bool:
    return is_tensor(one) and bool(one.is_floating_point() and one.numel() == 1)


def _places(trace: TracebackType | None) -> tuple[Place | None, Place | None]:
    """Return the innermost user's place, and that of a library within."""
    user = library = None
    while trace is not None:
        kind = kind_of(trace.tb_frame.f_code)
        if kind == USER:
            user, library = (trace.tb_frame.f_code, trace.tb_lasti), None
        elif kind == LIBRARY:
            library = (trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next
    return user, library


def mixed_floats(call: Call, error: Exception) -> Violation | None:
    """Return what a meta kernel says of floating dtypes that it does not mix; None if it says something else."""
    text = str(error)
    spoken = "dtype" in text.lower() or "scalar type" in text
    floating = _floating(call)
    if not spoken or len(set(floating.values())) < 2:
        return None
    like = next(
        (name for name in floating if name in ("weight", "self")), next(iter(floating))
    )
    return _unlike(floating, like, text.splitlines()[0])


_UNSIGNED = frozenset({torch.uint16, torch.uint32, torch.uint64})
"""Integers that promote with no other: they are what is to be cast."""


def violation_of(call: Call, error: BaseException) -> Violation:
    """Return the mismatching operands, as far as the operands and the error text show them."""
    text = text_of(error)
    floating = _floating(call)
    if len(set(floating.values())) > 1:
        return _unlike(floating, next(iter(floating)), text)
    words = set(re.findall(r"\w+", text))
    dtypes = [(name, t.dtype) for name, t, _ in call.named()]
    name, dtype = max(
        dtypes, key=lambda one: (_said(one[0], one[1], words), one[1] in _UNSIGNED)
    )
    other = next(
        (one for one in dtypes if one[1] is not dtype and _said("", one[1], words)),
        None,
    )
    if other is not None:
        return Violation(
            kind="dtype",
            odd=(name,),
            expected=_name(other[1]),
            like=other[0],
            error=text,
        )
    if asked := _ASKED.search(text):
        return no_kernel(name, error, parse(asked[1]))
    integral = dtype.is_floating_point and _INTEGRAL.search(text)
    return no_kernel(name, error, "int64" if integral else "float32")


def no_kernel(name: str, error: BaseException, expected: str = "float32") -> Violation:
    """Return that torch refuses the dtype of an operand; `expected` is one that it takes."""
    return Violation(
        kind="unsupported",
        odd=(name,),
        expected=expected,
        error=text_of(error),
        raises=type(error).__name__,
    )


def _floating(call: Call) -> dict[str, torch.dtype]:
    return {name: t.dtype for name, t, _ in call.named() if t.dtype.is_floating_point}


def _unlike(floating: dict[str, torch.dtype], like: str, error: str) -> Violation:
    """Return the violation of mixed floating dtypes: all operands that differ from that of `like` are mismatching."""
    dtype = floating[like]
    odd = tuple(name for name, other in floating.items() if other is not dtype)
    return Violation(
        kind="dtype", odd=odd, expected=_name(dtype), like=like, error=error
    )


def _said(name: str, dtype: torch.dtype, words: set[str]) -> int:
    return 2 * (argument(name) in words) + (scalar_name(_name(dtype)) in words)


def text_of(error: BaseException) -> str:
    """Return the first line, as eager mode has it: meta kernels in Python say "torch.bool" where C++ says "Bool"."""
    text = next(iter(str(error).splitlines()), type(error).__name__)
    return _PYTHON_NAME.sub(
        lambda found: (
            scalar_name(found[1])
            if isinstance(getattr(torch, found[1], None), torch.dtype)
            else found[0]
        ),
        text,
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype)[6:]
