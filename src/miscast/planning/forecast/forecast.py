"""The forecast of a step: how long each kind of op is taken to last, and how long the device waits for the host.

>>> forecast(meter.work, rates).seconds
0.412
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .rates import Rates
from .work import COLLECTIVES, TRANSFERS, Work

WAITING = "waiting for the host"
"""Time without a kernel: the host has not launched the next one yet."""
_NOTHING = 1e-9
"""Share of the seconds that is rounding error of a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The forecast of a step (or of a run without steps): `seconds` in all, `kinds` by op, largest first.

    `launches` kernels; `operations` of products; `bytes` that all kernels read and write. `uneven` is the share of the
    seconds that products take whose sizes no tensor core takes.
    """

    seconds: float
    kinds: Mapping[str, float]
    launches: int
    operations: float
    bytes: float
    uneven: float = 0.0


def forecast(work: Sequence[Work], rates: Rates, *, tf32: bool = False) -> Forecast:
    """Forecast a step: each kernel begins when the one before is done and the host has launched it."""
    kinds: Counter[str] = Counter()
    lasts = {one: duration(one, rates, tf32=tf32) for one in set(work)}
    operations = moved = uneven = called = done = 0.0
    for one in work:
        own = lasts[one]
        called += (rates.recorded if one.recorded else rates.call) if own else 0.0
        done = max(done, called) + own
        kinds[one.kind] += own  # type: ignore[assignment]
        operations += one.operations
        moved += one.bytes
        uneven += 0.0 if one.even else own
    waiting = done - sum(kinds.values())
    if waiting > done * _NOTHING:
        kinds[WAITING] = waiting  # type: ignore[assignment]
    return Forecast(
        seconds=done,
        kinds=dict(kinds.most_common()),
        launches=len(work),
        operations=operations,
        bytes=moved,
        uneven=uneven / done if done else 0.0,
    )


def duration(work: Work, rates: Rates, *, tf32: bool = False) -> float:
    """Return the seconds of one kernel. `tf32`: float32 products may be rounded to it."""
    if not work.bytes:
        return 0.0
    links = {TRANSFERS: rates.host, COLLECTIVES: rates.peers}
    if work.kind in links:
        rate = links[work.kind]
        return max(rates.least, work.bytes / rate) if rate else 0.0
    moving = work.bytes / rates.moves(work.kind, work.dtype)
    if work.kind not in ("matmul", "convolution", "attention"):
        return max(rates.least, moving)
    dtype = work.dtype
    # cudnn.allow_tf32 is on by default, and attention's own kernels do not ask
    allowed = work.kind == "convolution" or (tf32 and work.kind == "matmul")
    if dtype == "float32" and allowed and (work.kind, "tf32") in rates.products:
        dtype = "tf32"
    rate = rates.of(dtype, work.kind, even=work.even)
    return max(rates.least, moving, work.operations / rate)
