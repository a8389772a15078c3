"""The one pure function that judges a call by its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miscast.event import Violation, ViolationKind

from .contract import FLOAT8, FLOATING, FLOATS, HALVES, LONG, PYTHON_NUMBER, Contract, Input
from .promotion import fits, result_type
from .spelling import scalar_type, spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EXPECTED_BUT_FOUND = "expected scalar type {like} but found {odd}"
_TWO_DEVICES = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
NO_KERNEL = "not implemented for"
_UNKNOWN_OP = Contract(ops=(), promotes=True, cpu_scalars=True)


def judge(contract: Contract | None, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    """The demands that a call breaks, dtypes first, each with the operands that do not fit. Empty if it is in order.

    With no contract only the device rule is held: all tensors on one device, zero-dimensional CPU tensors aside.
    """
    contract = contract or _UNKNOWN_OP
    if contract.zipped:
        return tuple(violation for row in _rows(inputs) for violation in _judge(contract, row))
    return _judge(contract, inputs)


def _judge(contract: Contract, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    if _plainly_in_order(contract, inputs):
        return ()
    found: list[Violation] = []
    if contract.only:
        found += _only(contract, inputs)
    if contract.classes:
        found += _classes(contract, inputs)
    if not _probabilities(contract, inputs):
        for group in contract.same:
            found += _same(contract, group, inputs)
    if contract.promotes:
        found += _float8(inputs)
    if contract.kernels and not found:
        found += _kernels(contract, inputs)
    if contract.into and not found:
        found += _into(contract, inputs)
    if contract.on_cpu or len({operand.device for operand in inputs}) > 1:
        found += _devices(contract, inputs)
    return tuple(found)


def _plainly_in_order(contract: Contract, inputs: Sequence[Input]) -> bool:
    """Whether all operands have one floating dtype that the op knows, on one device, and nothing else is asked."""
    if not inputs or contract.only or contract.classes or contract.on_cpu:
        return False
    dtype, device = inputs[0].dtype, inputs[0].device
    if dtype not in FLOATS or (contract.kernels and dtype not in contract.kernels):
        return False
    return all(operand.dtype == dtype and operand.device == device for operand in inputs)


def _argument(operand: Input) -> str:
    return operand.name.partition("[")[0]


def _rows(inputs: Sequence[Input]) -> Iterator[Sequence[Input]]:
    """The operands of each list index, those that are no lists in every row."""
    rows: dict[str, list[Input]] = {}
    common: list[Input] = []
    for operand in inputs:
        bracket = operand.name.partition("[")[2]
        (rows.setdefault(bracket, []) if bracket else common).append(operand)
    for row in rows.values() or [common]:
        yield [*row, *common] if rows else row


def _named(inputs: Sequence[Input], names: Sequence[str]) -> list[Input]:
    """The operands of these arguments, in the order of the names."""
    return [operand for name in names for operand in inputs if _is(operand, name) and operand.dim >= 0]


def _only(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    """Operands of dtypes that are not taken; those of one dtype together: one may be made like the other."""
    refused: dict[tuple[str, tuple[str, ...]], list[Input]] = {}
    for operand in _named(inputs, tuple(contract.only)):
        allowed = contract.only[_argument(operand)]
        if operand.dtype not in allowed:
            refused.setdefault((operand.dtype, allowed), []).append(operand)
    for (_, allowed), operands in refused.items():
        operand = operands[0]
        error = contract.errors.get((_argument(operand),), _EXPECTED_BUT_FOUND)
        like = Input(name=operand.name, dtype=allowed[0], device=operand.device, dim=operand.dim)
        text = _text(error, inputs, like=like, odd=operand)
        kind: ViolationKind = "unsupported" if NO_KERNEL in text else "dtype"
        names = tuple(one.name for one in operands)
        yield Violation(kind=kind, odd=names, expected=allowed[0], error=text)


def _classes(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    name, like_name = contract.classes or ("", "")
    target, logits = _named(inputs, (name,)), _named(inputs, (like_name,))
    if not target or not logits:
        return
    odd = target[0]
    if _probabilities(contract, inputs):
        if odd.dtype not in FLOATING:
            text = f"Expected floating point type for target with class probabilities, got {scalar_type(odd.dtype)}"
            yield Violation(kind="dtype", odd=(odd.name,), like=logits[0].name, expected=logits[0].dtype, error=text)
    elif odd.dtype not in (*LONG, "uint8"):
        like = Input(name=odd.name, dtype=LONG[0], device=odd.device, dim=odd.dim)
        text = _text(contract.errors.get((odd.name,), _EXPECTED_BUT_FOUND), inputs, like=like, odd=odd)
        yield Violation(kind="dtype", odd=(odd.name,), expected=LONG[0], error=text)


def _probabilities(contract: Contract, inputs: Sequence[Input]) -> bool:
    """Whether the call's target holds class probabilities: it has as many dimensions as the input."""
    return contract.classes is not None and len({operand.dim for operand in _named(inputs, contract.classes)}) == 1


def _same(contract: Contract, group: Sequence[str], inputs: Sequence[Input]) -> Iterator[Violation]:
    operands = [x for x in _named(inputs, group) if x.dtype not in contract.also.get(_argument(x), ())]
    dtypes = {operand.dtype for operand in operands}
    if len(dtypes) < 2 or any(_has_all(inputs, names) for names in contract.unless):
        return
    if contract.wider and _mixed_as_allowed(contract.wider, operands):
        return
    anchor, odd = operands[0], [operand for operand in operands if operand.dtype != operands[0].dtype]
    text = _mismatch_text(contract, inputs, anchor, odd[0])
    yield Violation(kind="dtype", odd=tuple(x.name for x in odd), like=anchor.name, expected=anchor.dtype, error=text)


def _has_all(inputs: Sequence[Input], names: Sequence[str]) -> bool:
    return all(any(_is(operand, name) for operand in inputs) for name in names)


def _is(operand: Input, name: str) -> bool:
    """Whether an entry's `weight`, `weight@float32` (its dtype) or `weight@2` (its dimensions) is this operand."""
    plain, _, kind = name.partition("@")
    return plain in (operand.name, _argument(operand)) and kind in ("", operand.dtype, str(operand.dim))


def _mixed_as_allowed(wider: Sequence[str], operands: Sequence[Input]) -> bool:
    rest = {operand.dtype for operand in operands if _argument(operand) not in wider}
    wide = {operand.dtype for operand in operands if _argument(operand) in wider}
    return len(rest) == 1 and rest <= HALVES and wide == {"float32"}


def _float8(inputs: Sequence[Input]) -> Iterator[Violation]:
    """Torch promotes everything but float8."""
    tensors = [operand for operand in inputs if operand.dim != PYTHON_NUMBER and operand.dtype in FLOATING]
    odd = [operand for operand in tensors if operand.dtype in FLOAT8]
    like = next((operand for operand in tensors if operand.dtype not in FLOAT8), odd[0] if odd else None)
    if like is not None and any(operand.dtype != like.dtype for operand in odd):
        pair = " and ".join(dict.fromkeys(scalar_type(operand.dtype) for operand in tensors))
        text = f"Promotion for Float8 Types is not supported, attempted to promote {pair}"
        names = tuple(operand.name for operand in odd if operand is not like)
        yield Violation(kind="dtype", odd=names, like=like.name, expected=like.dtype, error=text)


def _kernels(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    operands = _named(inputs, contract.same[0]) if contract.same else [x for x in inputs if x.dim != PYTHON_NUMBER]
    if operands and operands[0].dtype not in contract.kernels:
        operand = operands[0]
        text = _text(contract.errors.get(("kernels",), ""), inputs, like=operand, odd=operand)
        yield Violation(kind="unsupported", odd=(operand.name,), expected=contract.kernels[0], error=text)


def _into(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    target = next((operand for operand in inputs if _argument(operand) == contract.into), None)
    if target is None:
        return
    sources = [operand for operand in inputs if operand is not target] if contract.into == "out" else inputs
    result = result_type(sources)
    if contract.floats and result not in FLOATING:
        result = "float32"
    if not fits(result, target.dtype):
        cause = next((x.name for x in sources if x.dtype == result and x.dim != PYTHON_NUMBER), None)
        text = f"result type {scalar_type(result)} can't be cast to the desired output type {scalar_type(target.dtype)}"
        yield Violation(kind="kind", odd=(target.name,), like=cause, expected=result, error=text)


def _devices(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    strays = [x for x in inputs if _argument(x) in contract.on_cpu and x.device not in ("cpu", "meta")]
    for operand in strays:
        text = _text(contract.errors.get((_argument(operand),), ""), inputs, like=operand, odd=operand)
        yield Violation(kind="device", odd=(operand.name,), expected="cpu", error=text)
    bound = [operand for operand in inputs if _must_share_device(contract, operand)]
    if len({operand.device for operand in bound}) < 2:
        return
    anchor = _device_anchor(contract, bound)
    odd = [operand for operand in bound if operand.device != anchor.device]
    odd = [x for x in odd if not (x.device == "cpu" and _argument(x) in contract.maybe_cpu)]
    if odd:
        text = _device_text(contract, inputs, bound, anchor, odd[0])
        names = tuple(operand.name for operand in odd)
        yield Violation(kind="device", odd=names, like=anchor.name, expected=anchor.device, error=text)


def _must_share_device(contract: Contract, operand: Input) -> bool:
    name = _argument(operand)
    if operand.device == "meta" or operand.dim == PYTHON_NUMBER or name in contract.any_device:
        return False
    if contract.cpu_scalars and operand.dim == 0 and operand.device == "cpu" and name != contract.into:
        return False
    return name not in contract.on_cpu


def _device_anchor(contract: Contract, bound: Sequence[Input]) -> Input:
    """The operand to follow: what is written into, else the parameter, else the first that is not on the CPU."""
    names = ((contract.into,), *contract.same[:1]) if contract.into else contract.same[:1]
    preferred = [operand for group in names for operand in _named(bound, group)]
    preferred = [operand for operand in preferred if _argument(operand) not in contract.maybe_cpu]
    if preferred:
        return preferred[0]
    return next((operand for operand in bound if operand.device != "cpu"), bound[0])


def _mismatch_text(contract: Contract, inputs: Sequence[Input], anchor: Input, odd: Input) -> str:
    for names, template in contract.errors.items():
        found = [next((operand for operand in inputs if _is(operand, name)), None) for name in names]
        present = [operand.dtype for operand in found if operand]
        if len(present) == len(names) > 1 and present[0] != present[1]:
            return _text(template, inputs, like=anchor, odd=odd)
    return _text(contract.error or _EXPECTED_BUT_FOUND, inputs, like=anchor, odd=odd)


def _device_text(contract: Contract, inputs: Sequence[Input], bound: Sequence[Input], anchor: Input, odd: Input) -> str:
    if contract.device_error:
        return _text(contract.device_error, inputs, like=anchor, odd=odd)
    devices = list(dict.fromkeys(operand.device for operand in bound))
    return _TWO_DEVICES.format(*devices[:2])


def _text(template: str, inputs: Sequence[Input], *, like: Input, odd: Input) -> str:
    operands = {_argument(operand): operand for operand in reversed(inputs)}
    return spell(template, operands | {operand.name: operand for operand in inputs}, like=like, odd=odd)
