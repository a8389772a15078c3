"""A run: documents that work together, and each system's view of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..core.frozen import dataclass
from .setting import Document
from .system import System
from .systems import system
from .table import Component
from .unsaid import filled
from .view import ABSENT, View

if TYPE_CHECKING:
    from ..core.machines import Machine

_DECIDING = ("trainer", "server", "library", "engine", "launcher")
"""Order of the roles whose table is used in a run with several."""
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz")
"""The float8 dtypes, of which products need one: NVIDIA's, or AMD's of the MI300."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDocument:
    """A document, and the system that it belongs to."""

    system: System
    document: Document


@dataclass(frozen=True, kw_only=True)
class Run:
    """Documents that work together, on a machine (None: not given)."""

    claimed: tuple[ClaimedDocument, ...]
    machine: Machine | None = None
    other_documents: tuple[Document, ...] = ()
    """Documents of other runs."""

    @cached_property
    def _views(self) -> dict[str, View]:
        found: dict[str, list[Document]] = {}
        for claimed in self.claimed:
            found.setdefault(claimed.system.name, []).append(claimed.document)
        return {name: View(system(name), tuple(found[name])) for name in sorted(found)}

    def view(self, name: str) -> View:
        """Return a system's view; false and empty if the run has no document of it."""
        return self._views.get(name, ABSENT)

    def family(self, name: str) -> tuple[View, ...]:
        """Return the views of a system and of the systems based on it."""
        return tuple(view for view in self.views if name in view.system.family)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The views of all systems of the run."""
        return tuple(self._views.values())

    @cached_property
    def trainers(self) -> tuple[View, ...]:
        """The views of the trainers."""
        return tuple(view for view in self.views if view.system.role == "trainer")

    @property
    def table(self) -> tuple[Component, ...]:
        """The effective precision of each component."""
        return self._decided[1]

    @property
    def decides(self) -> System | None:
        """The system that the table belongs to."""
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
        """Check whether the machine is given and has none of some dtypes."""
        machine = self.machine
        return machine is not None and all(
            machine.support(dtype) != "native" for dtype in dtypes
        )

    def on_device(self, *kinds: str) -> bool:
        """Check whether the machine is given and its device is one of some kinds ("cpu")."""
        return self.machine is not None and self.machine.device in kinds

    def off_device(self, *kinds: str) -> bool:
        """Check whether the machine is given and its device is none of some kinds."""
        return self.machine is not None and self.machine.device not in kinds
