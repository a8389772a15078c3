"""Documents that work together, and what each system sees in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..frozen import dataclass
from .setting import Document
from .system import System
from .systems import system
from .table import Component
from .unsaid import filled
from .view import ABSENT, View

if TYPE_CHECKING:
    from ..machines import Machine

_DECIDING = ("trainer", "server", "library", "engine", "launcher")
"""Whose table holds, where a run has several: what trains knows most."""
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz")
"""What float8 products need one of: NVIDIA's, or AMD's of the MI300."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDocument:
    """A document, and the system that it belongs to."""

    system: System
    document: Document


@dataclass(frozen=True, kw_only=True)
class Run:
    """Documents that work together, on a machine (None: not said)."""

    claimed: tuple[ClaimedDocument, ...]
    machine: Machine | None = None
    beside: tuple[Document, ...] = ()
    """What was read and belongs to other runs."""

    @cached_property
    def _views(self) -> dict[str, View]:
        found: dict[str, list[Document]] = {}
        for claimed in self.claimed:
            found.setdefault(claimed.system.name, []).append(claimed.document)
        return {name: View(system(name), tuple(found[name])) for name in sorted(found)}

    def view(self, name: str) -> View:
        """What a system sees; false, and without any value, if the run has none of it."""
        return self._views.get(name, ABSENT)

    def family(self, name: str) -> tuple[View, ...]:
        """The views of a system that is there, and of those that are based on it."""
        return tuple(view for view in self.views if name in view.system.family)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The views of the systems that are there."""
        return tuple(self._views.values())

    @cached_property
    def trainers(self) -> tuple[View, ...]:
        """The views of what trains."""
        return tuple(view for view in self.views if view.system.role == "trainer")

    @property
    def table(self) -> tuple[Component, ...]:
        """The effective precision of each component."""
        return self._decided[1]

    @property
    def decides(self) -> System | None:
        """The system whose table that is."""
        return self._decided[0]

    @cached_property
    def _decided(self) -> tuple[System | None, tuple[Component, ...]]:
        tables = (
            (view.system, tuple(effective(view, self)))
            for role in _DECIDING
            for view in self.views
            if view.system.role == role and (effective := view.system.effective)
        )
        system, parts = next((found for found in tables if found[1]), (None, ()))
        return system, tuple(filled(self, part) for part in parts)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the run, in order."""
        return tuple(dict.fromkeys(claimed.document.file for claimed in self.claimed))

    def lacks(self, *dtypes: str) -> bool:
        """Whether the run's machine is said, and has none of some dtypes."""
        machine = self.machine
        return machine is not None and all(
            machine.support(dtype) != "native" for dtype in dtypes
        )

    def on_device(self, *kinds: str) -> bool:
        """Whether the run's machine is said, and of one of some kinds ("cpu")."""
        return self.machine is not None and self.machine.device in kinds

    def off_device(self, *kinds: str) -> bool:
        """Whether the run's machine is said, and of none of some kinds."""
        return self.machine is not None and self.machine.device not in kinds
