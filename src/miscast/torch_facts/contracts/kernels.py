"""The dtypes that an op has a kernel for on devices without a table, from torch's operator database.

The data (`kernels-cuda.json`) is made by `tools/op_probe/kernels.py`. What it says of float32, it
says of calls whose floating operands are all float32; mixed ones are the contracts' affair.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.dtypes import scalar_name
from ...core.event import Violation
from .contract import FLOATING, tensors_of
from .signature import DTYPES, LETTERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .contract import Input

STATED = "hbfdFDlicsu?"
"""The dtypes that the data speaks of."""
_PREFERRED = "fdlb"


@cache
def _kernels(device: str) -> Mapping[str, str]:
    path = Path(__file__).with_name(f"kernels-{device}.json")
    ops: Mapping[str, str] = (
        json.loads(path.read_text())["ops"] if path.exists() else {}
    )
    return ops


def implemented(op: str, device: str) -> str | None:
    """Return the letters of the dtypes that `op` is implemented for ("aten.linalg_cholesky": "fdFD"), None if unknown.

    An in-place form has the kernels of its functional one.
    """
    known = _kernels(device)
    space, name, *_ = op.split(".")
    return known.get(f"{space}.{name}", known.get(f"{space}.{name.rstrip('_')}"))


def lacks_kernel(op: str, device: str, inputs: Sequence[Input]) -> Violation | None:
    """Return the violation of a call whose op has no kernel for its dtype."""
    known = implemented(op, device)
    if known is None:
        return None
    tensors = tensors_of(inputs)
    leading = [operand for operand in tensors if operand.dtype in FLOATING] or tensors
    if len({operand.dtype for operand in leading}) != 1:
        return None
    letter = LETTERS.get(leading[0].dtype, "")
    if letter not in STATED or letter in known:
        return None
    expected = DTYPES[_first_choice(known)]
    error = f"… not implemented for '{scalar_name(leading[0].dtype)}'"
    return Violation(
        kind="unsupported", odd=(leading[0].name,), expected=expected, error=error
    )


def _first_choice(letters: str) -> str:
    return next((letter for letter in _PREFERRED if letter in letters), letters[0])
