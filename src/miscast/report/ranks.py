"""One report of all ranks: what only some of them say is told with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ..event import Assumption, Trace
from ..finding import Finding
from ..meeting import World, ranks
from .report import Report


def of_world(world: World, findings: tuple[Finding, ...]) -> Report:
    """The report on a world whose findings are these."""
    traces, size = world.traces, len(world.traces)
    unchecked: Counter[str] = Counter()
    for trace in traces:
        unchecked.update(trace.unchecked)
    return Report(
        machine=traces[0].machine,
        torch=traces[0].torch,
        findings=findings if size > 1 else tuple(replace(f, ranks=()) for f in findings),
        contracts=next((t.contracts for t in traces if t.contracts), ""),
        unchecked=dict(sorted(unchecked.items())),
        assumed=_assumed(traces),
        notes=tuple(_told([(rank, note) for rank, trace in enumerate(traces) for note in trace.notes], size)),
        ended=_ended(traces),
        failed="; ".join(_told([(r, t.failed) for r, t in enumerate(traces) if t.failed], size)) or None,
        traceback="".join(dict.fromkeys(t.traceback for t in traces)),
        effects=tuple(dict.fromkeys(effect for trace in traces for effect in trace.effects)),
        ops=sum(trace.ops for trace in traces),
        memory=tuple(
            replace(m, rank=rank) if size > 1 else m for rank, trace in enumerate(traces) for m in trace.memory
        ),
        ranks=size if size > 1 else 0,
        matched=world.matched if size > 1 else 0,
    )


def _told(said: Iterable[tuple[int, str]], size: int) -> list[str]:
    """Each line once, with its ranks."""
    by: dict[str, list[int]] = {}
    for rank, text in said:
        by.setdefault(text, []).append(rank)
    return [text if len(set(who)) == size else f"{text} (on {ranks(who)})" for text, who in by.items()]


def _ended(traces: tuple[Trace, ...]) -> str | None:
    said = [(rank, trace.ended) for rank, trace in enumerate(traces) if trace.ended is not None]
    lines = _told(said, len(traces))
    return "; ".join(lines) or None


def _assumed(traces: tuple[Trace, ...]) -> tuple[Assumption, ...]:
    """What any rank assumed, as often as the one that did most."""
    found: dict[Assumption, int] = {}
    for trace in traces:
        for one in trace.assumed:
            key = replace(one, count=1)
            found[key] = max(found.get(key, 0), one.count)
    return tuple(replace(key, count=count) for key, count in found.items())
