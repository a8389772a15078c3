"""Messages between processes: one JSON object per line, over any descriptor; nothing is unpickled."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

CHUNK = 1 << 16
"""Bytes that are read at once."""


def send(descriptor: int, message: Mapping[str, Any]) -> None:
    """Send a whole message, however little room there is. Raises BrokenPipeError if nobody reads it."""
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        data = data[os.write(descriptor, data) :]


class LineReader:
    """Cuts what comes from a descriptor into messages. `rest` is the beginning of one that is not there yet."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.rest = b""

    def read(self) -> list[dict[str, Any]] | None:
        """Return the messages that one read completes, maybe none; None at the end. Raises ValueError for bad JSON."""
        data = os.read(self.descriptor, CHUNK)
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [json.loads(line) for line in lines]
