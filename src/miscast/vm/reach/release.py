"""The message that releases a waiting fork: its limits, and branches that it must not explore."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass

from .sides import Branch

# the system's: the program's are patched while it runs
_read, _write, _close = os.read, os.write, os.close
_CHUNK = 1 << 16
_END = b"\n"
Place = tuple[str, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Limits of a fork: ops, seconds of processor time, and the clock (`time.monotonic`) up to `until`.

    `known` are the branches that another fork goes, or none: a fork of this one would do it over again.
    """

    ops: int
    seconds: float
    until: float
    known: frozenset[Place]


def place(branch: Branch) -> Place:
    """Return what a branch is known by in all forks of a run: each numbers what it imports by itself."""
    return branch.file, branch.line, branch.text


def tell(go: int, release: Release) -> None:
    """Let the fork at the other end go on."""
    told = {**asdict(release), "known": [*release.known]}
    with suppress(OSError):  # it was killed
        _send(go, json.dumps(told).encode() + _END)
    _close(go)


def awaited(wait: int) -> Release | None:
    """Wait until the fork may go on, and return its limits; None if it must not."""
    said = b""
    # not to the pipe's end: a process that the program has started may hold it open
    while not said.endswith(_END):
        chunk = _read(wait, _CHUNK)
        if not chunk:
            return None
        said += chunk
    _close(wait)
    told = json.loads(said)
    known = ((file, line, text) for file, line, text in told["known"])
    return Release(**{**told, "known": frozenset(known)})


def _send(go: int, data: bytes) -> None:
    while data:
        data = data[_write(go, data) :]
