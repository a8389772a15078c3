"""A precision loss that torch accepts: the rule, the affected tensor, and the figures in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ...vm.provenance.origin import Origin, Place

PRECISION = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}
"""The bits of a significand, the hidden one too: whole numbers up to two to this are exact."""
HALF = frozenset({torch.float16, torch.bfloat16})
EIGHTS = frozenset({
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
})  # fmt: skip
INTEGERS = frozenset({torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64})


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Numbers that an op lost.

    `rule` is the rule's name, `operand` ATen's name of the tensor whose dtype is to blame ("out": the result's),
    `wanted` the dtype that would hold them, `figures` what was lost, as a clause: "4096 whole numbers become 3072".
    `form` names the kind of loss among those of the rule, which decides the help. `at` is the line to be told of, where
    that is not the one that runs, `op` the op there. `waits`: ops that show that it was meant.
    `error` is what torch raises of it, if it does, `raises` the exception's type. `origin` is what gave numbers behind
    the operand the dtype that lost them, if that is not the operand's own.
    """

    rule: str
    figures: str
    form: str = ""
    operand: str = "self"
    wanted: str = "float32"
    at: Place | None = None
    op: str = ""
    waits: frozenset[str] = frozenset()
    error: str = ""
    raises: str = "RuntimeError"
    origin: Origin | None = None


def misused(
    figures: str,
    operand: str = "self",
    *,
    wanted: str = "",
    error: str = "",
    raises: str = "RuntimeError",
) -> Lost:
    """Return what a program does wrong with a GradScaler, or with gradients that are scaled."""
    return Lost(
        rule="scaler-misused",
        operand=operand,
        wanted=wanted,
        figures=figures,
        error=error,
        raises=raises,
    )


def spacing(size: float, dtype: torch.dtype) -> float:
    """Return the distance of neighbours of a dtype at a number of this size."""
    info = torch.finfo(dtype)
    if not size:
        return info.smallest_normal * info.eps
    return max(
        2.0 ** math.floor(math.log2(size)) * info.eps, info.smallest_normal * info.eps
    )


def wider(dtype: torch.dtype) -> str:
    """Return the name of the dtype that holds what this one rounds off."""
    return "float32" if dtype in HALF else "float64"


def short(dtype: torch.dtype) -> str:
    """Return a dtype's name: "float16"."""
    return str(dtype)[6:]


def spelled(number: float) -> str:
    """Return a number as people write it."""
    if float(number).is_integer() and abs(number) < 1e7:
        return str(int(number))
    return f"{number:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


SMALLEST = 2.0**-25
"""Half of float16's smallest number above 0: what is less is rounded to 0."""
_TINY = 1e-20


def is_one(number: float, dtype: torch.dtype) -> bool:
    """Check whether a half dtype takes a number beside 1 for 1."""
    return dtype in HALF and 0 < abs(1 - number) < 2.0 ** -(PRECISION[dtype] + 1)


def rounded(number: object, dtype: torch.dtype) -> Lost | None:
    """Return one that is taken for 0, or for 1 although it is next to it: a decay, a factor, a share."""
    if not isinstance(number, float) or dtype not in HALF:
        return None
    near = is_one(number, dtype)
    gone = dtype is torch.float16 and _TINY < abs(number) < SMALLEST
    if not near and not gone:
        return None
    return Lost(
        rule="constant-vanishes",
        form="factor",
        figures=f"{number:.8g} is {1 if near else 0} in {short(dtype)}",
    )
