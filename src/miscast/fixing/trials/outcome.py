"""The outcome of one trial: its report, and what its process sent about the places of findings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import convert

from ...core.event import Effect, Numbers, Scene, Scopes
from ...core.finding import Finding
from ...report import Report
from ...report.reading import loads


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one trial. `modules` are the libraries that the program imported.

    `scopes` say for each finding what the names of its frames stood for: (file, function) → name → what, in the words
    of `provenance.frame_variables`.
    `at` says for each how many ops had run before it, if a call showed it. `stopped`: the run was ended at the first
    finding that was not expected, which is the report's only one; `passed`: after as many ops as were asked for.
    `before` are the numbers of each finding's operands, where they are known; `numbers` those of the calls
    at the place of a trial. `fitted` is what the run of a candidate showed.
    """

    report: Report | None = None
    failed: str = ""
    seconds: float = 0.0
    modules: tuple[str, ...] = ()
    scopes: tuple[Scopes, ...] = ()
    at: tuple[int | None, ...] = ()
    stopped: bool = False
    passed: bool = False
    before: tuple[Mapping[str, Numbers], ...] = ()
    numbers: Mapping[str, Sequence[Numbers]] = field(default_factory=dict)
    fitted: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        report: Report | None,
        scenes: Sequence[Scene],
        seconds: float,
        modules: Sequence[str] = (),
    ) -> Outcome:
        """Return the outcome of a run to its end, with the scenes of its findings."""
        by_place = {(scene.op, scene.file, scene.line): scene for scene in scenes}
        findings = report.findings if report is not None else ()
        unknown = Scene(op="", file="", line=0, ops=None)
        there = [by_place.get(place_of(finding), unknown) for finding in findings]
        return cls(
            report=report,
            seconds=seconds,
            modules=tuple(modules),
            scopes=tuple(scene.scopes for scene in there),
            at=tuple(
                None if _is_forced(finding) else scene.ops
                for finding, scene in zip(findings, there, strict=True)
            ),
            before=tuple(scene.numbers for scene in there),
        )

    def by_place(self) -> dict[tuple[str, str, int], Mapping[str, Numbers]]:
        """Return the numbers of each finding's operands, by its op, file and line."""
        findings = self.report.findings if self.report is not None else ()
        return dict(zip(map(place_of, findings), self.before, strict=True))


def _is_forced(finding: Finding) -> bool:
    """Check whether a finding is on an explored branch, which runs only after the run's end."""
    return any("explored" in place.label for place in finding.related)


def place_of(finding: Finding) -> tuple[str, str, int]:
    """Return the op, file and line by which runs of a program are compared."""
    return finding.op, finding.location.file, finding.location.line


def outcome_of(said: Mapping[str, Any]) -> Outcome:
    """Return what a trial's process has answered."""
    scenes = tuple(convert(scene, Scene) for scene in said.get("scenes", ()))
    return dataclasses.replace(
        Outcome.of(
            _report(said) if "report" in said else None,
            scenes,
            said["seconds"],
            said.get("modules", ()),
        ),
        failed=said.get("failed", ""),
        fitted=said.get("fitted", {}),
        stopped="stopped" in said,
        passed="passed" in said,
        numbers={
            name: [convert(one, Numbers) for one in some]
            for name, some in said.get("numbers", {}).items()
        },
    )


def _report(said: Mapping[str, Any]) -> Report:
    """Return what was found, with what the box kept in."""
    report = loads(said["report"])
    kept = tuple(Effect(kind=kind, what=what) for kind, what in said.get("effects", ()))
    return dataclasses.replace(report, effects=(*kept, *report.effects))
