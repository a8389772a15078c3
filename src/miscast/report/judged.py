"""The report on a run, of one process or of all ranks of a world: what was seen of it, judged by the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.event import Trace
from ..core.failure import Failures
from ..core.finding import Finding
from ..core.meeting import MultiRankTrace
from ..fixing.remedy import advised
from ..judging.rules import judge, judge_world
from .ranks import of_world
from .report import Report


def judged(
    found: Trace | MultiRankTrace,
    result: Any = None,
    *,
    strict: bool = False,
    reason: str = "",
    advice: bool = True,
) -> Report:
    """Return the report on what was watched, also where judging it fails.

    `result` is what a function returned, `reason` why it was this machine. `advice`: with edits that may fix it.
    """
    if isinstance(found, MultiRankTrace):
        return replace(_of_all(found, strict=strict), machine_reason=reason)
    trace, failures = found, Failures(found.failed, found.traceback)
    findings: tuple[Finding, ...] = ()
    with failures.during("it applied the rules"):
        findings = judge(trace, failures, strict=strict)
    with failures.during("it looked for fixes"):
        findings = advised(findings, trace.scenes) if advice else findings
    return Report(
        machine=trace.machine,
        machine_reason=reason,
        torch=trace.torch,
        findings=findings,
        result=result,
        contracts=trace.contracts,
        unchecked=trace.unchecked,
        assumed=trace.assumed,
        notes=trace.notes,
        ended=trace.ended,
        failed=failures.line,
        traceback=failures.traceback,
        ops=trace.ops,
        memory=trace.memory,
        effects=trace.effects,
        precision=trace.precision,
        stages=trace.stages,
        reach=trace.reach,
    )


def _of_all(world: MultiRankTrace, *, strict: bool) -> Report:
    failures = Failures()
    findings: tuple[Finding, ...] = ()
    with failures.during("it applied the rules"):
        findings = judge_world(world, failures, strict=strict)
    with failures.during("it looked for fixes"):
        # of several at one place, the lowest rank's holds: its devices are those of the finding
        scenes = (one for trace in reversed(world.traces) for one in trace.scenes)
        findings = advised(findings, scenes)
    report = of_world(world, findings)
    return replace(
        report,
        failed=report.failed or failures.line,
        traceback=report.traceback + failures.traceback,
    )
