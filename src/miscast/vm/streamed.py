"""Send a run's results as they are found. A process that dies takes none of them along.

recorder.heard = telling(channel.send, lambda: recorder.ops)   # in the process of the program
seen.take(header)                                              # in the one that reports
seen.trace("its process died")                                 # the trace, as far as it was told
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from msgspec import convert

from ..core.event import Assumption, Call, Effect, Event, Trace

if TYPE_CHECKING:
    from .judging.recorder import Recorder

Heard = Callable[[str, Any], None]
"""Called with the kind of what is new ("call", "note", …), and that itself."""

_PLAIN = {"call": Call, "choice": Event, "assumed": Assumption, "effect": Effect}


def telling(send: Callable[[dict[str, Any]], None], ops: Callable[[], int]) -> Heard:
    """Return a listener for a recorder, which sends what it hears as JSON, and how many ops ran until then."""

    def heard(kind: str, what: Any) -> None:
        send(
            {
                "saw": kind,
                "what": asdict(what) if kind in _PLAIN else what,
                "ops": ops(),
            }
        )

    return heard


class Seen:
    """The half of a trace that has arrived."""

    def __init__(self, nothing: Trace) -> None:
        """Start with `nothing`, the trace of a run of which nothing was seen."""
        self._nothing = nothing
        self._found: dict[str, list[Any]] = {}
        self._ops = 0

    def take(self, header: Mapping[str, Any]) -> None:
        """Add a message of `telling`. Raises ValueError if it is not one."""
        kind, what, self._ops = str(header["saw"]), header["what"], int(header["ops"])
        self._found.setdefault(kind, []).append(
            convert(what, _PLAIN[kind]) if kind in _PLAIN else what
        )

    def trace(self, ended: str | None) -> Trace:
        """Return everything that was reported, as the trace of a run that ended with `ended`."""
        found = self._found
        begun = found.get("begun", [{}])[0]
        return replace(
            self._nothing,
            torch=str(begun.get("torch", self._nothing.torch)),
            contracts=str(begun.get("contracts", "")),
            calls=tuple(found.get("call", ())),
            choices=tuple(found.get("choice", ())),
            unchecked=dict.fromkeys(map(str, found.get("unchecked", ())), 1),
            assumed=tuple(found.get("assumed", ())),
            notes=tuple(map(str, found.get("note", ()))),
            effects=tuple(found.get("effect", ())),
            ops=self._ops,
            ended=ended,
        )


def opened_log() -> int:
    """Return a file without a name, to be opened before a fork: lines of JSON for its parent."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("miscast", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def kept_log(recorder: Recorder, log: int) -> Callable[[dict[str, Any]], None]:
    """Send what the recorder sees to the log from now on, in the fork, and return a function that sends more."""
    before = recorder.ops

    def send(header: dict[str, Any]) -> None:
        os.write(log, json.dumps(header).encode() + b"\n")

    recorder.heard = telling(send, lambda: recorder.ops - before)
    return send


def read_log(log: int) -> Iterator[dict[str, Any]]:
    """Yield everything that was reported, once the fork has ended, and close the log."""
    with os.fdopen(log, "rb") as file:
        file.seek(0)
        for line in file:
            if line.endswith(b"\n"):  # a fork that was killed leaves half of one
                yield json.loads(line)
