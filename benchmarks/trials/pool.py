"""Worker processes that share out the ops: one that dies loses only the op that it had in hand."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from miscast.running.workers.worker import Worker
from op_probe.pool import Crashed, WorkerPool

from .outcome import Lost, Trial, trial

PATIENCE = 120.0  # seconds for one stage of a call, after which its worker is killed
_FOLDER = str(Path(__file__).resolve().parents[1])
Found: TypeAlias = "Trial | Lost | str"


def run(
    asked: Mapping[str, int | None], seed: int, deadline: float, workers: int = 2, machine: str = "cpu"
) -> Iterator[Found]:
    """The trials of each op in `asked` (how many, None for all), as they come; an op's name when it is done.

    Ops that no worker has begun at `deadline` (by `time.monotonic`) are left out.
    """
    jobs: deque[dict[str, Any]] = deque({"op": op, "count": count, "seed": seed} for op, count in asked.items())
    environment = {"MISCAST_TRIALS": machine, "PYTHONWARNINGS": "ignore"}

    def spawn() -> Worker:
        return Worker.spawn(f"{__package__}.worker", {}, path=[_FOLDER], environment=environment)

    with WorkerPool(spawn, workers, PATIENCE) as pool:
        for event in pool.work(jobs, float("inf")):
            if time.monotonic() > deadline:
                jobs.clear()
            if isinstance(event, Crashed):
                at = {"call": "", "at": "", **event.at}
                yield Lost(op=event.job["op"], call=at["call"], stage=at["at"], why=f"exit code {event.exit_code}")
                yield event.job["op"]
            elif event.is_last:
                yield event.job["op"]
            else:
                yield trial(event.message["trial"])
