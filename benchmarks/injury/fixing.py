"""What `miscast fix` makes of an injured program."""

from __future__ import annotations

import ast
import importlib
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .program import Program


def fix(script: Path, machine: str) -> dict[str, Any]:
    """The changed files of a program and whether no error is left, in this process and forks of it."""
    mend = importlib.import_module("miscast.fixes.mend")  # the package's own `mend` is the function
    mend.Trials = _warm(mend.Trials)  # type: ignore[misc] # in this process alone
    job = mend.Job(target=str(script), args=(), machine=machine, strict=False, batches=2)
    done = mend.mend(job)
    errors = [finding for finding in done.after.causes if finding.severity == "error"]
    return {
        "proven": bool(done.fixed) and not errors,
        "titles": [one.fix.title for one in done.fixed],
        "files": {Path(path).name: new.decode() for path, (_, new) in done.files.items()},
        "diff": done.diff(),
        "tried": [list(one) for unfixed in done.unfixed for one in unfixed.tried],
        "trials": done.trials,
    }


def _warm(trials: type) -> type:
    """Trials whose worker is a fork of this process, which has all libraries, not a process that starts anew."""
    from miscast.fixes import worker

    class Warm(trials):  # type: ignore[misc] # the class is not known here
        def __enter__(self) -> Any:
            reads, self._answer_to = os.pipe()
            requests, writes = os.pipe()
            self._answers = reads
            self._scratch = tempfile.mkdtemp(prefix="miscast-")
            pid = os.fork()
            if pid == 0:
                os.setsid()
                os.dup2(requests, 0)
                sys.stdin = os.fdopen(0)
                for descriptor in (reads, writes):
                    os.close(descriptor)
                with suppress(BaseException):
                    worker.main(self.job, self._answer_to, self._scratch)
                os._exit(0)
            os.close(requests)
            os.close(self._answer_to)
            self._worker = _Fork(pid, writes)
            return self

    return Warm


class _Fork:
    """As much of `subprocess.Popen` as trials use."""

    def __init__(self, pid: int, writes: int) -> None:
        self.pid = pid
        self.stdin = os.fdopen(writes, "wb", buffering=0)

    def poll(self) -> int | None:
        return None

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


def same(program: Program, fixed: Mapping[str, str]) -> bool:
    """Whether the fixed files are the original ones, but for comments and spaces."""
    return all(ast.dump(ast.parse(program.files[name])) == ast.dump(ast.parse(text)) for name, text in fixed.items())
