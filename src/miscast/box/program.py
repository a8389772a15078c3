"""The program's process in the sandbox: run the program on a virtual machine and report while it runs."""

from __future__ import annotations

import atexit
import errno
import faulthandler
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, NoReturn

from ..core.failure import Failures
from ..running.launching.command_line import Launching, starts_others, typed
from ..running.launching.entry import CannotRunError
from ..running.process.environment import put
from ..running.program.files_read import noted
from ..running.program.following import follow
from ..running.program.loading import loaded
from ..running.workers.forks import flush_streams
from ..vm.collectives.channel import packed
from ..vm.outside import Outside
from .guard import WHERE
from .job import Job

_EXIT = os._exit  # the program's is patched while it runs
_LOOK = 0.2
_STAND_INS = b"miscast: the output below is computed from placeholder values\n"


class Telling:
    """Messages to the process that reports; any thread may send."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def send(self, header: dict[str, Any]) -> None:
        """Send a message; do nothing in a fork of the program, or if there is no reader any more."""
        if os.getpid() != self._owner:
            return
        with self._lock, suppress(OSError):
            self._stream.sendall(packed(header))

    def last(self, header: dict[str, Any]) -> NoReturn:
        """Say this, and end."""
        flush_streams()
        self.send(header)
        _EXIT(0)


def run(job: Job, stream: socket.socket, places: int, box: Outside | None) -> NoReturn:
    """Run the job, and end the process. `places` is an open file for where it was when it died.

    `box` is what keeps its effects in, from inside.
    """
    end = time.monotonic() + (job.time_limit or math.inf)
    faulthandler.enable(places, all_threads=False)
    faulthandler.register(WHERE, places, all_threads=False)
    _held({stream.fileno(), places, job.read})
    telling = Telling(stream)
    try:
        loaded()
        from ..vm.provenance.origin import own  # which imports torch

        own(job.edit)
        if job.read >= 0:
            noted(job.read)
        found = _followed(job, telling, box, end)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told, and the process ends
        found = _failed(error)
    telling.last(found)


def _held(numbers: Collection[int]) -> None:
    """Patch `os.close` and `os.closerange` to treat these descriptors as if they were not open.

    A program that closes "all others", as daemons do, would cut off its own report. Nothing is put back.
    """
    close, closerange = os.close, os.closerange

    def spare(fd: int) -> None:
        if fd in numbers:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        close(fd)

    def spare_range(fd_low: int, fd_high: int, /) -> None:
        for number in sorted(numbers):
            if fd_low <= number < fd_high:
                closerange(fd_low, number)
                fd_low = number + 1
        closerange(fd_low, fd_high)

    os.close, os.closerange = spare, spare_range


def _followed(
    job: Job, telling: Telling, box: Outside | None, end: float
) -> dict[str, Any]:
    """Run the requested program; for a launcher, the last program that is started in another process.

    `end`: when its time limit is over.
    """
    program, note = typed(job.target, job.args), ""
    job = replace(job, target=program.target, args=program.args)
    if job.ranks and starts_others(job.target):
        raise CannotRunError(
            f"{job.target} starts its own ranks: remove --ranks {job.ranks}"
        )
    while True:
        try:
            if job.ranks:
                return _ranks(job, telling, box, note, end)
            return _alone(job, telling, box, note, end)
        except Launching as start:
            launch = start.launch
            job = replace(
                job,
                target=launch.program.target,
                args=launch.program.args,
                ranks=launch.ranks,
            )
            note = note or launch.note
            put(launch.environment)


def _failed(error: BaseException) -> dict[str, Any]:
    if isinstance(error, CannotRunError):
        return {"cannot": str(error)}
    if isinstance(error, KeyboardInterrupt):
        return {"interrupted": True}
    failures = Failures()
    failures.note(error, "it started the program")
    return {"failed": failures.line, "traceback": failures.traceback}


def _alone(
    job: Job, telling: Telling, box: Outside | None, note: str, end: float
) -> dict[str, Any]:
    from ..core import machines
    from ..running.program.run import gathered, run_program
    from ..running.program.stack_samples import sampler
    from ..running.program.warm_process import libraries
    from ..vm.scenes import Scenes
    from ..vm.streamed import telling as listener

    starts = starts_others(job.target)
    scenes: list[Scenes] = []

    def begin(vm: Any) -> None:
        vm.recorder.heard = listener(telling.send, lambda: vm.recorder.ops)
        vm.recorder.begun()
        if note:
            vm.recorder.note(note)
        vm.every_step = job.steps == "all"
        vm.dispatcher.values.answers.turned = frozenset(job.turned)
        if job.numerics:
            follow(vm, assume=job.assume)
        if job.scenes:
            scenes.append(Scenes(vm))
        vm.leaving.append(_exits)
        vm.last_words = lambda: telling.last({"trace": asdict(gathered(vm))})
        if not starts:
            _marked(job)
        # what is started may be forked: no thread until then
        if job.watched and not starts:
            sampled = sampler()
            _look(lambda: vm.aside or sampled(), telling)

    trace = run_program(
        job.target,
        job.args,
        machines.find(job.machine),
        batches=job.batches,
        box=box,
        watch=begin,
        follow=starts,
        reach=job.reach,
        samples=job.samples,
        end=end,
    )
    if scenes:
        trace = replace(trace, scenes=scenes[0].all())
    if scenes or job.also or job.read >= 0:
        trace = replace(trace, modules=tuple(libraries()))
    return {"trace": asdict(trace)}


def _marked(job: Job) -> None:
    """Announce that the program's output comes from placeholders, if it goes into a pipe."""
    if job.piped:
        with suppress(OSError):  # nobody reads it
            os.write(2, _STAND_INS)


def _exits() -> None:
    """Run the program's exit handlers in the sandbox, on the machine, unless a launcher has not ended."""
    if isinstance(sys.exc_info()[1], Launching):
        return
    with suppress(BaseException):  # Python prints what they raise, and goes on
        atexit._run_exitfuncs()


def _ranks(
    job: Job, telling: Telling, box: Outside | None, note: str, end: float
) -> dict[str, Any]:
    from ..core import machines
    from ..running.distributed.run import run_ranks
    from ..running.program.warm_process import heated
    from ..vm.scenes import Scenes

    on = machines.find(job.machine)
    # torch 2.6 writes a file when it imports this, which only the box makes possible
    heated(on, ("torch.distributed.nn.jit.instantiator",), box, box)

    def begin(where: Callable[[], str]) -> None:
        _marked(job)
        if job.watched:
            _look(where, telling)

    def prepare(vm: Any) -> None:
        if job.numerics:
            follow(vm, assume=job.assume)
        if job.scenes:
            Scenes(vm)

    world = run_ranks(
        job.ranks,
        job.target,
        job.args,
        on,
        batches=job.batches,
        box=box,
        watch=begin,
        heard=lambda rank, header: telling.send({**header, "rank": rank}),
        note=note,
        reach=job.reach,
        samples=job.samples,
        end=end,
        prepare=prepare,
    )
    return {"world": asdict(world)}


def _look(where: Callable[[], str], telling: Telling) -> None:
    """Say again and again where the program is, from a thread that costs it nothing."""

    def look() -> None:
        while True:
            telling.send({"at": where()})
            threading.Event().wait(_LOOK)

    threading.Thread(target=look, name="miscast-progress", daemon=True).start()
