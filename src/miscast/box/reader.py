"""The reader: a process outside of the box that reads model hubs for the program in it (`network.hub`).

It is started at the first request. The program's process asks over its own channel, and waits.
"""

from __future__ import annotations

import fcntl
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from ..vm.collectives.channel import Channel, packed

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {0}.network.hub import main; main()"


class Reader:
    """The reporting process's side: it forwards requests and returns the answers."""

    def __init__(
        self, started: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen
    ) -> None:
        self._started = started
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any]) -> int:
        """Pass a request on. Returns the file that becomes readable with the answer."""
        if self._process is None or self._process.poll() is not None:
            command = [
                sys.executable,
                "-c",
                _START.format(__package__),
                json.dumps(sys.path),
            ]
            self._process = self._started(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        with suppress(BrokenPipeError):
            self._stream("stdin").write(json.dumps(request).encode() + b"\n")
            self._stream("stdin").flush()
        return self._stream("stdout").fileno()

    def answer(self) -> dict[str, Any]:
        """Return the answer, when it is there; an error if the reader has died."""
        line = self._stream("stdout").readline()
        try:
            return dict(json.loads(line))
        except ValueError:
            return {
                "error": "ConnectionError",
                "text": "the process that reads the model hub died",
            }

    def end(self) -> None:
        """End the process, as there are no more requests."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _stream(self, name: str) -> IO[bytes]:
        stream: IO[bytes] | None = getattr(self._process, name)
        assert stream is not None
        return stream


class Asking:
    """The program's side: one request at a time, across all its threads and forks."""

    def __init__(self, stream: socket.socket, lock: int) -> None:
        """Start with `lock`, an open file that all processes of the program share."""
        self._stream = stream
        self._channel = Channel(stream)
        self._lock = lock
        self._threads = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what the reader answers."""
        with self._threads:
            fcntl.lockf(self._lock, fcntl.LOCK_EX)
            try:
                self._stream.sendall(packed({"fetch": request}))
                said, _ = self._channel.receive()
            except (OSError, EOFError):
                said = {
                    "fetched": {
                        "error": "ConnectionError",
                        "text": "the process that reads the model hub has ended",
                    }
                }
            finally:
                fcntl.lockf(self._lock, fcntl.LOCK_UN)
        return dict(said["fetched"])
