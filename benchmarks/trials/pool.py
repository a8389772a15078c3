"""Worker processes that share out the ops: one that dies loses only the op that it had in hand."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from .outcome import FAULT, Lost, Trial, trial

PATIENCE = 120.0  # seconds for one stage of a call, after which its worker is killed
Found: TypeAlias = "Trial | Lost | str"
Said: TypeAlias = "queue.SimpleQueue[Found | Exception | None]"
_FOLDER = Path(__file__).resolve().parents[1]


def run(
    asked: Mapping[str, int | None], seed: int, deadline: float, workers: int = 2, machine: str = "cpu"
) -> Iterator[Found]:
    """The trials of each op in `asked` (how many, None for all), as they come; an op's name when it is done.

    Ops that no worker has begun at `deadline` (by `time.monotonic`) are left out.
    """
    waiting: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
    for op, count in asked.items():
        waiting.put({"op": op, "count": count, "seed": seed})
    said: Said = queue.SimpleQueue()
    for _ in range(workers):
        threading.Thread(target=_serve, args=(waiting, said, deadline, machine), daemon=True).start()
    at_work = workers
    while at_work:
        found = said.get()
        if found is None:
            at_work -= 1
        elif isinstance(found, Exception):
            raise found
        else:
            yield found


def _serve(waiting: queue.SimpleQueue[Mapping[str, Any]], said: Said, deadline: float, machine: str) -> None:
    """Hand ops to a process, and start another one when it dies."""
    process = None
    try:
        while time.monotonic() < deadline:
            asked = waiting.get_nowait()
            if process is not None and process.poll() is not None:
                _end(process)
                process = None
            process = process or _start(machine)
            for found in _answers(process, asked):
                said.put(found)
            said.put(asked["op"])
    except queue.Empty:
        pass
    except Exception as error:  # noqa: BLE001 - told in the thread that waits for it
        said.put(error)
    finally:
        if process is not None:
            _end(process)
        said.put(None)


def _start(machine: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-m", f"{__package__}.worker"]
    paths = os.pathsep.join([str(_FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, "MISCAST_TRIALS": machine}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(BrokenPipeError):
            pipe.close()  # type: ignore[union-attr] # both are pipes, as `_start` asked
    process.wait()


def _answers(process: subprocess.Popen[str], asked: Mapping[str, Any]) -> Iterator[Trial | Lost]:
    assert process.stdin is not None
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    stage = call = ""
    while line := _line(process):
        said = json.loads(line)
        if "done" in said:
            return
        if "trial" in said:
            yield trial(said["trial"])
        else:
            stage, call = said["stage"], said["call"]
    if process.wait() == FAULT:
        raise RuntimeError(f"the benchmark failed, not the call: {call}, {stage}")
    yield Lost(op=asked["op"], call=call, stage=stage, why=f"exit code {process.returncode}")


def _line(process: subprocess.Popen[str]) -> str:
    """The next line; empty once the process is gone, which it is if it says nothing for too long."""
    assert process.stdout is not None
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    try:
        return process.stdout.readline()
    finally:
        watchdog.cancel()
