"""Forked workers that share out the programs; this process only listens."""

from __future__ import annotations

import json
import os
import select
import signal
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from .case import Case, case
from .program import Program
from .work import Sound, work

WORKERS = 2


def run(
    programs: Sequence[Program], counts: Mapping[str, int], seed: int, *, mend: bool, workers: int = WORKERS
) -> Iterator[Sound | Case | str]:
    """What comes of each program, as it comes; a program's name when it is done.

    Raises RuntimeError if a worker fails.
    """
    tasks, give = os.pipe()
    os.write(give, bytes(range(len(programs))))
    os.close(give)
    pipes: dict[int, tuple[int, bytes]] = {}
    try:
        for _ in range(workers):
            reads, writes = os.pipe()
            pid = os.fork()
            if pid == 0:
                _serve(tasks, writes, programs, counts, seed, mend=mend)
            os.close(writes)
            pipes[reads] = (pid, b"")
        os.close(tasks)
        while pipes:
            ready, _, _ = select.select(list(pipes), [], [])
            for stream in ready:
                pid, rest = pipes[stream]
                data = os.read(stream, 1 << 16)
                if not data:
                    os.waitpid(pid, 0)
                    os.close(stream)
                    del pipes[stream]
                    continue
                *lines, rest = (rest + data).split(b"\n")
                pipes[stream] = (pid, rest)
                yield from map(_read, lines)
    finally:
        for pid, _ in pipes.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _serve(  # noqa: PLR0913 - a worker's whole order
    tasks: int, writes: int, programs: Sequence[Program], counts: Mapping[str, int], seed: int, *, mend: bool
) -> None:
    """In the worker: one program after the other, as bytes of the shared pipe name them."""
    try:
        with os.fdopen(writes, "w", encoding="utf-8", buffering=1) as out:
            try:
                while task := os.read(tasks, 1):
                    program = programs[task[0]]
                    for found in work(program, counts.get(program.name, 0), seed, mend=mend):
                        out.write(json.dumps({type(found).__name__: asdict(found)}) + "\n")
                    out.write(json.dumps({"done": program.name}) + "\n")
            except Exception:  # noqa: BLE001 - raised in the process that listens
                out.write(json.dumps({"failed": traceback.format_exc()}) + "\n")
    finally:
        os._exit(0)


def _read(line: bytes) -> Sound | Case | str:
    ((what, data),) = json.loads(line).items()
    if what == "failed":
        raise RuntimeError(data)
    if what == "Case":
        return case(data)
    if what == "Sound":
        return Sound(**{**data, "findings": tuple(data["findings"])})
    return str(data)
