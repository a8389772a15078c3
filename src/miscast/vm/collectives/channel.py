"""Messages between a rank and the process that all ranks meet in: a line of JSON, then raw bytes; nothing is unpickled.

Nothing here imports torch: the process at the other end needs none.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

_HEAD = struct.Struct("!IQ")
_CHUNK = 1 << 18
Message = tuple[dict[str, Any], bytes]


def packed(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """Return a message as it travels."""
    text = json.dumps(header).encode()
    return b"".join((_HEAD.pack(len(text), len(payload)), text, payload))


class Unpacker:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that are complete with this."""
        self._rest += data
        found: list[Message] = []
        while len(self._rest) >= _HEAD.size:
            text, payload = _HEAD.unpack_from(self._rest)
            middle = _HEAD.size + text
            if len(self._rest) < middle + payload:
                break
            header = json.loads(self._rest[_HEAD.size : middle])
            found.append((header, bytes(self._rest[middle : middle + payload])))
            del self._rest[: middle + payload]
        return found


class Channel:
    """A rank's end: `send` never waits for an answer, `receive` waits for the next message."""

    def __init__(self, stream: socket.socket) -> None:
        """Open the channel over a connected socket."""
        self._stream = stream
        self._unpacker = Unpacker()
        self._waiting: list[Message] = []

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Hand over a message."""
        self._stream.sendall(packed(header, payload))

    def receive(self) -> Message:
        """Return the next message. Raises EOFError if the other end is gone."""
        while not self._waiting:
            data = self._stream.recv(_CHUNK)
            if not data:
                raise EOFError("the other ranks are gone")
            self._waiting += self._unpacker.feed(data)
        return self._waiting.pop(0)
