"""A run of which it is known what it did not come to, and what it comes to once it is made to."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..event import SAMPLES, Block
from .compiled import told
from .forks import CAN_FORK, Forks
from .loader_ends import LoaderEnds
from .ways import Ways

if TYPE_CHECKING:
    from ..vm.machine import VirtualMachine

_LEAST = 2.0  # seconds for what is forced, however short the run was
_LAST = 1.0  # seconds for the report, ahead of the time limit
_SLOWEST = 4.0  # times as long, where the machine is busy with other work


def reached(
    vm: VirtualMachine,
    times: float,
    run: Callable[[], bool],
    *,
    samples: int = SAMPLES,
    end: float = math.inf,
) -> None:
    """Run the program, and then what it left: the recorder has both.

    `run` says whether it was interrupted: then nothing is forced. `times` as long as the run took, in all, may what is
    forced take, and not up to `end`. Up to 1 nothing is forced. An interrupt ends what is forced, and not the report.
    """
    failures = vm.recorder.failures
    ways = Ways(failures)
    forks = Forks(vm, ways)
    if times > 1 and CAN_FORK:
        ways.fork = forks
        vm.smaller_batches = LoaderEnds(ways, failures, samples)
    begin = time.monotonic()
    try:
        with told(ways), forks.garbage.watched():
            if run():
                forks.interrupt()
            now = time.monotonic()
            with failures.during("it went the ways that the run left"):
                most = max(_LEAST * _busy(), (times - 1) * (now - begin))
                with _interrupts(forks.interrupt):
                    forks.let_go(min(now + most, end - _LAST))
    finally:
        forks.end()
    with failures.during("it told what the run left"):
        vm.recorder.reach = tuple(_blocks(ways, forks))


@contextmanager
def _interrupts(told: Callable[..., None]) -> Iterator[None]:
    """In this block an interrupt raises nothing, and is told."""
    before = None
    with suppress(ValueError):  # only the main thread hears of them
        before = signal.signal(signal.SIGINT, told)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _busy() -> float:
    """How many processes want each core, from 1 on: so much longer takes what has to be done."""
    try:
        wanted = os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:  # the system does not tell
        wanted = 1.0
    return min(max(wanted, 1.0), _SLOWEST)


def _blocks(ways: Ways, forks: Forks) -> Iterator[Block]:
    """What was not reached by itself, what was tried first; not what only hands values on."""
    left = (ways.block(n, why=forks.refused.get(n, "")) for n in ways.left())
    known = set()
    for block in (*forks.blocks, *left):
        if block.does and _place(block) not in known:
            known.add(_place(block))
            yield block


def _place(block: Block) -> tuple[str, int, int, str]:
    return block.file, block.first, block.line, block.condition
