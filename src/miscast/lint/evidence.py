"""Evidence for a cell of the table of effective precision: a measured training run, or only the library's source.

    of(run).cell("unet", "compute", cell)   "measured", "declared", or "none" where the value is unknown
    of(run).summary                         "from TRL 1.16.0's source; not measured with optim: lion"

A cell is "measured" if a training run of this system, on such a machine and with the same other systems, had all of
the run's settings with a choice of values, and the same setting or reason gave this cell the same value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from ..core.frozen import dataclass
from . import measured
from .measured import Measured, decider, is_choice, owned, spelled
from .setting import Unknown

if TYPE_CHECKING:
    from .run import Run
    from .system import Setting
    from .table import Cell

Kind = Literal["measured", "declared", "none"]
MARK = "*"
_ROLES = ("trainer", "server", "engine", "launcher")
_MOST = 2
"""Maximum of listed settings without a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence for one run; `lacking` are its settings that no measured run had, as text."""

    run: Run
    measured: Measured | None
    lacking: tuple[str, ...] = ()

    def cell(self, component: str, respect: str, cell: Cell) -> Kind:
        """Return the kind of evidence for a cell."""
        if cell.value == "unknown":
            return "none"
        if self.measured is None or self.lacking:
            return "declared"
        seen = self.measured.cells.get(component, {}).get(decider(self.run, cell), {})
        return "measured" if respect in seen.get(cell.value, ()) else "declared"

    def mark(self, component: str, respect: str, cell: Cell) -> str:
        """Return the mark of a cell that is not measured, in a table with measured cells."""
        if self.measured is None or self.lacking:
            return ""
        return MARK if self.cell(component, respect, cell) == "declared" else ""

    @property
    def summary(self) -> str:
        """The evidence for the table, in one line."""
        system = self.run.decides
        if system is None:
            return ""
        if self.measured is not None and not self.lacking:
            return f"measured on {'; '.join(self.measured.versions)}"
        if self.measured is None:
            return f"from {system.title} {system.version}'s source; not measured"
        more = ", …" if len(self.lacking) > _MOST else ""
        without = ", ".join(self.lacking[:_MOST]) + more
        return f"from {system.title} {system.version}'s source; not measured with {without}"


def of(run: Run) -> Evidence:
    """Return the evidence for a run's table."""
    found = measured.of(run.decides.name) if run.decides else None
    lacking = () if found is None else tuple(_lacking(run, found))
    return Evidence(run=run, measured=found, lacking=lacking)


def _lacking(run: Run, found: Measured) -> Iterator[str]:
    if run.machine is not None and run.machine.device not in found.devices:
        yield run.machine.device
    yield from (name for name in companions(run) if name not in found.beside)
    yield from (name for name in programs(run) if name not in found.programs)
    for name, setting in sorted(chosen(run), key=_place):
        if spelled(setting) not in found.settings.get(name, ()):
            yield f"{setting.name}: {setting.entry.text}".removesuffix(": ")


def _place(one: tuple[str, Setting]) -> tuple[str, int, int]:
    at = one[1].entry.at
    return at.file, at.line, at.column


def companions(run: Run) -> Iterator[str]:
    """Yield the other systems that decide precision in a run."""
    for view in run.views:
        if view.system is not run.decides and view.system.role in _ROLES:
            yield view.system.name


def programs(run: Run) -> Iterator[str]:
    """Yield the programs of a run, if the system's programs differ."""
    system = run.decides
    if system is None or not system.program_decides:
        return
    for document in run.view(system.name).documents:
        if document.origin != "file":
            tail = document.name.rpartition("/")[2].rpartition(".")
            yield tail[0] if tail[2] == "py" else tail[2]


def chosen(run: Run) -> Iterator[tuple[str, Setting]]:
    """Yield the settings with a choice of values and no default value, each with its key."""
    for view in run.views:
        for settings in view.settings.values():
            winner = settings[0]
            if (
                is_choice(winner.key)
                and not isinstance(winner.value, Unknown)
                and winner.value not in (winner.key.default, None)
            ):
                yield owned(run, winner), winner
