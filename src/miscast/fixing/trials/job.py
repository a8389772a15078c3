"""The job that every trial runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...core.event import SAMPLES
from ...planning.fitting.candidate import RealFit, VirtualFit


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The target and options of `miscast check`; `edit` are paths taken for the user's own.

    `environment` has the variables that are other ones. `fitted` is a candidate of `miscast plan` that is put on the
    program, of a launcher's on its first rank; with `measured` it is really run with one.
    """

    target: str
    args: Sequence[str]
    machine: str
    strict: bool
    batches: int
    edit: Sequence[str] = ()
    ranks: int = 0
    reach: float = 0.0
    samples: int = SAMPLES
    steps: str = "few"
    numerics: bool = False
    assume: Sequence[str] = ()
    turned: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    fitted: VirtualFit | None = None
    measured: RealFit | None = None
