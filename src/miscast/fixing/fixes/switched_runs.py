"""Check fixes under the program's other precision switches, and whether a switch itself is the fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.finding import Finding
from ...report import Report
from ...running.launching.options import options
from ...running.launching.switches import others, told
from ..trials.outcome import Outcome
from ..trials.trials import Trial, Trials
from .verdict import Lines, seen


@dataclass(frozen=True, slots=True)
class SwitchedRun:
    """Other arguments of the program, and what it shows with them as it is."""

    args: tuple[str, ...]
    before: Outcome

    @property
    def works(self) -> bool:
        """True if it runs to its end without findings."""
        report = self.before.report
        return report is not None and report.ended is None and not report.findings


class SwitchedRuns:
    """The runs of a script under its other switches."""

    def __init__(self, trials: Trials, *, run: bool) -> None:
        """Start without runs. If not `run`, none are made."""
        self._trials, self._runs = trials, run
        self._given = tuple(trials.job.args)
        self._wanted = others(options(trials.job.target), self._given)
        self._known: tuple[SwitchedRun, ...] | None = None

    def all(self) -> tuple[SwitchedRun, ...]:
        """Run each once, without changes."""
        if self._known is None:
            wanted = self._wanted if self._runs else ()
            self._known = tuple(
                SwitchedRun(args, self._run(args, {})) for args in wanted
            )
        return self._known

    @property
    def names(self) -> tuple[str, ...]:
        """The command-line arguments of each."""
        return tuple(told(args) for args in self._wanted)

    def working(self) -> tuple[str, ...]:
        """Return the arguments of runs without findings."""
        return tuple(told(run.args) for run in self.all() if run.works)

    def broken(self, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> str:
        """Return how the first run that these files worsen is worse: "with --bf16: then …"; "" if none."""
        for run in self.all():
            report = run.before.report
            if report is None or report.failed is not None:
                continue
            after = self._run(run.args, new)
            shown = seen(report, after, Lines.between(old, new))
            fresh = [f"then {f.message}" for f in shown.fresh if _is_new(f, report)]
            ended = after.failed if after.report is None else after.report.ended
            if fresh or (ended and ended != report.ended):
                return f"with {told(run.args)}: {(*fresh, ended)[0]}"
        return ""

    def _run(self, args: Sequence[str], files: Mapping[str, bytes]) -> Outcome:
        return self._trials.run(
            Trial(None, files, job=replace(self._trials.job, args=tuple(args)))
        )


def _is_new(fresh: Finding, before: Report) -> bool:
    """Check for an error, or a warning not given elsewhere before: with bfloat16 on a V100 each line is slow."""
    known = {(one.rule, one.message) for one in before.findings}
    return fresh.severity == "error" or (fresh.rule, fresh.message) not in known
