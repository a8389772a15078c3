"""The process that reports: it starts the box, listens to what the program in it shows, and outlives whatever ends it.

    this process ── guard ── program            messages of the program: what it sees, as it sees it, and the trace
         ▲            │          │              messages of the guard: how the program ended, and what the layer holds
         └────────────┴──────────┘

A signal to this process, the time limit, and an interrupt end the program softly first, so that its trace arrives
whole; then hard, and what had arrived is reported. If this process is killed, the guard ends all and removes all.
"""

from __future__ import annotations

import selectors
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..core.event import Trace
from ..core.meeting import MultiRankTrace
from ..running.launching.entry import CannotRunError
from ..vm.collectives.channel import Unpacker, packed
from . import ending, start
from .guard import WHERE
from .heard import Heard
from .job import Job
from .reader import Reader
from .view import View

_INTERRUPTED = "interrupted (Ctrl-C)"
_CHUNK = 1 << 18
_TICK = 0.1
_GRACE = 3.0
_LAST_LOOK = 0.3
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def supervised(
    job: Job,
    view: View,
    partial: Callable[[Trace | MultiRankTrace], None] | None = None,
    meanwhile: Callable[[], object] = lambda: None,
    before: Callable[[], object] = lambda: None,
) -> Trace | MultiRankTrace:
    """Return what the program showed, however it ended.

    `partial` is called with what is known, each time that it is more; `before` is done before the program's process is
    there, `meanwhile` beside it: importing what the report needs.

    Raises CannotRunError where there is nothing to run.
    """
    came: list[int] = []

    def stop(number: int, _: object) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt

    with handling(stop), suppress(KeyboardInterrupt):
        before()
    with handling(lambda number, _: came.append(number)):
        if came:  # also where something that was imported caught the interrupt
            heard = Heard(job, partial)
            view.stopped, heard.stopped = came[0], _name(came[0])
            return heard.found()
        for kind in start.kinds(job):
            heard = Heard(job, partial)
            with heard.failures.during("it received the program's results"):
                _Attempt(job, view, came, heard, meanwhile).run(kind)
            if not heard.refused:
                return heard.found()
        raise CannotRunError(f"cannot start a process for the program: {heard.refused}")


@contextmanager
def handling(handler: Callable[[int, Any], object]) -> Iterator[None]:
    """Let a handler have the signals that end a check, within the block."""
    before = {number: signal.signal(number, handler) for number in STOPS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _name(number: int) -> str:
    if number == signal.SIGINT:
        return _INTERRUPTED
    return f"stopped by {signal.Signals(number).name}"


@dataclass(slots=True)
class _Attempt:
    """One process in one kind of box, from its start to its end."""

    job: Job
    view: View
    came: list[int]
    heard: Heard
    meanwhile: Callable[[], object]
    _deadlines: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    _guard: socket.socket | None = None
    _reader: Reader = field(default_factory=Reader)
    _asked: list[dict[str, Any]] = field(default_factory=list)

    def run(self, kind: start.Kind) -> None:
        """Start it, and listen until it is gone."""
        with tempfile.TemporaryFile() as places, start.caches_there(self.job.network):
            box = start.started(kind, self.job, self.view, places.fileno())
            self._guard = box.guard
            if self.job.time_limit is not None:
                self._after(
                    self.job.time_limit,
                    lambda: self._stop(
                        f"time limit of {self.job.time_limit:g} s reached"
                    ),
                )
            try:
                self.meanwhile()
                self._listen(box)
            finally:
                box.end()
                self._reader.end()
            places.seek(0)
            self.heard.place = ending.place(places.read().decode(errors="replace"))

    def _listen(self, box: start.Box) -> None:
        with selectors.DefaultSelector() as selector:
            for stream in (box.guard, box.program):
                selector.register(stream, selectors.EVENT_READ, Unpacker())
            for output in self.view.outputs():
                selector.register(output, selectors.EVENT_READ, None)
            while any(
                isinstance(key.data, Unpacker) for key in selector.get_map().values()
            ):
                for key, _ in selector.select(self._wait()):
                    self._take(key, selector, box)
                while self._asked:
                    answers = self._reader.ask(self._asked.pop(0))
                    if answers not in selector.get_map():
                        selector.register(answers, selectors.EVENT_READ, "answer")
                self._look_at_the_clock()
                self.heard.grow()
                self.view.tick()
        self.view.close()

    def _take(
        self,
        key: selectors.SelectorKey,
        selector: selectors.BaseSelector,
        box: start.Box,
    ) -> None:
        """Process the message of a source; stop listening to a source that is done."""
        if key.data == "answer":
            with suppress(OSError):
                box.program.sendall(packed({"fetched": self._reader.answer()}))
            return
        goes_on = (
            self.view.show(key.fd)
            if key.data is None
            else self._hear(key.fileobj, key.data)
        )
        if not goes_on:
            selector.unregister(key.fileobj)

    def _wait(self) -> float:
        return min(
            [_TICK, *(max(at - time.monotonic(), 0) for at, _ in self._deadlines)]
        )

    def _look_at_the_clock(self) -> None:
        while self.came:
            number = self.came.pop(0)
            again = bool(self.heard.stopped)
            self.view.stopped = number
            self._stop(_name(number))
            if again:  # asked twice: no more patience
                self._kill()
        for deadline in [one for one in self._deadlines if one[0] <= time.monotonic()]:
            self._deadlines.remove(deadline)
            deadline[1]()

    def _after(self, seconds: float, what: Callable[[], None]) -> None:
        self._deadlines.append((time.monotonic() + seconds, what))

    def _stop(self, why: str) -> None:
        """Stop the program softly first: it receives a KeyboardInterrupt, and its trace arrives."""
        if self.heard.stopped:
            return
        self.heard.stopped = why
        # else the terminal has told the program already
        if why != _INTERRUPTED or not self.view.foreground():
            self._signal(signal.SIGINT)
        self._after(_GRACE, self._kill)

    def _kill(self) -> None:
        self._signal(WHERE)
        self._after(_LAST_LOOK, lambda: self._signal(signal.SIGKILL))

    def _signal(self, number: int) -> None:
        if self._guard is not None:
            with suppress(OSError):
                self._guard.sendall(packed({"signal": int(number)}))

    def _hear(self, stream: Any, unpacker: Unpacker) -> bool:
        """Return what a process says; False if it says nothing any more."""
        try:
            data = stream.recv(_CHUNK)
        except OSError:
            data = b""
        # a program can write into any of its files: nonsense is dropped
        with suppress(ValueError, KeyError):
            for header, _ in unpacker.feed(data):
                if "at" in header:
                    self.view.say(str(header["at"]))
                elif "fetch" in header:
                    self._asked.append(header["fetch"])
                else:
                    self.heard.take(header)
        return bool(data)
