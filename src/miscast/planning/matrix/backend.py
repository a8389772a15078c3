"""Hands tasks to workers through joblib: processes of this machine, or a cluster's.

    for number, result in spread(tasks, backend="loky", jobs=2): …

A worker that dies takes the cells along that it was given; they are run again, and none is told twice.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...core.failure import spelled
from .task import Result, Task
from .working import ran

BACKENDS = ("loky", "ray", "dask")
_WAVE = 2
"""Cells for each of Ray's workers in one wave: what is lost with an interrupt, and what waits for the slowest."""
_TRIES = 3
"""Maximum starts of a combination that crashes its worker, before it is given up."""


class NoBackendError(Exception):
    """The backend is not installed, or has no cluster; the message is one line."""


def spread(
    tasks: Sequence[Task],
    *,
    backend: str = "loky",
    jobs: int = 0,
    at: Callable[[Task], Task] = lambda task: task,
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each task with its result, as they come in.

    `jobs` 0: one for each core, or each of the cluster's.

    `at` makes the task that is handed over of the one that was planned, when it is.
    """
    left = {task.number: task for task in tasks}
    tries = 0
    while left:
        before = len(left)
        try:
            for number, result in _told(backend, jobs, left, at):
                if left.pop(number, None) is not None:
                    yield number, result
        except NoBackendError:
            raise
        except Exception as error:  # noqa: BLE001 - a task raises nothing: it is the worker's, or the cluster's
            tries = 1 if len(left) < before else tries + 1
            if tries >= _TRIES:
                for number in list(left):
                    del left[number]
                    yield number, Result(failed=f"no worker: {spelled(error)}")


def _told(
    backend: str, jobs: int, left: Mapping[int, Task], at: Callable[[Task], Task]
) -> Iterator[tuple[int, Result]]:
    """Yield each result as it arrives; in waves, if the backend returns all results at the end."""
    import joblib

    with _on(backend, jobs), warnings.catch_warnings():
        # after an interrupt, of tasks that were left
        warnings.filterwarnings("ignore", message=".*being processed by the workers")
        waiting = deque(left.values())
        comes = backend != "ray"
        wave = len(waiting) if comes else _WAVE * joblib.effective_n_jobs(jobs or -1)
        while waiting:
            some = [waiting.popleft() for _ in range(min(wave, len(waiting)))]
            parallel = joblib.Parallel(
                n_jobs=jobs or -1,
                return_as="generator_unordered" if comes else "list",
                pre_dispatch="n_jobs",
                batch_size=1,
            )
            yield from parallel(joblib.delayed(ran)(at(task)) for task in some)


def _on(backend: str, jobs: int) -> AbstractContextManager[Any]:
    """Return the configuration of a backend, of joblib's own kind. Raises NoBackendError.

    A cluster is found by the variable that it reads itself (DASK_SCHEDULER_ADDRESS, RAY_ADDRESS); without one, a
    cluster of this machine is begun.
    """
    import joblib

    if backend == "loky":
        return nullcontext()
    try:
        _ray(jobs) if backend == "ray" else _dask(jobs)
    except ImportError as error:
        raise NoBackendError(
            f"--backend {backend} needs {_PACKAGES[backend]}: pip install {_PACKAGES[backend]}"
        ) from error
    configured: AbstractContextManager[Any] = joblib.parallel_config(backend=backend)
    return configured


_PACKAGES = {"ray": "ray", "dask": "distributed"}


def _ray(jobs: int) -> None:
    import ray
    from ray.util.joblib import register_ray

    if not ray.is_initialized():
        here = None if os.environ.get("RAY_ADDRESS") else jobs or None
        ray.init(num_cpus=here, logging_level="ERROR", log_to_driver=False)
    register_ray()


def _dask(jobs: int) -> None:
    import dask
    from distributed import Client, get_client

    try:
        get_client()
    except ValueError:
        if dask.config.get("scheduler-address", None):
            Client()
            return
        # a cell is a process: threads of one worker would only wait for each other
        Client(n_workers=jobs or None, threads_per_worker=1)
