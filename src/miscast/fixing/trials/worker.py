"""The process that tries changes: it has torch and the program's libraries, and each trial is a fork of it.

A `ForkServer`: its requests and answers are JSON lines.

    {"warm": ["torch", "diffusers", …]}                        imports them; no answer
    {"id": 3, "files": {"train.py": "…"}, "limit": 30.0}       checks the program with these files' texts (latin-1)
    {"id": 4, "job": {"target": "other.py", …}, …}             another program than the one that it was started for
    {"end": 3}                                                 ends that one, which then has failed
    {"id": 3, "report": "{…}", "scenes": [{…}, …], "seconds": 0.4}   or {"id": 3, "failed": "no end within 30 s"}

with "effects", the kinds and paths of what it would have changed.

With "place", [op, file, first line, last line], the answer has the "numbers" that this op is given there.
With "expected" in a request, [[op, about, file, first line, last line], …], the run ends at the first finding that is
none of them: a change that does not help costs the time to where that shows. With "until" it ends after so many ops. At
most `SIDE_BY_SIDE` trials run at once; no fork outlives this process's stdin.
"""

from __future__ import annotations

import importlib
import shutil
from functools import partial
from typing import Any, NoReturn

from msgspec import convert

from ...running.program.loading import shared
from ...running.workers.fork_server import ForkServer
from ...running.workers.forks import silenced
from .fork import run_trial
from .job import Job

SIDE_BY_SIDE = 2
_OF_A_TRIAL = (
    ".watched", "...box.furnished", "...running.program.source_overlay", "...vm.reach.run", "...report.json",
)  # fmt: skip
"""Modules that each needs."""


def main(answers: int, job: dict[str, Any], scratch: str, given: int = -1) -> None:
    """Serve requests until stdin ends. `scratch` is a folder for the boxes of trials, which is removed at the end.

    `given` is the standard input of every trial; -1: there is none.
    """
    shared()
    importlib.import_module("...box.within", __package__).prepared()
    usual = convert(job, Job)
    run = partial(_try, usual, given, scratch)
    ends = {"report", "cannot", "failed", "fitted"}
    try:
        ForkServer(
            answers, run, partial(_warm, usual), completes=ends, width=SIDE_BY_SIDE
        ).serve()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _try(
    job: Job, given: int, scratch: str, request: dict[str, Any], answer: int
) -> NoReturn:
    run_trial(_asked(job, request), {**request, "input": given}, answer, scratch)


def _asked(job: Job, request: dict[str, Any]) -> Job:
    return convert(request["job"], Job) if "job" in request else job


def _warm(job: Job, request: dict[str, Any]) -> None:
    from ...box.kernel import KernelBox
    from ...core import machines
    from ...report.judged import judged
    from ...running.program.warm_process import heated

    with silenced(1, 2):
        on = machines.find(_asked(job, request).machine)
        judged(heated(on, request["warm"], KernelBox(), KernelBox()))
        for name in _OF_A_TRIAL:
            importlib.import_module(name, __package__)
