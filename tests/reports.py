"""Reports on the hand-made traces."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import traces
from miscast.core.event import (
    Assumption,
    Effect,
    EffectKind,
    Event,
    Location,
    Memory,
    Operand,
    Precision,
    TensorMeta,
)
from miscast.core.finding import Edit, Fix
from miscast.judging.rules import judge
from miscast.report import Report


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


def everything() -> Report:
    """One of everything that schema 1 can say, of two ranks and more."""
    whole = full()
    at = Location(file="a.py", line=3, column=4, code="xé \x1b", module="m")
    kinds = get_args(EffectKind)
    effects = [
        Effect(kind=kind, what=f"{kind}{i}", action="POST", location=at if i % 2 else None, count=i + 1)
        for kind in kinds
        for i in range(5)
    ]
    peak = Memory(device="cuda:1", capacity=1 << 34, peak=3 << 20)
    most = replace(peak, device="cuda:0", peak=1 << 33, parameters=1 << 32, activations=1 << 31, location=at)
    cast = Event(kind="cast", op="Tensor.to", dtype="float16", device="cpu", location=None, library=at, carried=at)
    ragged = Operand(name="z", tensor=TensorMeta(dtype="float16", device="cpu", shape=(-1, 2)), dtype_origin=cast)
    fix = Fix(title="t", safe=True, verified=True, edits=(Edit(file="a", start_line=1, end_line=2, replacement="r"),))
    first, *others = whole.findings
    first = replace(
        first, ranks=(0, 2, 3), callers=(at, at), count=1200, fixes=(*first.fixes, fix),
        operands=(*first.operands, ragged),
    )  # fmt: skip
    return replace(
        whole,
        findings=(first, *others),
        effects=tuple(effects),
        memory=(most, replace(peak, rank=0), replace(peak, device="cuda:2", rank=1)),
        precision=(
            Precision(component="unet", aspect="compute", dtype="float16, norms float32", decided_by=at,
                      counts={"float16": 9, "float32": 2}),
            Precision(component="unet", aspect="loss_scaling", dtype="off"),
        ),
        ranks=4,
        matched=17,
        failed="Miscast itself failed: x",
        contracts="declared",
        assumed=tuple(replace(whole.assumed[0], count=i) for i in range(9)),
        unchecked={f"aten.{i}": i + 1 for i in range(9)},
    )
