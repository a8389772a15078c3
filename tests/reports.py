"""Reports on the hand-made traces."""

from __future__ import annotations

import traces
from miscast.event import Assumption
from miscast.report import Report
from miscast.rules import judge


def report(*calls, strict=True, **more) -> Report:
    trace = traces.trace(*calls)
    return Report(
        machine="v100", torch="2.13.0", findings=judge(trace, strict=strict), ops=trace.ops, **more
    )  # fmt: skip


def full() -> Report:
    """One of everything."""
    calls = (traces.linear(), traces.conv(), traces.eroded(), traces.stray(), traces.linear(50, hidden=True))
    return report(
        *calls,
        unchecked={"aten.foo": 12, "aten.bar": 1},
        assumed=(Assumption(what="Tensor.item", value="0.0", location=traces.at(33), count=4),),
        notes=("torch.compile ran eagerly",),
        ended="the program raised KeyError: 'x' at train.py:88",
    )
