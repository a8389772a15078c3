"""The flight recorder's file: one JSON line a step, each in one call to the system, so that no crash takes it back.

    {"event":"start","version":1,"time":1764000000.1,"torch":"2.13.0","parameters":124439808}
    {"event":"step","step":1,"loss":10.94,"norm":3.2,"of":"clip","lr":0.0006,"seconds":0.41}
    {"event":"weights","step":1,"ratios":{"transformer.h.0":0.0005}}
    {"event":"trip","step":37,"kind":"non-finite","what":"the loss is nan",…}

A number that is no JSON is a string: "nan", "inf". Trips are on the disk (`fsync`) before anything else is done. A full
disk ends the recording with one line on stderr, and not the training.
"""

from __future__ import annotations

import itertools
import math
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..core.failure import spelled

Heard = Callable[[str, Mapping[str, Any]], None]
"""A callback for each line that is written: its type ("step", "weights", "trip"), and its contents."""
VERSION = 1
_encode = msgspec.json.Encoder().encode


class Log:
    """The last lines in memory; all of them in a file, if there is one."""

    def __init__(self, path: str | None, keep: int) -> None:
        """Open the recording; an existing file is kept and `flight-2.jsonl` is used. Raises OSError."""
        self.last: deque[dict[str, Any]] = deque(maxlen=keep)
        self.heard_by: list[Heard] = []
        self._file: int | None = None
        if path is not None:
            path, self._file = _begun(path)
        self.path = path

    def write(
        self, event: str, values: Mapping[str, Any], *, surely: bool = False
    ) -> None:
        """Write a line. With `surely`, it is on disk when this returns."""
        line = {"event": event, **values}
        self.last.append(line)
        for heard in tuple(self.heard_by):
            self._tell(heard, event, values)
        if self._file is None:
            return
        data = _encode(_plain(line)) + b"\n"
        try:
            while data:
                data = data[os.write(self._file, data) :]
            if surely:
                os.fsync(self._file)
        except OSError as error:
            self.close()
            say(f"miscast.guard: recording to {self.path} stopped: {error.strerror}")

    def _tell(self, heard: Heard, event: str, values: Mapping[str, Any]) -> None:
        """Pass a line to a tracker; one that raises is dropped, and does not end the training run."""
        try:
            heard(event, values)
        except Exception as error:  # noqa: BLE001 - whatever a tracker raises
            self.heard_by.remove(heard)
            say(f"miscast.guard: no more metrics are sent to {heard}: {spelled(error)}")

    def start(self, values: Mapping[str, Any]) -> None:
        """Write the first line."""
        self.write("start", {"version": VERSION, "time": time.time(), **values})

    def close(self) -> None:
        """Close the file; later lines are only kept in memory."""
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _begun(path: str) -> tuple[str, int]:
    """Open a file of that name or, where something was recorded in it, of the next one that is free."""
    stem, ending = os.path.splitext(path)
    for number in itertools.count(2):
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        # a device or a pipe takes what it is given
        if not stat.S_ISREG(os.fstat(file).st_mode) or _is_free(file):
            break
        os.close(file)
        path = f"{stem}-{number}{ending}"
    return path, file


def _is_free(file: int) -> bool:
    """Check whether a file is empty, and no other guard is about to record in it."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # a system, or a file system, without locks
        pass
    return os.fstat(file).st_size == 0


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def say(text: str) -> None:
    """Write a line to stderr, if there is one."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return
