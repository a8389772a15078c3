"""The flight recorder's file: one JSON line a step, each in one call to the system, so that no crash takes it back.

    {"event":"start","version":1,"time":1764000000.1,"torch":"2.13.0","parameters":124439808}
    {"event":"step","step":1,"loss":10.94,"norm":3.2,"of":"clip","lr":0.0006,"seconds":0.41}
    {"event":"weights","step":1,"ratios":{"transformer.h.0":0.0005}}
    {"event":"trip","step":37,"kind":"non-finite","what":"the loss is nan",…}

A number that is no JSON is a string: "nan", "inf". Trips are on the disk (`fsync`) before anything else is done. A full
disk ends the recording with one line on stderr, and not the training.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..failure import spelled

Heard = Callable[[str, Mapping[str, Any]], None]
"""Who is told each line when it is written: what it is of ("step", "weights", "trip"), and what it says."""
VERSION = 1
_encode = msgspec.json.Encoder().encode


class Log:
    """The last lines in memory; all of them in a file, if there is one."""

    def __init__(self, path: str | None, keep: int) -> None:
        """The file is begun anew. Raises OSError."""
        self.path = path
        self.last: deque[dict[str, Any]] = deque(maxlen=keep)
        self.heard_by: list[Heard] = []
        self._file: int | None = None
        if path is not None:
            self._file = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666
            )

    def write(
        self, event: str, values: Mapping[str, Any], *, surely: bool = False
    ) -> None:
        """A line. `surely`: it has reached the disk when this returns."""
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
            say(
                f"miscast.guard: nothing more is recorded in {self.path}: {error.strerror}"
            )

    def _tell(self, heard: Heard, event: str, values: Mapping[str, Any]) -> None:
        """A tracker that fails is told no more, and ends no training."""
        try:
            heard(event, values)
        except Exception as error:  # noqa: BLE001 - whatever a tracker raises
            self.heard_by.remove(heard)
            say(f"miscast.guard: no more figures for {heard}: {spelled(error)}")

    def start(self, values: Mapping[str, Any]) -> None:
        """The first line."""
        self.write("start", {"version": VERSION, "time": time.time(), **values})

    def close(self) -> None:
        """Nothing more is written to the file."""
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def say(text: str) -> None:
    """A line on stderr, if there is one."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return
