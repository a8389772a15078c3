"""One call in a forked process: it starts warm, ends without a trace, and may die or hang alone."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds


class ChildError(Exception):
    """The child died, hung or failed; the text says which."""


def call(fn: Callable[[], Any], folder: Path, patience: float = PATIENCE) -> Any:
    """What `fn` returns, as JSON carries it; `fn` runs in `folder`, and what it prints is lost."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _serve(fn, folder, writer)
    os.close(writer)
    try:
        said = _read(reader, patience)
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    if not said:
        raise ChildError(f"it said nothing (status {status})")
    answer = json.loads(said)
    if "failed" in answer:
        raise ChildError(answer["failed"])
    return answer["returned"]


def _serve(fn: Callable[[], Any], folder: Path, writer: int) -> None:
    """In the child: call, write the answer, end without exit handlers."""
    try:
        os.chdir(folder)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        warnings.simplefilter("ignore")
        answer = {"returned": fn()}
    except BaseException:  # noqa: BLE001 - the parent raises it
        answer = {"failed": traceback.format_exc()}
    with os.fdopen(writer, "w", encoding="utf-8") as out:
        json.dump(answer, out)
    sys.stdout = sys.stderr = None  # type: ignore[assignment] # nothing is flushed twice
    os._exit(0)


def _read(reader: int, patience: float) -> str:
    """All that the child writes; empty if it takes too long."""
    deadline = time.monotonic() + patience
    parts: list[bytes] = []
    while select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts).decode()
        parts.append(part)
    return ""
