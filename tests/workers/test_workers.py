"""A worker that dies, hangs or has not begun is told as data, and nothing of it is left."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from miscast.running.workers.worker import Worker
from op_probe.pool import Crashed, Result, WorkerError, WorkerPool

FOLDER = str(Path(__file__).parent)


def spawn(how: str = "pool") -> Worker:
    return Worker.spawn("works", {"how": how}, path=[FOLDER], silent=True)


def job(number: int, do: str = "double") -> dict[str, Any]:
    return {"number": number, "do": do}


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def worked(jobs: list[dict[str, Any]], *, size: int = 2, timeout: float = 30.0) -> list[Result | Crashed]:
    with WorkerPool(spawn, size, timeout) as pool:
        return list(pool.work(deque(jobs), time.monotonic() + 60))


def test_jobs_are_shared_out():
    found = worked([job(number) for number in range(5)])
    doubled = {one.job["number"]: one.message["doubled"] for one in found if "doubled" in one.message}
    assert doubled == {number: 2 * number for number in range(5)}
    assert sum(one.is_last for one in found) == 5


def test_a_crash_costs_its_job_alone():
    found = worked([job(0), job(1, "abort"), job(2)], size=1)
    assert [one.job["number"] for one in found if isinstance(one, Result) and one.is_last] == [0, 2]
    (crashed,) = (one for one in found if isinstance(one, Crashed))
    assert (crashed.job["number"], crashed.at, crashed.exit_code) == (1, {"at": "abort"}, -6)


def test_who_says_nothing_any_more_is_killed():
    found = worked([job(0, "hang"), job(1)], size=1, timeout=2.0)
    assert [(one.job["number"], type(one)) for one in found if isinstance(one, Crashed)] == [(0, Crashed)]
    assert found[-1].job["number"] == 1


def test_the_deadline_leaves_jobs_behind():
    with WorkerPool(spawn, 1, 30.0) as pool:
        pool.start(time.monotonic() + 60)
        assert list(pool.work(deque([job(0, "hang")]), time.monotonic() + 0.5)) == []
        assert pool.abandoned() == [job(0, "hang")]


@pytest.mark.parametrize(("how", "said"), [("dies", "it did not start"), ("refuses", "no such device here")])
def test_who_cannot_begin_is_an_error(how, said):
    with (
        WorkerPool(lambda: spawn(how), 1, 30.0, "it did not start") as pool,
        pytest.raises(WorkerError, match=said),
    ):
        pool.start(time.monotonic() + 60)


def test_nothing_is_left_after_an_interrupt():
    def interrupted(pool: WorkerPool) -> None:
        pids.append(pool.start(time.monotonic() + 60))
        raise KeyboardInterrupt

    pids: list[Any] = []
    with pytest.raises(KeyboardInterrupt), WorkerPool(spawn, 2, 30.0) as pool:
        interrupted(pool)
    assert gone(pids[0])


@pytest.fixture
def server() -> Iterator[Worker]:
    worker = spawn("forks")
    yield worker
    worker.end()


def answers(server: Worker, *requests: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """By the number of the request."""
    for request in requests:
        server.send(request)
    wanted = sum("id" in request for request in requests)
    found: dict[int, dict[str, Any]] = {}
    while len(found) < wanted:
        assert select.select([server], [], [], 30)[0]
        for said in server.heard() or ():
            found[said["id"]] = {key: value for key, value in said.items() if key not in ("id", "seconds")}
    return found


def trial(number: int, do: str = "", limit: float = 30.0) -> dict[str, Any]:
    return {"id": number, "do": do, "limit": limit}


def test_a_fork_has_what_was_done_before_it(server):
    found = answers(server, trial(1), {"add": 7}, trial(2), trial(3))
    assert found == {1: {"state": []}, 2: {"state": [7]}, 3: {"state": [7]}}


def test_how_a_fork_ended_is_told(server):
    found = answers(server, trial(1, "kill"), trial(2, "break off"), trial(3, "raise"), trial(4, "hang", 0.3), trial(5))
    assert found == {
        1: {"failed": "the run was killed (SIGKILL)"},
        2: {"failed": "the run was killed (exit code 3)"},
        3: {"failed": "the run was killed (exit code 1)"},
        4: {"failed": "not finished within 0 s"},
        5: {"state": []},
    }


def test_what_is_not_wanted_any_more_is_ended_or_does_not_begin(server):
    waiting = [trial(number, "hang") for number in range(1, 5)]
    found = answers(server, *waiting, {"end": 9}, *({"end": number} for number in range(1, 5)))
    assert found == {number: {"failed": "ended"} for number in range(1, 5)}
