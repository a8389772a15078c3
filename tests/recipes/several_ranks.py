"""A recipe run for real as several processes over gloo, as `torchrun --nproc-per-node N` would start them."""

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
from recipe import alone

from miscast.running.launching.torchrun import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GRACE = 3.0
"""Seconds that the others are given when a rank has failed."""
MOST = 240.0


def launched(program: Path, *args_by_rank: Sequence[str], log: Path) -> tuple[bool, str]:
    """Whether all ranks finished well, and what they wrote; a rank for each list of arguments."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log.write_text("")
    size = len(args_by_rank)
    running = {_forked(program, args, environment(rank, size, port), log) for rank, args in enumerate(args_by_rank)}
    well, until = True, time.monotonic() + MOST
    while running and time.monotonic() < until:
        for pid in list(running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                running.discard(pid)
                if status and well:
                    well, until = False, min(until, time.monotonic() + GRACE)
        time.sleep(0.02)
    for pid in running:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return well and not running, log.read_text()


def _forked(program: Path, args: Sequence[str], variables: dict[str, str], log: Path) -> int:
    pid = os.fork()
    if pid == 0:
        _run(program, args, variables, log)
    return pid


def _run(program: Path, args: Sequence[str], variables: dict[str, str], log: Path) -> NoReturn:
    code = 1
    faulthandler.disable()  # gloo aborts where it should, and pytest's handler would tell of it at length
    try:
        torch.set_num_threads(1)
        os.environ.update(variables, GLOO_SOCKET_IFNAME="lo")
        stream = os.open(log, os.O_WRONLY | os.O_APPEND)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        sys.stdout = sys.stderr = open(stream, "w", buffering=1)  # noqa: SIM115 - as long as the process
        with alone(program):
            sys.argv = [str(program), *args]
            sys.path.insert(0, str(program.parent))
            runpy.run_path(str(program), run_name="__main__")
        code = 0
    except SystemExit as exit_:
        code = 1 if exit_.code else 0
    except BaseException:  # noqa: BLE001 - a fork must not go on as pytest
        traceback.print_exc()
    finally:
        os._exit(code)
