"""One report of all ranks: what only some of them say is told with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..core.event import Assumption, Memory, Precision, Stage, Trace
from ..core.finding import Finding
from ..core.meeting import MultiRankTrace, ranks
from .report import Report


def of_world(world: MultiRankTrace, findings: tuple[Finding, ...]) -> Report:
    """Return the report on a process group with these findings."""
    traces = world.traces
    whole = Report(
        machine=traces[0].machine,
        torch=traces[0].torch,
        contracts=next(filter(None, (trace.contracts for trace in traces)), ""),
        unchecked=_unchecked(traces),
        assumed=_assumed(traces),
        notes=tuple(_told(traces, lambda trace: trace.notes)),
        ended="; ".join(_told(traces, lambda trace: [trace.ended])) or None,
        failed="; ".join(_told(traces, lambda trace: [trace.failed])) or None,
        traceback="".join(dict.fromkeys(trace.traceback for trace in traces)),
        effects=tuple(
            dict.fromkeys(effect for trace in traces for effect in trace.effects)
        ),
        ops=sum(trace.ops for trace in traces),
        precision=tuple(_precision(traces)),
        stages=tuple(_stages(traces)),
        reach=traces[0].reach,
    )
    if len(traces) == 1:
        return replace(
            whole,
            findings=tuple(replace(f, ranks=()) for f in findings),
            memory=traces[0].memory,
        )
    return replace(
        whole,
        findings=findings,
        memory=_memory(traces),
        ranks=len(traces),
        matched=world.matched,
        met=world.met,
    )


def _told(
    traces: Sequence[Trace], lines: Callable[[Trace], Iterable[str | None]]
) -> list[str]:
    """Return each line that any rank has to say once, with its ranks."""
    by: dict[str, set[int]] = {}
    for rank, trace in enumerate(traces):
        for text in filter(None, lines(trace)):
            by.setdefault(text, set()).add(rank)
    return [
        text if len(who) == len(traces) else f"{text} (on {ranks(who)})"
        for text, who in by.items()
    ]


def _precision(traces: Sequence[Trace]) -> Iterator[Precision]:
    """Yield each component once, as the first rank has it that has its dtypes.

    Where ranks differ, with their numbers.
    """
    seen: dict[str, dict[tuple[tuple[str, str], ...], dict[int, list[Precision]]]] = {}
    for rank, trace in enumerate(traces):
        components: dict[str, list[Precision]] = {}
        for row in trace.precision:
            components.setdefault(row.component, []).append(row)
        for name, rows in components.items():
            dtypes = tuple((row.aspect, row.dtype) for row in rows)
            seen.setdefault(name, {}).setdefault(dtypes, {})[rank] = rows
    for by_dtypes in seen.values():
        for by_rank in by_dtypes.values():
            who = () if len(by_rank) == len(traces) else tuple(by_rank)
            for row in next(iter(by_rank.values())):
                yield replace(row, ranks=who)


def _stages(traces: Sequence[Trace]) -> Iterator[Stage]:
    """Yield the modules once, as the first rank has them that ran the same; where ranks differ, with their numbers."""
    alike: dict[tuple[Stage, ...], list[int]] = {}
    for rank, trace in enumerate(traces):
        if trace.stages:
            anywhere = tuple(_without_index(stage) for stage in trace.stages)
            alike.setdefault(anywhere, []).append(rank)
    for who in alike.values():
        told = () if len(alike) == 1 else tuple(who)
        for stage in traces[who[0]].stages:
            yield replace(stage, ranks=told)


def _without_index(stage: Stage) -> Stage:
    """Return the stage without a rank's device index: each rank has its own device, "cuda:1" is rank 1's "cuda:0"."""
    placed: dict[str, Any] = {
        cell: tuple(
            replace(one, device=one.device.partition(":")[0])
            for one in getattr(stage, cell)
        )
        for cell in ("parameters", "inputs", "compute", "outputs")
    }
    return replace(stage, **placed)


def _memory(traces: Sequence[Trace]) -> tuple[Memory, ...]:
    return tuple(
        replace(peak, rank=rank)
        for rank, trace in enumerate(traces)
        for peak in trace.memory
    )


def _unchecked(traces: Sequence[Trace]) -> dict[str, int]:
    calls: Counter[str] = Counter()
    for trace in traces:
        calls.update(trace.unchecked)
    return dict(sorted(calls.items()))


def _assumed(traces: Sequence[Trace]) -> tuple[Assumption, ...]:
    """Return what any rank assumed, as often as the one that did most."""
    found: dict[Assumption, int] = {}
    for trace in traces:
        for one in trace.assumed:
            key = replace(one, count=1)
            found[key] = max(found.get(key, 0), one.count)
    return tuple(replace(key, count=count) for key, count in found.items())
