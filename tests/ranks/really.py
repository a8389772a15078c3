"""Run a program for real as several processes over gloo, and say how it ended: `well`, `errors` or `hangs`."""

from __future__ import annotations

import faulthandler
import os
import runpy
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import torch

from miscast.running.launching.torchrun import environment

if TYPE_CHECKING:
    from pathlib import Path

IDLE = 2.0
"""Seconds without any CPU time on any rank after which they wait for one another for ever."""
MOST = 60.0


def ran(file: Path, ranks: int) -> tuple[str, str]:
    """How it ended, and what the ranks wrote to stderr."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = file.with_suffix(".log")
    log.write_text("")
    children = {_forked(file, rank, ranks, port, log) for rank in range(ranks)}
    codes: list[int] = []
    used, since, begin = -1, time.monotonic(), time.monotonic()
    while children:
        for pid in list(children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                children.discard(pid)
                codes.append(status)
        now = sum(_ticks(pid) for pid in children)
        if now != used:
            used, since = now, time.monotonic()
        if time.monotonic() - since > IDLE or time.monotonic() - begin > MOST:
            break
        time.sleep(0.02)
    for pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return ("hangs" if children else "errors" if any(codes) else "well"), log.read_text()


def _ticks(pid: int) -> int:
    """CPU time so far, of all threads."""
    with suppress(OSError), open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    return 0


def _forked(file: Path, rank: int, ranks: int, port: int, log: Path) -> int:
    pid = os.fork()
    if pid == 0:
        _run(file, rank, ranks, port, log)
    return pid


def _run(file: Path, rank: int, ranks: int, port: int, log: Path) -> NoReturn:
    code = 1
    faulthandler.disable()  # gloo aborts where it should, and pytest's handler would tell of it at length
    try:
        torch.set_num_threads(1)
        os.environ.update(environment(rank, ranks, port), GLOO_SOCKET_IFNAME="lo")
        stream = os.open(log, os.O_WRONLY | os.O_APPEND)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        sys.stdout = sys.stderr = open(stream, "w", buffering=1)  # noqa: SIM115 - as long as the process
        sys.argv = [str(file)]
        os.chdir(file.parent)
        runpy.run_path(str(file), run_name="__main__")
        code = 0
    except SystemExit as exit_:
        code = 1 if exit_.code else 0
    except BaseException:  # noqa: BLE001 - a fork must not go on as pytest
        traceback.print_exc()
    finally:
        os._exit(code)
