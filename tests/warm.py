"""`python ARGUMENTS` where the process itself is not what is tested: in a fork of one that has imported torch.

    warm.python("-m", "miscast", "check", "train.py", folder=tmp_path)

A new interpreter takes two to three seconds until torch is there; a fork takes some hundredths.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path


def python(
    *arguments: object,
    folder: object = None,
    environment: Mapping[str, str] | None = None,
    input: str | None = None,  # noqa: A002 - as of subprocess.run
    timeout: float = 240,
) -> subprocess.CompletedProcess[str]:
    """Return what `subprocess.run([sys.executable, *arguments], …)` would, with what it printed.

    `environment` is all of it, by default this process's. Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    words = [*map(str, arguments)]
    command = {
        "arguments": words, "folder": os.fspath(folder or os.getcwd()),
        "environment": dict(os.environ if environment is None else environment),
    }  # fmt: skip
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write((input or "").encode())
        given.seek(0)
        status = _status(command, [one.fileno() for one in (given, out, err)], timeout)
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(
            [sys.executable, *words], os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode()
        )


def _status(command: Mapping[str, object], streams: list[int], timeout: float) -> int:
    server = _server()
    socket.send_fds(server, [json.dumps(command).encode()], streams)
    with server.makefile("rb") as answers:
        pid = int(answers.readline())
        server.settimeout(timeout)
        try:
            return int(answers.readline())
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            server.settimeout(None)
            answers.readline()
            raise subprocess.TimeoutExpired(str(command["arguments"]), timeout) from None
        finally:
            server.settimeout(None)


@cache
def _server() -> socket.socket:
    """Start the server; it ends with this process."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, Path(__file__).with_name("warm_server.py"), str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL)
    theirs.close()

    @atexit.register
    def _end() -> None:
        ours.close()
        process.wait()

    return ours
