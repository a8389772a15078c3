"""A file, gzipped or not, or a pipe -> blocks of bytes; a file of any size takes the memory of a few blocks."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"


class UnreadableError(Exception):
    """The log could not be read; the message is one line."""


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the stream's bytes, unpacked where they are gzipped. Raises UnreadableError where that fails."""
    start = stream.read(BLOCK)
    if start.startswith(_GZIP):
        import gzip
        import zlib

        joined = io.BufferedReader(_Joined(start, stream), BLOCK)
        try:
            with gzip.GzipFile(fileobj=joined) as unpacked:
                yield from iter(lambda: unpacked.read(BLOCK), b"")
        except (OSError, EOFError, zlib.error) as error:
            raise UnreadableError(f"its gzip data is damaged: {error}") from error
        return
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):  # what PowerShell's > writes
        import codecs

        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        while start:
            yield decoder.decode(start).encode()
            start = stream.read(BLOCK)
        return
    while start:
        yield start
        start = stream.read(BLOCK)


class _Joined(io.RawIOBase):
    """Bytes that were read already, then the rest of the stream."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start = memoryview(start)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        data: bytes | memoryview = self._start[: len(buffer)]
        if data:
            self._start = self._start[len(data) :]
        else:
            data = self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
