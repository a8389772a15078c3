"""The one pure function that judges a call by its contract."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from miscast.core.event import Violation, ViolationKind

from ...core.dtypes import HALVES, scalar_name
from .contract import (
    FLOAT8,
    FLOATING,
    FLOATS,
    LONG,
    Contract,
    Input,
    names_of,
    tensors_of,
)
from .promotion import fits, result_type
from .spelling import spell

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

_EXPECTED_BUT_FOUND = "expected scalar type {like} but found {odd}"
_NAMED = re.compile(r"{[^}]+}")
_TWO_DEVICES = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
NO_KERNEL = "not implemented for"
_UNKNOWN_OP = Contract(ops=(), promotes=True, cpu_scalars=True)


def judge(contract: Contract | None, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    """Return the demands that a call breaks, dtypes first, each with the operands that do not fit.

    Empty if it is in order.

    With no contract only the device rule is held: all tensors on one device, zero-dimensional CPU tensors aside.
    """
    contract = contract or _UNKNOWN_OP
    if contract.zipped:
        return tuple(
            violation for row in _rows(inputs) for violation in _judge(contract, row)
        )
    return _judge(contract, inputs)


def _judge(contract: Contract, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    if _plainly_in_order(contract, inputs):
        return ()
    found = [
        violation for demand in _OF_OPERANDS for violation in demand(contract, inputs)
    ]
    for demand in _OF_THE_COMPUTATION:
        found = found or [*demand(contract, inputs)]
    return (*found, *_on_cpu(contract, inputs), *_one_device(contract, inputs))


def _plainly_in_order(contract: Contract, inputs: Sequence[Input]) -> bool:
    """Check whether all operands share a device and a floating dtype of the op, with nothing else to check."""
    if not inputs or contract.only or contract.classes or contract.on_cpu:
        return False
    dtype, device = inputs[0].dtype, inputs[0].device
    if dtype not in FLOATS or (contract.kernels and dtype not in contract.kernels):
        return False
    return all(
        operand.dtype == dtype and operand.device == device for operand in inputs
    )


def _rows(inputs: Sequence[Input]) -> Iterator[Sequence[Input]]:
    """Yield the operands of each list index; operands that are not lists are in every row."""
    rows: dict[str, list[Input]] = {}
    common: list[Input] = []
    for operand in inputs:
        bracket = operand.name.partition("[")[2]
        (rows.setdefault(bracket, []) if bracket else common).append(operand)
    for row in rows.values() or [common]:
        yield [*row, *common] if rows else row


def _named(inputs: Sequence[Input], names: Sequence[str]) -> list[Input]:
    """Return the operands of these arguments, in the order of the names."""
    return [
        operand
        for name in names
        for operand in inputs
        if _is(operand, name) and operand.dim >= 0
    ]


def _with_dtypes(operands: Iterable[Input], dtypes: Container[str]) -> list[Input]:
    return [operand for operand in operands if operand.dtype in dtypes]


def _only(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    """Yield violations for unsupported dtypes; operands of one dtype share one, as one may be cast like the other."""
    refused: dict[tuple[str, tuple[str, ...]], list[Input]] = {}
    for operand in _named(inputs, tuple(contract.only)):
        allowed = contract.only[operand.argument]
        if operand.dtype not in allowed:
            refused.setdefault((operand.dtype, allowed), []).append(operand)
    for (_, allowed), operands in refused.items():
        first = operands[0]
        error = contract.errors.get((first.argument,), _EXPECTED_BUT_FOUND)
        text = _text(
            error, inputs, reference=replace(first, dtype=allowed[0]), offending=first
        )
        kind: ViolationKind = "unsupported" if NO_KERNEL in text else "dtype"
        yield Violation(
            kind=kind, odd=names_of(operands), expected=allowed[0], error=text
        )


def _classes(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    """Yield violations of a loss's targets: class indices, or probabilities."""
    name, logits_name = contract.classes or ("", "")
    targets, logits = _named(inputs, (name,)), _named(inputs, (logits_name,))
    if not targets or not logits:
        return
    target, reference = targets[0], logits[0]
    if _probabilities(contract, inputs):
        if target.dtype not in FLOATING:
            text = f"Expected floating point type for target with class probabilities, got {scalar_name(target.dtype)}"
            like, expected = reference.name, reference.dtype
            yield Violation(
                kind="dtype",
                odd=(target.name,),
                like=like,
                expected=expected,
                error=text,
            )
    elif target.dtype not in (*LONG, "uint8"):
        error = contract.errors.get((target.name,), _EXPECTED_BUT_FOUND)
        text = _text(
            error, inputs, reference=replace(target, dtype=LONG[0]), offending=target
        )
        yield Violation(kind="dtype", odd=(target.name,), expected=LONG[0], error=text)


def _probabilities(contract: Contract, inputs: Sequence[Input]) -> bool:
    """Check whether the call's target holds class probabilities: it has as many dimensions as the input."""
    return (
        contract.classes is not None
        and len({operand.dim for operand in _named(inputs, contract.classes)}) == 1
    )


def _same(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    if not _probabilities(contract, inputs) and not any(
        _has_all(inputs, names) for names in contract.unless
    ):
        for group in contract.same:
            yield from _same_group(contract, group, inputs)


def _same_group(
    contract: Contract, group: Sequence[str], inputs: Sequence[Input]
) -> Iterator[Violation]:
    operands = [
        x
        for x in _named(inputs, group)
        if x.dtype not in contract.also.get(x.argument, ())
        and x.dtype in contract.only.get(x.argument, (x.dtype,))
    ]
    offending = [operand for operand in operands if operand.dtype != operands[0].dtype]
    if offending and not _mixed_as_allowed(contract.wider, operands):
        anchor = operands[0]
        text = _mismatch_text(contract, inputs, anchor, offending[0])
        yield Violation(
            kind="dtype",
            odd=names_of(offending),
            like=anchor.name,
            expected=anchor.dtype,
            error=text,
        )


def _has_all(inputs: Sequence[Input], names: Sequence[str]) -> bool:
    return all(any(_is(operand, name) for operand in inputs) for name in names)


def _is(operand: Input, name: str) -> bool:
    """Check whether an entry (`weight`, `weight@float32`, `weight@2` for its dimensions) is this operand."""
    plain, _, kind = name.partition("@")
    return plain in (operand.name, operand.argument) and kind in (
        "",
        operand.dtype,
        str(operand.dim),
    )


def _mixed_as_allowed(wider: Sequence[str], operands: Sequence[Input]) -> bool:
    rest = {operand.dtype for operand in operands if operand.argument not in wider}
    wide = {operand.dtype for operand in operands if operand.argument in wider}
    return len(rest) == 1 and rest <= HALVES and wide == {"float32"}


def _float8(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    """Yield a violation for float8 operands that would have to be promoted; torch promotes all other dtypes."""
    floats = _with_dtypes(tensors_of(inputs), FLOATING) if contract.promotes else []
    of_8_bits = _with_dtypes(floats, FLOAT8)
    dtypes = dict.fromkeys(operand.dtype for operand in floats)
    if of_8_bits and len(dtypes) > 1:
        reference = next(
            (operand for operand in floats if operand not in of_8_bits), of_8_bits[0]
        )
        pair = " and ".join(map(scalar_name, dtypes))
        text = (
            f"Promotion for Float8 Types is not supported, attempted to promote {pair}"
        )
        names = tuple(name for name in names_of(of_8_bits) if name != reference.name)
        yield Violation(
            kind="dtype",
            odd=names,
            like=reference.name,
            expected=reference.dtype,
            error=text,
        )


def _kernels(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    operands = _named(inputs, contract.same[0]) if contract.same else tensors_of(inputs)
    if contract.kernels and operands and operands[0].dtype not in contract.kernels:
        operand = operands[0]
        text = _text(
            contract.errors.get(("kernels",), ""),
            inputs,
            reference=operand,
            offending=operand,
        )
        yield Violation(
            kind="unsupported",
            odd=(operand.name,),
            expected=contract.kernels[0],
            error=text,
        )


def _into(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    """Yield the operand that is written into, and cannot take the promoted result."""
    target = next(
        (operand for operand in inputs if operand.argument == contract.into), None
    )
    if target is None:
        return
    others = [operand for operand in inputs if operand is not target]
    sources = others if contract.into == "out" else inputs
    result = _result(contract, sources)
    if not fits(result, target.dtype):
        causes = (one.name for one in tensors_of(sources) if one.dtype == result)
        cause = next(causes, None)
        text = f"result type {scalar_name(result)} can't be cast to the desired output type {scalar_name(target.dtype)}"
        yield Violation(
            kind="kind", odd=(target.name,), like=cause, expected=result, error=text
        )


def _result(contract: Contract, sources: Iterable[Input]) -> str:
    dtype = result_type(sources)
    return "float32" if contract.floats and dtype not in FLOATING else dtype


_OF_OPERANDS = (_only, _classes, _same, _float8)
_OF_THE_COMPUTATION = (_kernels, _into)
"""Demands that count where the operands are in order, the first that is broken."""


def _on_cpu(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    for operand in inputs:
        if operand.argument in contract.on_cpu and operand.device not in (
            "cpu",
            "meta",
        ):
            text = _text(
                contract.errors.get((operand.argument,), ""),
                inputs,
                reference=operand,
                offending=operand,
            )
            yield Violation(
                kind="device", odd=(operand.name,), expected="cpu", error=text
            )


def _one_device(contract: Contract, inputs: Sequence[Input]) -> Iterator[Violation]:
    bound = [operand for operand in inputs if _must_share_device(contract, operand)]
    if len({operand.device for operand in bound}) < 2:
        return
    anchor = _device_anchor(contract, bound)
    offending = [
        operand
        for operand in bound
        if operand.device not in _devices_beside(contract, anchor, operand)
    ]
    if offending:
        text = _device_text(contract, inputs, bound, anchor, offending[0])
        yield Violation(
            kind="device",
            odd=names_of(offending),
            like=anchor.name,
            expected=anchor.device,
            error=text,
        )


def _devices_beside(
    contract: Contract, anchor: Input, operand: Input
) -> tuple[str, ...]:
    if operand.argument in contract.maybe_cpu:
        return (anchor.device, "cpu")
    return (anchor.device,)


def _must_share_device(contract: Contract, operand: Input) -> bool:
    name = operand.argument
    if operand.device == "meta" or operand.is_number or name in contract.any_device:
        return False
    if (
        contract.cpu_scalars
        and operand.dim == 0
        and operand.device == "cpu"
        and name != contract.into
    ):
        return False
    return name not in contract.on_cpu


def _device_anchor(contract: Contract, bound: Sequence[Input]) -> Input:
    """Return the reference operand: the one written into, else the parameter, else the first that is not on the CPU."""
    names = (
        ((contract.into,), *contract.same[:1]) if contract.into else contract.same[:1]
    )
    preferred = [operand for group in names for operand in _named(bound, group)]
    preferred = [
        operand for operand in preferred if operand.argument not in contract.maybe_cpu
    ]
    if preferred:
        return preferred[0]
    return next((operand for operand in bound if operand.device != "cpu"), bound[0])


def _mismatch_text(
    contract: Contract, inputs: Sequence[Input], anchor: Input, offending: Input
) -> str:
    template = next(
        (text for names, text in contract.errors.items() if _differ(inputs, names)),
        contract.error,
    )
    return _text(
        template or _EXPECTED_BUT_FOUND, inputs, reference=anchor, offending=offending
    )


def _differ(inputs: Sequence[Input], names: Sequence[str]) -> bool:
    """Check whether all of these operands are there, and the first two differ."""
    found = [
        next((operand for operand in inputs if _is(operand, name)), None)
        for name in names
    ]
    present = [operand.dtype for operand in found if operand]
    return len(present) == len(names) > 1 and present[0] != present[1]


def _device_text(
    contract: Contract,
    inputs: Sequence[Input],
    bound: Sequence[Input],
    anchor: Input,
    offending: Input,
) -> str:
    for template in contract.device_error:
        text, *named = (
            _text(part, inputs, reference=anchor, offending=offending)
            for part in (template, *_NAMED.findall(template))
        )
        if len(named) == 1 or len(set(named)) > 1:
            return text
    devices = list(dict.fromkeys(operand.device for operand in bound))
    return _TWO_DEVICES.format(*devices[:2])


def _text(
    template: str, inputs: Sequence[Input], *, reference: Input, offending: Input
) -> str:
    operands = {operand.argument: operand for operand in reversed(inputs)}
    named = operands | {operand.name: operand for operand in inputs}
    return spell(template, named, reference=reference, offending=offending)
