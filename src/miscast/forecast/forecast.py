"""The forecast of a step: how long each kind of op is taken to last, and why.

>>> forecast(meter.work, rates).seconds
0.412
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from .rates import Rates
from .work import COLLECTIVES, TRANSFERS, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Of one step (or of a run without steps): `seconds` in all, `kinds` by kind of op, the largest first.

    `launches` kernels; `operations` of products; `bytes` that all kernels read and write. `uneven` is the share of the
    seconds that products take whose sizes no tensor core takes.
    """

    seconds: float
    kinds: Mapping[str, float]
    launches: int
    operations: float
    bytes: float
    uneven: float = 0.0


def forecast(work: Mapping[Work, int], rates: Rates, *, tf32: bool = False) -> Forecast:
    """Each kernel lasts as long as the slower of its operations and its bytes, and at least its launch."""
    kinds: Counter[str] = Counter()
    operations = moved = uneven = 0.0
    for one, times in work.items():
        lasts = times * duration(one, rates, tf32=tf32)
        kinds[one.kind] += lasts  # type: ignore[assignment]
        operations += times * one.operations
        moved += times * one.bytes
        uneven += 0.0 if one.even else lasts
    seconds = sum(kinds.values())
    return Forecast(
        seconds=seconds,
        kinds=dict(kinds.most_common()),
        launches=sum(work.values()),
        operations=operations,
        bytes=moved,
        uneven=uneven / seconds if seconds else 0.0,
    )


def duration(work: Work, rates: Rates, *, tf32: bool = False) -> float:
    """Seconds of one kernel. `tf32`: float32 products are allowed to be rounded to it."""
    if not work.bytes:
        return 0.0
    if work.kind in (TRANSFERS, COLLECTIVES):
        rate = rates.host if work.kind == TRANSFERS else rates.peers
        return max(rates.launch, work.bytes / rate) if rate else 0.0
    moving = work.bytes / rates.moves(work.dtype)
    if work.kind not in ("matmul", "convolution", "attention"):
        return max(rates.launch, moving)
    dtype = work.dtype
    allowed = tf32 or work.kind == "convolution"  # cudnn.allow_tf32 is on by default
    if dtype == "float32" and allowed and "tf32" in rates.products:
        dtype = "tf32"
    rate = rates.of(dtype, work.kind, even=work.even)
    return max(rates.launch, moving, work.operations / rate)
