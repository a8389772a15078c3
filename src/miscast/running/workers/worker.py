"""A process of this interpreter that works for this one, and says what it finds as JSON lines.

    worker = Worker.spawn("miscast.fixing.trials.worker", {"job": job, "scratch": folder})
    worker.send({"id": 1, "files": {}})
    worker.heard()      # [{"id": 1, "report": …}], or None when it has ended

The process calls `main(answers, **given)` of the module, which reads its requests from stdin.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from .forks import forked, kill
from .lines import LineReader, send

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1])['path']; from {0} import begin; begin()"


class Worker:
    """The process, which has a session of its own: the terminal's interrupt is for the one that started it."""

    def __init__(
        self, pid: int, requests: int, answers: int, wait: Callable[[], int]
    ) -> None:
        """Take this side's descriptors, `requests` and `answers`; `wait` returns the exit code at the end."""
        self.pid = pid
        self._requests = requests
        self._answers = LineReader(answers)
        self._wait = wait

    @classmethod
    def spawn(  # noqa: PLR0913 - all that a process is started with
        cls,
        module: str,
        given: Mapping[str, Any],
        *,
        descriptors: Sequence[int] = (),
        silent: bool = False,
        path: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Worker:
        """Start it, with these descriptors of this process; of a `silent` one nothing is seen on the terminal.

        It imports from where this process does, and before that from the folders of `path`.
        """
        theirs, requests = os.pipe()
        answers, said = os.pipe()
        paths = [*path, *sys.path]
        order = json.dumps(
            {"path": paths, "module": module, "answers": said, "given": given}
        )
        nowhere = subprocess.DEVNULL if silent else None
        process = subprocess.Popen(  # noqa: S603 - this interpreter, this package
            [sys.executable, "-c", _START.format(__name__), order],
            stdin=theirs,
            stdout=nowhere,
            stderr=nowhere,
            pass_fds=(said, *descriptors),
            start_new_session=True,
            env=None if environment is None else {**os.environ, **environment},
        )
        os.close(theirs)
        os.close(said)
        return cls(process.pid, requests, answers, process.wait)

    @classmethod
    def fork(cls, module: str, given: Mapping[str, Any]) -> Worker:
        """Start it as a fork of this process, which has imported what it needs."""
        theirs, requests = os.pipe()
        answers, said = os.pipe()

        def run() -> NoReturn:
            os.setsid()
            os.dup2(theirs, 0)
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            _serve({"module": module, "answers": said, "given": given})
            os._exit(0)

        pid = forked(run, without=(requests, answers))
        os.close(theirs)
        os.close(said)
        return cls(pid, requests, answers, lambda: os.waitpid(pid, 0)[1])

    def fileno(self) -> int:
        """Return what becomes readable when it says something, or ends."""
        return self._answers.descriptor

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request. A dead worker is only noticed when its answers are read."""
        with suppress(BrokenPipeError):
            send(self._requests, request)

    def heard(self) -> list[dict[str, Any]] | None:
        """Return what it has said, when there is something; None if it has ended."""
        return self._answers.read()

    def end(self) -> int:
        """Kill the process and all that it started. Returns its exit code."""
        kill(self.pid)
        code = self._wait()
        os.close(self._requests)
        os.close(self._answers.descriptor)
        return code


def begin() -> None:
    """Serve the order, the only argument of the new process."""
    order = json.loads(sys.argv[1])
    # of a process whose streams were closed some are missing
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # whoever it starts does not keep the other side waiting
    os.set_inheritable(order["answers"], False)
    _serve(order)


def _serve(order: Mapping[str, Any]) -> None:
    sys.argv[:] = ["miscast"]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    importlib.import_module(order["module"]).main(order["answers"], **order["given"])
