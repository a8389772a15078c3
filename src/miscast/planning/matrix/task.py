"""Requests to a worker, and its answers: plain values, for they travel between machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from ...fixing.trials.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One cell's run: a `miscast check` of the program with the job's options, in this folder.

    `written` are files that the program finds with other contents. `modules` are libraries that it is known to import;
    `limit` is in seconds.
    """

    number: int
    job: Job
    written: Mapping[str, bytes] = field(default_factory=dict)
    folder: str = "."
    limit: float = 600.0
    modules: tuple[str, ...] = ()

    @property
    def process(self) -> tuple[object, ...]:
        """The machine, environment and folder of the run: a worker keeps a process for one of these."""
        environment = sorted(self.job.environment.items())
        return self.job.machine, tuple(environment), self.folder


class Result(Struct, kw_only=True, frozen=True):
    """The result: a report as JSON, or the reason for none, with the end of the program's output.

    `read` are the files that the run read, `modules` the libraries that it imported; `seconds` it took.
    """

    report: str = ""
    failed: str = ""
    said: str = ""
    seconds: float = 0.0
    read: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
