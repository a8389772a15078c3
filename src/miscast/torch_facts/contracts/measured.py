"""A call judged by what torch was measured to do; declared contracts speak where nothing was measured.

The table knows which combinations of dtypes run. It does not know which operand is to blame: the contract does, and
where there is none, the nearest combination that runs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from ...core.dtypes import scalar_name
from ...core.event import Violation, ViolationKind
from .contract import Contract, Input, names_of, tensors_of
from .kernels import lacks_kernel
from .signature import DTYPES, arguments, operands, signature
from .spelling import speaks_of
from .verdict import NO_KERNEL, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .table import Row

Dtypes: TypeAlias = tuple[tuple[str, ...], ...]

_NO_KERNEL = re.compile(rf"{NO_KERNEL}|not supported for")
_OF_THE_SAMPLE = re.compile(r"(?<=\[)\d+(?:, \d+)*(?=\])|(?<= = )\d+")
"""Sizes of the tensors that the table was measured with, not of this call's."""
_FOUND = re.compile(r"(?:but )?(?:found|got) (?:dtype )?(?:c10::)?([A-Z]\w+)")
_PREFERRED = ("float32", "int64", "float64", "bfloat16", "float16", "bool", "int32")


def judge_measured(
    contract: Contract | None, row: Row | None, inputs: Sequence[Input]
) -> tuple[Violation, ...]:
    """Return the demands that a call breaks: the verdict on its dtypes is the table's, where it has the combination.

    `row` is the table's for the op and these arguments; `inputs` with the Python numbers among the arguments.
    """
    declared = judge(contract, inputs)
    written = signature(inputs)
    if row is None or not row.knows(written):
        return declared
    of_device = tuple(violation for violation in declared if violation.kind == "device")
    if written in row.runs:
        return of_device
    error = _OF_THE_SAMPLE.sub("…", row.raises[written])
    first = next(filterfalse(of_device.__contains__, declared), None)
    if first is None or _speaks_of_others(error, first, inputs):
        return (refused(row, inputs, error), *of_device)
    # of several texts that which the op's usual shapes bring
    if row.may_say(first.error, written):
        return declared
    at = declared.index(first)
    return (*declared[:at], replace(first, error=error), *declared[at + 1 :])


def _speaks_of_others(error: str, blamed: Violation, inputs: Sequence[Input]) -> bool:
    """Check whether a text names one dtype, and no operand that is blamed has it: "Got Bool" is said of another."""
    spoken = {operand.dtype for operand in inputs if speaks_of(error, operand.dtype)}
    return len(spoken) == 1 and not any(
        x.name in blamed.odd and x.dtype in spoken for x in inputs
    )


def judge_declared(
    contract: Contract | None, op: str, device: str, inputs: Sequence[Input]
) -> tuple[Violation, ...]:
    """Return the demands that a call breaks on a kind of device that no table covers ("cuda").

    `op` as tables name it ("aten.add.Tensor").
    """
    declared = judge(contract, inputs)
    missing = None if declared else lacks_kernel(op, device, inputs)
    return (missing,) if missing else declared


def refused(row: Row, inputs: Sequence[Input], error: str) -> Violation:
    """Return what to say of a combination that torch refused with `error`: what differs from the nearest that runs."""
    tensors = tensors_of(inputs)
    wanted = _nearest(row, inputs, error)
    offending = [
        x for x in tensors if x.dtype not in wanted.get(x.argument, (x.dtype,))
    ] or tensors[:1]
    expected = wanted.get(offending[0].argument, ("float32",))[0]
    reference = next(
        (x.name for x in tensors if x not in offending and x.dtype == expected), None
    )
    kind: ViolationKind = "unsupported" if _NO_KERNEL.search(error) else "dtype"
    # all are alike: none is to blame
    if reference is None and len(set(map(attrgetter("dtype"), tensors))) == 1:
        kind, offending = "unsupported", offending[:1]
    return Violation(
        kind=kind,
        odd=names_of(offending),
        expected=expected,
        like=reference,
        error=error,
    )


def _nearest(
    row: Row, inputs: Sequence[Input], error: str
) -> Mapping[str, tuple[str, ...]]:
    """Return, by argument, the dtypes of the closest combination that runs; empty if none is known to run."""
    given = _dtypes(signature(inputs))
    found = _FOUND.search(error)
    running = {
        _dtypes(written) for written in row.runs if len(operands(written)) == len(given)
    }
    distance = partial(_distance, given=given, found=found[1] if found else "")
    nearest = min(sorted(running), key=distance, default=())
    return dict(zip(arguments(inputs), nearest, strict=False))


def _distance(
    candidate: Dtypes, *, given: Dtypes, found: str
) -> tuple[int, int, bool, int]:
    """Return how far a combination is from the one that was given.

    Of equally near ones that comes first which brings no new dtype, then that which changes the dtype that torch
    "found".
    """
    changed = [
        (new, old) for new, old in zip(candidate, given, strict=True) if new != old
    ]
    new = [dtype for pair, _ in changed for dtype in pair]
    left = {scalar_name(dtype) for _, old in changed for dtype in old}
    return (
        len(changed),
        len(set(new).difference(*given)),
        found not in left,
        sum(map(_rank, new)),
    )


def _dtypes(written: str) -> Dtypes:
    return tuple(
        tuple(DTYPES.get(token[0], "") for token in one) for one in operands(written)
    )


def _rank(dtype: str) -> int:
    return _PREFERRED.index(dtype) if dtype in _PREFERRED else len(_PREFERRED)
