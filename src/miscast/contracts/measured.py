"""A call judged by what torch was measured to do; declared contracts speak where nothing was measured.

The table knows which combinations of dtypes run. It does not know which operand is to blame: the contract does, and
where there is none, the nearest combination that runs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..event import Violation, ViolationKind
from .contract import PYTHON_NUMBER, Contract, Input
from .kernels import lacks_kernel
from .signature import DTYPES, argument, arguments, operands, signature
from .spelling import scalar_type, speaks_of
from .verdict import NO_KERNEL, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .table import Row

Dtypes: TypeAlias = tuple[tuple[str, ...], ...]

_NO_KERNEL = (NO_KERNEL, "not supported for")
_FOUND = re.compile(r"(?:but )?(?:found|got) (?:dtype )?(?:c10::)?([A-Z]\w+)")
_PREFERRED = ("float32", "int64", "float64", "bfloat16", "float16", "bool", "int32")


def judge_measured(contract: Contract | None, row: Row | None, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    """The demands that a call breaks: the verdict on its dtypes is the table's, where it has the combination.

    `row` is the table's for the op and these arguments; `inputs` with the Python numbers among the arguments.
    """
    declared = judge(contract, inputs)
    written = signature(inputs)
    if row is None or not row.knows(written):
        return declared
    if written in row.runs:
        return tuple(violation for violation in declared if violation.kind == "device")
    error = row.raises[written]
    of_dtype = [violation for violation in declared if violation.kind != "device"]
    spoken = {operand.dtype for operand in inputs if speaks_of(error, operand.dtype)}
    blamed = {operand.dtype for operand in inputs if of_dtype and operand.name in of_dtype[0].odd}
    if not of_dtype or (len(spoken) == 1 and not spoken & blamed):  # "Got Bool" is not said of the other operand
        return (refused(row, inputs, error), *(violation for violation in declared if violation.kind == "device"))
    first = of_dtype[0]
    if row.may_say(first.error, written):  # of several texts that which the op's usual shapes bring
        error = first.error
    return tuple(replace(x, error=error) if x is first else x for x in declared)


def judge_declared(contract: Contract | None, op: str, device: str, inputs: Sequence[Input]) -> tuple[Violation, ...]:
    """The demands that a call breaks on a kind of device that no table covers ("cuda").

    `op` as tables name it ("aten.add.Tensor").
    """
    declared = judge(contract, inputs)
    missing = None if declared else lacks_kernel(op, device, inputs)
    return (missing,) if missing else declared


def refused(row: Row, inputs: Sequence[Input], error: str) -> Violation:
    """What to say of a combination that torch refused with `error`: what differs from the nearest that runs."""
    tensors = [operand for operand in inputs if operand.dim != PYTHON_NUMBER]
    wanted = _nearest(row, inputs, error)
    odd = [x for x in tensors if x.dtype not in wanted.get(argument(x.name), (x.dtype,))] or tensors[:1]
    expected = wanted.get(argument(odd[0].name), ("float32",))[0]
    like = next((x.name for x in tensors if x not in odd and x.dtype == expected), None)
    alone = like is None and len({operand.dtype for operand in tensors}) == 1
    kind: ViolationKind = "unsupported" if alone or any(words in error for words in _NO_KERNEL) else "dtype"
    names = tuple(operand.name for operand in (odd[:1] if alone else odd))
    return Violation(kind=kind, odd=names, expected=expected, like=like, error=error)


def _nearest(row: Row, inputs: Sequence[Input], error: str) -> Mapping[str, tuple[str, ...]]:
    """By argument the dtypes of the combination that runs and differs least; empty if none is known to run.

    Of equally near ones that which brings no new dtype, then that which changes the dtype that torch "found".
    """
    names = arguments(inputs)
    given = _dtypes(signature(inputs))
    met = {dtype for one in given for dtype in one}
    found = _FOUND.search(error)

    def distance(candidate: Dtypes) -> tuple[int, int, int, int]:
        pairs = [(new, old) for new, old in zip(candidate, given, strict=True) if new != old]
        spelled = {scalar_type(dtype) for _, old in pairs for dtype in old}
        new = [dtype for pair, _ in pairs for dtype in pair]
        as_found = found is not None and found[1] in spelled
        return (len(pairs), len(set(new) - met), not as_found, sum(map(_rank, new)))

    running = {_dtypes(written) for written in row.runs if len(operands(written)) == len(given)}
    nearest = min(sorted(running), key=distance, default=())
    return dict(zip(names, nearest, strict=False))


def _dtypes(written: str) -> Dtypes:
    return tuple(tuple(DTYPES.get(token[0], "") for token in one) for one in operands(written))


def _rank(dtype: str) -> int:
    return _PREFERRED.index(dtype) if dtype in _PREFERRED else len(_PREFERRED)
