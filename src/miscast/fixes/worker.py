"""The process that tries changes: it has torch and the program's libraries, and each trial is a fork of it.

It reads one JSON line per request from stdin and answers each with one on the descriptor that it was started with:

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
import json
import os
import select
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ..launching.entry import CannotRunError
from ..program.loading import loaded
from .fork import run_trial, silence
from .job import Job

SIDE_BY_SIDE = 2
_CHUNK = 1 << 16


@dataclass(slots=True)
class _Trial:
    pid: int
    number: int
    stream: int
    begin: float
    limit: float
    said: list[bytes] = field(default_factory=list)


def main(job: Job, answers: int, scratch: str, given: int = -1) -> None:
    """Serve requests until stdin ends. `scratch` is a folder for the boxes of trials, which is removed at the end.

    `given` is the standard input of every trial; -1: there is none.
    """
    with suppress(CannotRunError):  # the first run tells that torch is missing
        loaded()
    importlib.import_module("..box.within", __package__).prepared()
    requests, rest = sys.stdin.fileno(), b""
    waiting: deque[dict[str, Any]] = deque()
    running: dict[int, _Trial] = {}
    try:
        while True:
            while waiting and (len(running) < SIDE_BY_SIDE and ("warm" not in waiting[0] or not running)):
                request = waiting.popleft()
                asked = Job(**request["job"]) if "job" in request else job
                if "warm" in request:
                    _warm(asked, request["warm"])
                else:
                    trial = _begin(asked, {**request, "input": given}, answers, scratch)
                    running[trial.stream] = trial
            ready, _, _ = select.select([requests, *running], [], [], 0.1 if running else None)
            for stream in ready:
                if stream != requests and stream not in running:  # ended a moment ago
                    continue
                data = os.read(stream, _CHUNK)
                if stream != requests and data:
                    running[stream].said.append(data)
                elif stream != requests:
                    _answer(answers, running.pop(stream))
                elif data:
                    *lines, rest = (rest + data).split(b"\n")
                    for request in map(json.loads, lines):
                        if "end" in request:
                            _ended(answers, running, request["end"])
                        else:
                            waiting.append(request)
                else:
                    return
            for trial in list(running.values()):
                if time.monotonic() - trial.begin > trial.limit:
                    _answer(answers, running.pop(trial.stream), f"no end within {trial.limit:.0f} s")
    finally:
        for trial in running.values():
            os.kill(trial.pid, signal.SIGKILL)
            os.waitpid(trial.pid, 0)
        shutil.rmtree(scratch, ignore_errors=True)


def _warm(job: Job, names: Sequence[str]) -> None:
    from .. import machines
    from ..box.kernel import KernelBox
    from ..program.warm_process import warmed

    quiet = os.dup(1), os.dup(2)
    silence(1, 2)
    warmed(machines.find(job.machine), names, KernelBox())
    for own, copy in zip((1, 2), quiet, strict=True):
        os.dup2(copy, own)
        os.close(copy)


def _begin(job: Job, request: dict[str, Any], answers: int, scratch: str) -> _Trial:
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        os.close(answers)
        run_trial(job, request, writes, scratch)
    os.close(writes)
    return _Trial(pid, request["id"], reads, time.monotonic(), request["limit"])


def _answer(answers: int, trial: _Trial, failed: str = "") -> None:
    if failed:
        os.kill(trial.pid, signal.SIGKILL)
    os.close(trial.stream)
    _, status = os.waitpid(trial.pid, 0)
    try:
        said = {} if failed else dict(chain(*(json.loads(line).items() for line in b"".join(trial.said).splitlines())))
    except ValueError:
        said = {}
    if not failed and not said.keys() & {"report", "cannot", "failed"}:
        failed = f"the run died ({_how(status)})"
    line = {"id": trial.number, "seconds": time.monotonic() - trial.begin, **said}
    if failed:
        line["failed"] = failed
    data = json.dumps(line).encode() + b"\n"
    while data:
        data = data[os.write(answers, data) :]


def _ended(answers: int, running: dict[int, _Trial], number: int) -> None:
    """End a trial, if it is still at work."""
    for trial in list(running.values()):
        if trial.number == number:
            _answer(answers, running.pop(trial.stream), "ended")


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def _start() -> None:
    """As `python -c` runs it: the job, the descriptor for answers and `sys.path` are the only argument."""
    order = json.loads(sys.argv[1])
    for descriptor in (0, 1, 2):  # of a process whose streams were closed some are missing
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.path[:] = order["path"]
    sys.argv[:] = ["miscast"]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's interrupt is for the process that asked
    main(Job(**order["job"]), order["answers"], order["scratch"], order["input"])
