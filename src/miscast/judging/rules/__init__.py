"""Rules that find mistakes in a trace: one file per rule, found by discovery; nothing to register.

A rule is a file of this folder that has `find(trace) -> Iterator[Finding]`, or `across(world)` if it holds the ranks of
a program against each other. Its name is the file's name with dashes, its page is the module's docstring (What · Why ·
Example · Use instead · Fix safety). `STRICT = True` keeps a rule for `check --strict`. A rule about numbers that were
lost is a table instead: `HELP`, its ways out by the form of the loss, its `MESSAGE`, and the `SEVERITY` of those forms
that are no warnings.

    >>> [rule.name for rule in known()]
    ['autocast-forbids', 'autocast-hides-mismatch', 'device-data-as-numpy', …]
    >>> judge(trace)
    (Finding(rule='operand-dtype-mismatch', message='linear mixes float32 `input` with float16 `weight`', …), …)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType

from ...core.event import Trace
from ...core.failure import Failures, Raising
from ...core.finding import Finding, Severity
from ...core.meeting import MultiRankTrace
from ...core.plugins import function, load, name_of, page_of, value
from ..findings.consequences import folded
from ..findings.lossy import Help, lossy
from ..findings.rank_merge import followed, in_order, merged

__all__ = ["Rule", "judge", "judge_world", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name, its page, and the function that finds what breaks it, in one trace or across ranks."""

    name: str
    page: str
    find: Callable[[Trace], Iterator[Finding]] | None = None
    across: Callable[[MultiRankTrace], Iterator[Finding]] | None = None
    strict: bool = False
    help: Help = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


@cache
def known() -> tuple[Rule, ...]:
    """Return every rule, by name."""
    files = load(
        __name__,
        either=(function("find", 1), function("across", 1), value("HELP", dict)),
        may=(value("STRICT", bool), value("MESSAGE", str), value("SEVERITY", dict)),
    )
    found = [
        Rule(
            name=name_of(file).replace("_", "-"),
            page=page_of(file),
            find=getattr(file, "find", None) or _lossy(file),
            across=getattr(file, "across", None),
            strict=getattr(file, "STRICT", False),
            help=getattr(file, "HELP", {}),
        )
        for file in files
    ]
    return tuple(sorted(found, key=lambda rule: rule.name))


def _lossy(file: ModuleType) -> Callable[[Trace], Iterator[Finding]] | None:
    """Return what finds the losses that a table of help is for."""
    if not hasattr(file, "HELP"):
        return None
    severity: Mapping[str, Severity] = getattr(file, "SEVERITY", {})
    return lambda trace: lossy(
        trace, file.__name__, file.MESSAGE, file.HELP, severity=severity
    )


def judge(
    trace: Trace, failures: Failures | None = None, *, strict: bool = False
) -> tuple[Finding, ...]:
    """Return every finding of every rule, in the order in which the run met them.

    Duplicates merged, consequences folded.

    `strict` adds the faults that autocast only hides. A rule that fails keeps no other from judging; where findings
    cannot be folded, they are told as they were found. Without `failures`, what fails raises.
    """
    failures = Raising() if failures is None else failures
    found: list[Finding] = []
    for rule in known():
        if rule.find and (strict or not rule.strict):
            with failures.during(f"the rule {rule.name} ran"):
                for finding in rule.find(trace):
                    found.append(finding)  # noqa: PERF402 - what was found before it fails stays
    with failures.during("consequences were grouped under their causes"):
        return folded(trace, found)
    return tuple(found)


def _alone(rank: int, some: tuple[Finding, ...]) -> Iterator[Finding]:
    return (replace(f, ranks=(rank,), consequence_of=None) for f in some)


def judge_world(
    world: MultiRankTrace, failures: Failures | None = None, *, strict: bool = False
) -> tuple[Finding, ...]:
    """Return every finding of every rank, each once with its `ranks`, and then where the ranks do not fit together."""
    failures = Raising() if failures is None else failures
    by_rank = [judge(trace, failures, strict=strict) for trace in world.traces]
    found = [f for rank, some in enumerate(by_rank) for f in _alone(rank, some)]
    with failures.during("the findings of the ranks were merged"):
        found = merged(by_rank)
    across: list[Finding] = []
    for rule in known():
        if rule.across and (strict or not rule.strict):
            with failures.during(f"the rule {rule.name} ran"):
                for finding in rule.across(world):
                    across.append(finding)  # noqa: PERF402 - as above
    with failures.during("consequences were grouped under their causes"):
        return followed(list(found), in_order(world, across))
    return (*found, *across)
