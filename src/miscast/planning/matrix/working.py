"""Run a worker's combinations one by one, each in a fork of a process that has imported the libraries.

Such a process is kept from cell to cell, and made anew where the machine or the environment is another: what libraries
ask at their import is then answered as there.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache

from ...fixing.trials.outcome import Outcome
from ...fixing.trials.trials import Trial, Trials
from ...running.launching.entry import CannotRunError
from ...running.program.files_read import names
from .task import Result, Task

_SAID = 2_000  # bytes of what a program printed last
_LOOKS = 1.0  # seconds


@dataclass(slots=True)
class _Process:
    """The one that this worker keeps, and for which tasks."""

    stack: ExitStack
    kind: tuple[object, ...]
    trials: Trials
    modules: set[str] = field(default_factory=set)


_kept: list[_Process] = []
_MODULES: dict[str, None] = {}
"""Modules that the program imported in any combination of this worker."""


def ran(task: Task) -> tuple[int, Result]:
    """Return the task's number, and what came of it; nothing is raised but what ends the worker."""
    _watched()
    with tempfile.TemporaryDirectory(prefix="miscast-") as scratch:
        said, read = os.path.join(scratch, "said"), os.path.join(scratch, "read")
        for path in (said, read):
            with open(path, "wb"):
                pass
        try:
            outcome = _checked(task, said, read)
        except CannotRunError as error:
            ended()
            return task.number, Result(failed=str(error), said=_end_of(said))
        except OSError as error:
            ended()
            return task.number, Result(failed=f"{type(error).__name__}: {error}")
        _MODULES.update(dict.fromkeys(outcome.modules))
        report = outcome.report
        return task.number, Result(
            report="" if report is None else report.to_json(),
            failed=outcome.failed,
            said="" if report is not None else _end_of(said),
            seconds=outcome.seconds,
            read=tuple(sorted(names(read))),
            modules=outcome.modules,
        )


@cache
def _watched() -> None:
    """End a worker when the matrix is killed; nobody would read its results, and it would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid:
        threading.Thread(target=_ends_with, args=[parent.pid], daemon=True).start()


def _ends_with(process: int) -> None:
    with suppress(PermissionError):  # another's, so that nothing can be known of it
        while True:
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                os._exit(1)
            time.sleep(_LOOKS)


def _checked(task: Task, said: str, read: str) -> Outcome:
    os.chdir(task.folder)
    _MODULES.update(dict.fromkeys(task.modules))
    process = _process(task)
    process.trials.limit = task.limit
    if _MODULES and not process.modules.issuperset(_MODULES):
        process.trials.warm(tuple(_MODULES))
        process.modules.update(_MODULES)
    trial = Trial(None, {}, job=task.job, written=task.written, said=said, read=read)
    return process.trials.run(trial)


def _process(task: Task) -> _Process:
    if not _kept or _kept[0].kind != task.process:
        ended()
        stack = ExitStack()
        trials = stack.enter_context(Trials(task.job))
        _kept.append(_Process(stack, task.process, trials))
    return _kept[0]


@atexit.register
def ended() -> None:
    """End the process that is kept."""
    while _kept:
        _kept.pop().stack.close()


def _end_of(path: str) -> str:
    with suppress(OSError), open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(file.tell() - _SAID, 0))
        return file.read().decode(errors="replace").strip()
    return ""
