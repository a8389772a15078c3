"""What is run in every trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..event import SAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The target and options of `miscast check`; `edit` are paths taken for the user's own."""

    target: str
    args: Sequence[str]
    machine: str
    strict: bool
    batches: int
    edit: Sequence[str] = ()
    ranks: int = 0
    reach: float = 0.0
    samples: int = SAMPLES
