"""One check with a given `--reach`, as data: called, or as a program of its own in another environment.

    python -m reaching.checked SCRIPT MACHINE REACH LOG OUT ARGUMENT…          LOG may be empty
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from .suites import written_down


def checked(script: Path, args: Sequence[str], machine: str, reach: float, log: Path | None) -> dict[str, Any]:
    """What is found, what is told of the blocks that were left, and the seconds; into `log` the suites that began."""
    from miscast.box.python import python_box
    from miscast.core import machines
    from miscast.report.judged import judged
    from miscast.running.program.run import run_program

    begin = _seconds()
    begun = time.monotonic()
    with python_box(files=True, network="offline") as box, written_down(log) if log else nullcontext():
        trace = run_program(str(script), tuple(args), machines.find(machine), box=box, reach=reach)
    report = judged(trace)
    return {
        "cpu": _seconds() - begin,
        "wall": time.monotonic() - begun,
        "found": [f"{f.location.file}:{f.location.line} {f.message}" for f in report.findings],
        "ended": report.ended or report.failed or "",
        "blocks": [
            {"file": b.file, "first": b.first, "last": b.last, "forced": b.forced, "ended": b.ended, "why": b.why,
             "condition": b.condition, "does": b.does}
            for b in report.reach
        ],
    }  # fmt: skip


def _seconds() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def main() -> None:
    """What `checked` returns, as JSON into a file."""
    script, machine, reach, log, out, *args = sys.argv[1:]
    found = checked(Path(script), args, machine, float(reach), Path(log) if log else None)
    Path(out).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
