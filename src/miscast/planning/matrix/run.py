"""Runs a matrix: what is impossible is told, what is known is not run again, the rest is spread over workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from ...fixing.trials.job import Job
from ...report import Report
from ...report.reading import loads
from .backend import spread
from .cell import Cell
from .changed_file import contents
from .impossible import impossible
from .outcome import Outcome, folded
from .specification import Specification
from .store import Store, identity
from .table import Table
from .task import Result, Task

_DECIDE = ("batches", "strict", "reach", "numerics", "assume", "edit")
LeftOut = Callable[[Cell, "Sequence[str] | None"], bool]
"""A check whether a combination can be skipped, given the files its last run read, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of `miscast check` for every combination, and how they are run.

    `limit`: seconds for one. `fresh`: whatever is known of one, it is run.
    """

    batches: int = 2
    strict: bool = False
    reach: float = 0.0
    numerics: bool = False
    assume: tuple[str, ...] = ()
    edit: tuple[str, ...] = ()
    limit: float = 600.0
    backend: str = "loky"
    jobs: int = 0
    fresh: bool = False


@dataclass(slots=True)
class Running:
    """A matrix at work. `progress` says how far it is, from any thread."""

    spec: Specification
    options: Options
    store: Store
    cells: tuple[Cell, ...] = ()
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    left_out: int = 0
    interrupted: bool = False
    _modules: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cells = self.spec.cells()

    def progress(self) -> str:
        """Return how many cells are done."""
        return f"{len(self.outcomes)} of {len(self.cells)} combinations"

    def run(self, unconcerned: LeftOut) -> None:
        """Run all combinations except impossible, known and `unconcerned` ones."""
        tasks, identities = [], {}
        for number, cell in enumerate(self.cells):
            written = contents(cell.changes)
            refused = impossible(self.spec.target, self.spec.args, cell, written)
            if refused:
                self.outcomes[number] = Outcome(cell=cell, impossible=refused)
                continue
            identities[number] = self._identity(cell)
            known = self.store.known(identities[number])
            if known is not None and not self.options.fresh:
                self._done(number, known, known=True)
            elif unconcerned(cell, self.store.files(identities[number])):
                self.left_out += 1
            else:
                tasks.append(self._task(number, cell, written))
        # one machine after the other: a worker keeps a process for one
        tasks.sort(key=lambda task: task.process)
        found = spread(
            tasks,
            backend=self.options.backend,
            jobs=self.options.jobs,
            at=self._informed,
        )
        for number, result in found:
            self._done(number, result, known=False)
            if result.report:
                self.store.keep(identities[number], result)

    def report(self, notes: Sequence[str] = ()) -> Report:
        """Return a report on the results so far."""
        outcomes = tuple(
            self.outcomes.get(number, Outcome(cell=cell))
            for number, cell in enumerate(self.cells)
        )
        found = folded(outcomes, self.spec.axes)
        surprises = tuple(
            outcome.surprising(self.spec.expect) if number in self.outcomes else ""
            for number, outcome in enumerate(outcomes)
        )
        reports = [one.report for one in outcomes if one.report is not None]
        unseen = [*filter(lambda one: one.unseen, outcomes)]
        causes = [
            n for n, one in enumerate(found.findings) if one.consequence_of is None
        ]
        table = Table(
            target=self.spec.target,
            axes=self.spec.axes,
            outcomes=outcomes,
            findings=found.of,
            surprises=surprises,
            causes=tuple(causes),
        )
        return Report(
            command="matrix",
            machine=", ".join(dict.fromkeys(cell.machine for cell in self.cells)),
            torch=reports[0].torch if reports else "",
            findings=found.findings,
            sections=(table,),
            notes=tuple(notes),
            ended=_counted(unseen, len(outcomes)),
            ops=sum(map(attrgetter("ops"), reports)),
        )

    @property
    def surprised(self) -> bool:
        """True if a cell is not what was expected."""
        return any(
            outcome.surprising(self.spec.expect) for outcome in self.outcomes.values()
        )

    def _done(self, number: int, result: Result, *, known: bool) -> None:
        self._modules.update(dict.fromkeys(result.modules))
        self.outcomes[number] = Outcome(
            cell=self.cells[number],
            report=loads(result.report) if result.report else None,
            failed=result.failed,
            said=result.said,
            seconds=result.seconds,
            known=known,
        )

    def _identity(self, cell: Cell) -> str:
        return identity(self.spec.target, self.spec.args, cell, self._decides())

    def _decides(self) -> dict[str, Any]:
        """Return the options that decide what a run finds."""
        return {name: getattr(self.options, name) for name in _DECIDE}

    def _task(self, number: int, cell: Cell, written: dict[str, bytes]) -> Task:
        job = Job(
            **self._decides(),
            target=self.spec.target,
            args=(*self.spec.args, *cell.arguments),
            machine=cell.machine,
            ranks=cell.ranks,
            environment=cell.environment,
        )
        return Task(
            number=number,
            job=job,
            written=written,
            folder=os.getcwd(),
            limit=self.options.limit,
        )

    def _informed(self, task: Task) -> Task:
        """Return the task with the program's libraries that earlier combinations have imported."""
        return replace(task, modules=tuple(self._modules))


def _counted(unseen: Sequence[Outcome], every: int) -> str | None:
    if not unseen:
        return None
    return f"{len(unseen)} of {every} combinations did not finish: {unseen[0].unseen}"
