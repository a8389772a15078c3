"""Order findings as the run met them, merge duplicates, and put consequences under the mistake that caused them.

A finding is the consequence of an earlier one if the operand to blame got its dtype (or device) through an event that
the earlier one already blames: mending that line mends both. A warning is never the cause of an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ...core.event import Call, Event, Trace
from ...core.finding import Finding, Subject
from .. import cause
from .aliases import said_better
from .finding_builder import involved

_RANK = {"hint": 0, "warning": 1, "error": 2}
_Key = tuple[object, ...]
_Tie = tuple[Subject | str, Event | str]
"""A tie between findings: their subject, and an event that led to it."""


def folded(trace: Trace, found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a trace as they are reported."""
    calls = {_key(call): call for call in reversed(trace.calls)}
    roots: dict[_Tie, int] = {}
    result: list[Finding] = []
    for finding in _merged(sorted(found, key=_order(trace))):
        call = calls.get(_key(finding))
        blamed = (*_blamed(finding, call), *_backward(finding))
        earlier = (roots[tie] for tie in blamed if tie in roots)
        causes = (i for i in earlier if _may_cause(result[i], finding))
        root = next(causes, None)
        for tie in (*_mended(call, blamed), *_forward(finding)):
            roots.setdefault(tie, len(result) if root is None else root)
        result.append(replace(finding, consequence_of=root))
    return tuple(result)


def _mended(call: Call | None, blamed: tuple[_Tie, ...]) -> tuple[_Tie, ...]:
    """Return what a finding's fix also fixes; an op without a kernel is fixed at its own line only."""
    return () if call and call.violation.kind == "unsupported" else blamed


def _order(trace: Trace) -> Callable[[Finding], int]:
    """Return a sort key of the order in which the run met findings: choices first, then calls, then all else."""
    calls = {
        _key(call): index for index, call in reversed(list(enumerate(trace.calls)))
    }
    events, count = enumerate(trace.choices), len(trace.choices)
    chosen = {(event.op, event.location): n - count for n, event in events}
    return lambda finding: calls.get(
        _key(finding), chosen.get((finding.op, finding.location), len(calls))
    )


def _may_cause(cause: Finding, finding: Finding) -> bool:
    """Check whether a fix of one may fix the other: not if an operand must be float32 here and half precision there."""
    if cause.rule == finding.rule and cause.wanted != finding.wanted:
        return False
    return _RANK[cause.severity] >= _RANK[finding.severity]


def _forward(finding: Finding) -> list[_Tie]:
    """Return what ties an op to its backward, where a mismatch recurs if only a tensor subclass's ops are fixed."""
    origins = ((finding.op, operand.dtype_origin) for operand in finding.operands)
    return [(op, origin) for op, origin in origins if origin]


def _backward(finding: Finding) -> list[_Tie]:
    name = finding.op.removesuffix("_backward")
    return (
        [(name, event) for _, event in _forward(finding)] if name != finding.op else []
    )


def _key(met: Call | Finding) -> _Key:
    if isinstance(met, Finding):
        return met.op, met.location, met.operands, met.error
    return met.op, met.location, involved(met), met.violation.error


def _merged(found: Iterable[Finding]) -> list[Finding]:
    """Return each finding once, however often it occurred; of two names of one fault, the one that says more."""
    kept: dict[_Key, Finding] = {}
    for finding in found:
        tensors = ((operand.name, operand.tensor) for operand in finding.operands)
        operands = tuple(
            (name, tensor.dtype, tensor.device) for name, tensor in tensors
        )
        key = (finding.rule, finding.op, finding.message, finding.location, operands)
        first = kept.get(key)
        count = finding.count + (first.count if first else 0)
        kept[key] = finding if first is None else replace(first, count=count)
    met = {(one.rule, one.op, one.location) for one in kept.values()}
    left = ((f, (f.op, f.location)) for f in kept.values())
    return [one for one, at in left if not said_better(one.rule, at, met)]


def _blamed(finding: Finding, call: Call | None) -> tuple[_Tie, ...]:
    """Return what ties a finding to others: the events that led to the blamed operand, or the dtype that was chosen."""
    if call is None or call.violation.kind == "absent":
        return ((finding.rule, finding.message),)
    found = cause.of(call)
    # the number is to blame, at its own line
    if found is None or call.violation.kind == "number":
        return ()
    return tuple(
        (found.about, event) for event in found.chain if event.location is not None
    )
