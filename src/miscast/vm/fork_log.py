"""Messages of a fork to its parent process: lines of JSON, in a file without a name."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .streamed import telling

if TYPE_CHECKING:
    from .judging.recorder import Recorder


def opened() -> int:
    """Return the file, to be opened before the fork."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("miscast", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def kept(recorder: Recorder, log: int) -> Callable[[dict[str, Any]], None]:
    """Send what the recorder sees to the log from now on, in the fork, and return a function that sends more."""
    before = recorder.ops

    def send(header: dict[str, Any]) -> None:
        os.write(log, json.dumps(header).encode() + b"\n")

    recorder.heard = telling(send, lambda: recorder.ops - before)
    return send


def read(log: int) -> Iterator[dict[str, Any]]:
    """Yield everything that was reported, once the fork has ended, and close the log."""
    with os.fdopen(log, "rb") as file:
        file.seek(0)
        for line in file:
            if line.endswith(b"\n"):  # a fork that was killed leaves half of one
                yield json.loads(line)
