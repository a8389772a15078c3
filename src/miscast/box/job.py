"""The job that a sandbox runs, and what the sandbox lets through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..core.event import SAMPLES

if TYPE_CHECKING:
    from .network import Mode

Writes = Literal["box", "real"]
NET = 120.0, 10.0
"""Seconds, and for each second of the first run, after which no further run begins, however slow the machine is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One check: the program, the machine, and its limits.

    `target`, `args`, `machine`, `batches` and `ranks` are those of `miscast check`. `writes`: whether files change in a
    layer, or really. `network`: "hub" lets only a model hub's own library read, "open" everything, "offline" nothing.
    `time_limit` is in seconds; None for none. `keep` is a folder for what the layer holds at the end. `watched`:
    whether somebody looks, and wants to know the module at work; `piped`: no bar marks what the program prints;
    `scenes`: fixes will be tried. Files in `edit` are taken for the user's own. `reach`: how often the time of the run
    may be taken, with what it left forced, and so many `samples` of a data set are looked at for other dtypes. `steps`:
    with "all" loops are run whole, also where their rounds repeat. `also` are other arguments, with each of which the
    program is run once more, from a process that is warm. `numerics`: numbers are followed, and what torch loses of
    them is told; `assume`: as "pixels=-1:1", what they hold. `turned`: the lines of
    `Trace.undecided` that get the opposite. `read`: a descriptor that gets the paths that the program reads, or -1.
    """

    target: str
    args: Sequence[str] = ()
    machine: str = "cpu"
    batches: int = 2
    ranks: int = 0
    writes: Writes = "box"
    network: Mode = "hub"
    time_limit: float | None = None
    keep: str | None = None
    piped: bool = False
    watched: bool = False
    scenes: bool = False
    edit: Sequence[str] = ()
    reach: float = 0.0
    samples: int = SAMPLES
    steps: str = "few"
    also: Sequence[Sequence[str]] = ()
    numerics: bool = False
    assume: Sequence[str] = ()
    turned: Sequence[str] = ()
    read: int = -1
