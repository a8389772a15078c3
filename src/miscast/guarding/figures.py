"""Record the figures of one step."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Of = Literal["all", "clip", "some", "scaler", ""]


@dataclass(slots=True, kw_only=True, eq=False)
class Figures:
    """A step's numbers; None where they were not taken."""

    step: int
    optimizer: int = 0
    """Index of its optimizer in the guard."""
    loss: float | None = None
    norm: float | None = None
    """The 2-norm of the gradients."""
    of: Of = ""
    """Gradients of the norm: all, the clipped ones, or the vectors. `scaler`: no norm, but all are finite."""
    scale: float | None = None
    lr: float | None = None
    seconds: float = 0.0
    skipped: str = ""
    """The part that skipped the update: "scaler", "guard"."""

    def line(self) -> dict[str, Any]:
        """Return the known figures as a line of the log."""
        return {
            name: value
            for name, value in asdict(self).items()
            if value not in (None, "") and (name, value) != ("optimizer", 0)
        }
