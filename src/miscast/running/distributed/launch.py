"""A process per rank, forked from this one, which has torch but runs nothing of the program; they meet in it.

    world = launched(4, lambda channel, rank: run(…))

No process outlives the one that started it: they are killed when it is interrupted, or dies.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NoReturn

from msgspec import convert

from ...core.event import Trace
from ...core.failure import Failures, spelled
from ...core.meeting import Collective, MultiRankTrace
from ...vm.collectives.channel import Channel, Unpacker, packed
from ...vm.streamed import Seen
from ..launching.entry import CannotRunError
from ..process.linux import die_with_parent
from ..process.standard_input import again
from ..workers.forks import flush_streams, forked, killed, silence
from .rendezvous import Contribution, Out, Rendezvous

_CHUNK = 1 << 18
Heard = Callable[[int, dict[str, Any]], None]
"""Called with a rank, and a message of `vm.streamed.telling`."""
Rank = Callable[[int, Channel], Trace]
"""Runs the program as one rank, and says what was seen."""


@dataclass(slots=True)
class _Process:
    pid: int
    stream: socket.socket
    seen: Seen
    unpacker: Unpacker = field(default_factory=Unpacker)
    unsent: bytearray = field(default_factory=bytearray)
    trace: Trace | None = None
    cannot: str = ""


def launched(
    size: int,
    run: Rank,
    unseen: Trace,
    watch: Callable[[Callable[[], str]], None] | None = None,
    heard: Heard | None = None,
) -> MultiRankTrace:
    """Run all ranks side by side until the last has ended, or this process is interrupted.

    `unseen` is the trace of a rank of which nothing was seen; of one whose process died, what it had told until then is
    kept. `watch` is called once, when all have begun, with a function that tells how far they are; `heard` at once with
    what a rank tells.

    Raises CannotRunError where a rank found nothing to run.
    """
    ranks = _Ranks(Rendezvous(size), heard or (lambda _rank, _header: None))
    processes = ranks.processes
    try:
        for rank in range(size):
            processes[rank] = _forked(
                rank, run, [p.stream for p in processes.values()], Seen(unseen)
            )
        if watch is not None:
            watch(ranks.progress)
        ranks.serve()
    except KeyboardInterrupt:
        for process in processes.values():
            process.trace = process.trace or process.seen.trace(
                "the program was interrupted"
            )
    finally:
        for process in processes.values():
            _end(process)
    return ranks.world(unseen)


def _forked(rank: int, run: Rank, others: list[socket.socket], seen: Seen) -> _Process:
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    pid = forked(lambda: _alone(rank, theirs, (ours, *others), run, parent))
    theirs.close()
    with suppress(OSError):
        os.setpgid(pid, pid)  # the child does the same: whoever is first
    ours.setblocking(False)
    return _Process(pid, ours, seen)


def _alone(
    rank: int,
    stream: socket.socket,
    others: Iterable[socket.socket],
    run: Rank,
    parent: int,
) -> NoReturn:
    """Run the program in the fork, send the trace, and exit without the parent's exit handlers."""
    for other in others:
        other.close()
    channel = Channel(stream)
    try:
        os.setpgid(0, 0)  # the terminal's interrupt is for the parent, which ends all
        die_with_parent(parent)
        _quiet(rank)
        said: dict[str, Any] = {"trace": asdict(run(rank, channel))}
    except CannotRunError as error:
        said = {"cannot": str(error)}
    except BaseException as error:  # noqa: BLE001 - a fork must not go on as its parent
        failures = Failures()
        failures.note(error, "it started a rank")
        said = {
            "died": spelled(error),
            "failed": failures.line,
            "traceback": failures.traceback,
        }
    with suppress(BaseException):
        flush_streams()
        channel.send(said)
    os._exit(0)


def _quiet(rank: int) -> None:
    """Silence all ranks but rank 0, close the terminal's input, and give each rank its own copy of files and pipes."""
    again()
    if rank:
        silence(1, 2)
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        sys.stderr = sys.stdout


class _Ranks:
    """The ranks, seen by the process that connects them all."""

    def __init__(self, rendezvous: Rendezvous, heard: Heard) -> None:
        self.processes: dict[int, _Process] = {}
        self._rendezvous, self._tell = rendezvous, heard

    def progress(self) -> str:
        """Return how far they are."""
        ended = sum(p.trace is not None for p in self.processes.values())
        return f"{ended} of {len(self.processes)} ranks finished, {self._rendezvous.matched:,} collectives matched"

    def world(self, unseen: Trace) -> MultiRankTrace:
        """Return what was seen of all. Raises CannotRunError where a rank found nothing to run."""
        for process in self.processes.values():
            if process.cannot:
                raise CannotRunError(process.cannot)
        self._rendezvous.close()
        traces = tuple(process.trace or unseen for process in self.processes.values())
        return MultiRankTrace(
            traces=traces,
            meetings=tuple(self._rendezvous.meetings),
            matched=self._rendezvous.matched,
            met=self._rendezvous.met.told(),
        )

    def serve(self) -> None:
        """Serve messages until all ranks have ended."""
        with selectors.DefaultSelector() as selector:
            for rank, process in self.processes.items():
                selector.register(process.stream, selectors.EVENT_READ, rank)
            while selector.get_map():
                for key, events in selector.select():
                    if events & selectors.EVENT_READ:
                        self._serve_one(selector, key.data)
                    for rank in self.processes:
                        self._flush(selector, rank)

    def _serve_one(self, selector: selectors.BaseSelector, rank: int) -> None:
        process = self.processes[rank]
        out = self._hear(rank, process)
        if process.trace is not None:
            selector.unregister(process.stream)
            out += self._rendezvous.ends(rank, by_error=process.trace.ended is not None)
        for to, header, payload in out:
            self.processes[to].unsent += packed(header, payload)

    def _hear(self, rank: int, process: _Process) -> list[Out]:
        """Return what a rank says; where it says nothing any more, or nonsense, it has its trace."""
        out: list[Out] = []
        died = ""
        try:
            data = process.stream.recv(_CHUNK)
            for header, payload in process.unpacker.feed(data):
                out += self._take(rank, header, payload)
            if data:
                return out
        except OSError:
            pass
        except (ValueError, KeyError) as error:
            died = f"its process was killed: {error}"
        process.trace = process.trace or _dead(process, died)
        return out

    def _take(self, rank: int, header: dict[str, Any], payload: bytes) -> list[Out]:
        """Process a message, and return those that follow from it."""
        process = self.processes[rank]
        if "brings" in header:
            bring = Contribution(
                number=int(header["id"]),
                one=convert(header["brings"], Collective),
                data=payload if header["known"] else None,
                assumed=bool(header["assumed"]),
            )
            return self._rendezvous.bring(rank, bring, header["tag"])
        if "waits" in header:
            return self._rendezvous.waits(rank, int(header["waits"]))
        if "saw" in header:
            process.seen.take(header)
            self._tell(rank, header)
        elif "trace" in header:
            process.trace = convert(header["trace"], Trace)
        else:
            dead = _dead(process, str(header.get("died", "")))
            traceback = str(header.get("traceback", ""))
            process.cannot = str(header.get("cannot", ""))
            process.trace = replace(
                dead, failed=header.get("failed"), traceback=traceback
            )
        return []

    def _flush(self, selector: selectors.BaseSelector, rank: int) -> None:
        """Send as much as possible now; wait for room for the rest."""
        process = self.processes[rank]
        if process.stream not in [key.fileobj for key in selector.get_map().values()]:
            return
        with suppress(BlockingIOError, OSError):
            while process.unsent:
                del process.unsent[: process.stream.send(process.unsent)]
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if process.unsent else 0)
        if selector.get_key(process.stream).events != wanted:
            selector.modify(process.stream, wanted, rank)


def _dead(process: _Process, text: str) -> Trace:
    return process.seen.trace(text or "its process was killed")


def _end(process: _Process) -> None:
    """Kill the rank's process and all processes that it started."""
    process.stream.close()
    killed(process.pid)
