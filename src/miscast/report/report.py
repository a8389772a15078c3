"""What a command has to say: the findings, other sections, and what could not be vouched for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from ..event import Assumption, Block, Effect, Memory, Precision, Stage
from ..finding import Finding
from ..frozen import dataclass, field
from ..meeting import Met
from .invocation import Invocation
from .section import Section

Command = Literal[
    "check", "lint", "fix", "explain", "shadow", "matrix", "flight", "plan"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of `check`. `print(report)` shows it as text, a notebook as HTML, `to_json()` as schema 1.

    It is the sequence of its findings: false where there are none.

    `machine_reason` says why it was this machine, where nobody named one. `result` is what the callable returned, its
    tensors as `TensorMeta` (None for a script). `contracts` says what the verdicts rest on: "measured on cpu, torch
    2.13.0", or "declared" where no such machine was measured. `unchecked` counts calls of ops that no contract covers,
    `assumed` are values that the program asked of tensors without data, `notes` say what else the run cannot vouch for,
    `ended` is one line if the program did not run to its end, `failed` one if Miscast itself did not do its work,
    `traceback` the whole of either (JSON has only the lines). `ops` counts all calls that were watched. `memory` is the
    peak of each device, and what it was for. `effects` are what the program would have done to files, processes and the
    network. `precision` is the table of effective precision as it was seen, `stages` are the modules as they ran,
    `reach` is what of the program's own the run left. Of `check --ranks`, `ranks` says how many ran, `matched` how many
    of their collectives fit together, and `met` where.

    The other commands report the same way: `command` says which one it was, `sections` what it has to tell besides.
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
        """The report as JSON, schema 1."""
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
