"""What `miscast fix` makes of an injured program."""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from .program import Program


def fix(script: Path, machine: str) -> dict[str, Any]:
    """The changed files of a program and whether no error is left, in this process and forks of it."""
    mend = importlib.import_module("miscast.fixing.fixes.mend")  # the package's own `mend` is the function
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
    from miscast.fixing.trials import worker
    from miscast.running.workers.forks import forked
    from miscast.running.workers.worker import Worker

    class Warm(trials):  # type: ignore[misc] # the class is not known here
        def _spawned(self, order: dict[str, Any]) -> Worker:
            theirs, requests = os.pipe()
            answers, said = os.pipe()

            def serve() -> NoReturn:
                os.setsid()
                os.dup2(theirs, 0)
                sys.stdin = os.fdopen(0)
                worker.main(said, **order)
                os._exit(0)

            pid = forked(serve, without=(requests, answers))
            os.close(theirs)
            os.close(said)
            return Worker(pid, requests, answers, lambda: os.waitpid(pid, 0)[1])

    return Warm


def same(program: Program, fixed: Mapping[str, str]) -> bool:
    """Whether the fixed files are the original ones, but for comments and spaces."""
    return all(ast.dump(ast.parse(program.files[name])) == ast.dump(ast.parse(text)) for name, text in fixed.items())
