"""A command's report: the findings, other sections, and what was not checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from ..core.event import Assumption, Block, Effect, Memory, Precision, Stage
from ..core.finding import Finding
from ..core.frozen import dataclass, field
from ..core.meeting import Met
from .invocation import Invocation
from .section import Section

Command = Literal[
    "check", "lint", "fix", "explain", "shadow", "matrix", "flight", "plan"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The findings of a command, and what the command could not check.

    It is the sequence of its findings, and false if there are none. `print(report)` shows it as text, a notebook shows
    it as HTML.

    Attributes:
        machine: The machine, such as "4xv100".
        torch: The version of torch.
        machine_reason: Why this machine was chosen, if none was named.
        findings: The findings, in the order in which the run met them.
        result: What the callable returned, each tensor as a `TensorMeta`. None for a program.
        contracts: What the verdicts rest on: "measured on cpu, torch 2.13.0", or "declared" if no such machine was
            measured.
        unchecked: How many calls each op without a dtype rule had.
        assumed: The placeholders for values that the program read from tensors without data.
        notes: What else was not checked, one line each.
        ended: Why the program did not finish, in one line.
        failed: How Miscast itself failed, in one line.
        traceback: The full traceback of either.
        ops: How many calls of ops were checked.
        memory: The peak of each device's memory, by purpose.
        effects: Writes, deletions, network access and processes that the sandbox kept from happening.
        precision: The effective precision of each model.
        stages: The modules as they ran.
        reach: The branches that the run did not execute by itself.
        ranks: How many ranks ran.
        matched: How many collectives of the ranks match.
        met: Where they match.
        command: The command that made the report.
        sections: What this command reports besides findings.
    """

    machine: str
    torch: str
    machine_reason: str = ""
    findings: tuple[Finding, ...] = ()
    result: Any = None
    contracts: str = ""
    unchecked: Mapping[str, int] = field(default_factory=dict)
    assumed: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    ended: str | None = None
    failed: str | None = None
    traceback: str = ""
    ops: int = 0
    memory: tuple[Memory, ...] = ()
    effects: tuple[Effect, ...] = ()
    precision: tuple[Precision, ...] = ()
    stages: tuple[Stage, ...] = ()
    reach: tuple[Block, ...] = ()
    ranks: int = 0
    matched: int = 0
    met: tuple[Met, ...] = ()
    command: Command = "check"
    sections: tuple[Section, ...] = ()
    invocation: Invocation | None = None
    """The command line that is writing the report; None where Python code asked for it."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The findings that are not consequences of others."""
        return tuple(
            finding for finding in self.findings if finding.consequence_of is None
        )

    def to_json(self) -> str:
        """Return the report as JSON (docs/report.schema.json)."""
        from . import json, plain

        return self._written(json.render, plain.as_json)

    def __str__(self) -> str:
        from . import plain, text

        return self._written(text.render, plain.as_text)

    def _written(
        self, render: Callable[[Report], str], plainly: Callable[[Report], str]
    ) -> str:
        from .plain import failing

        try:
            return render(self)
        except Exception as error:  # noqa: BLE001 - Miscast's own; the findings are told all the same
            return plainly(failing(self, error))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))  # IPython in a terminal

    def _repr_html_(self) -> str:
        from html import escape

        from . import plain
        from .html import fragment

        return self._written(
            fragment, lambda told: f"<pre>{escape(plain.as_text(told))}</pre>"
        )
