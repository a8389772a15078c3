"""A run of which it is known what it did not come to, and what it comes to once it is made to."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...core.event import SAMPLES, Block
from .compiled import told
from .forks import CAN_FORK, Forks
from .loader_ends import LoaderEnds
from .rounds import Rounds
from .ways import Ways

if TYPE_CHECKING:
    from ..machine import VirtualMachine

_LEAST = 2_000  # ops for what is forced, however short the run was
_SECONDS = 20.0, 8.0
"""Seconds of processor time for what runs long without ops: at least, and for each that the run took."""
_LAST = 1.0  # seconds for the report, ahead of the time limit


def reached(
    vm: VirtualMachine,
    times: float,
    run: Callable[[], bool],
    *,
    samples: int = SAMPLES,
    end: float = math.inf,
) -> None:
    """Run the program, and then the branches that it did not execute: the recorder has both.

    `run` returns whether it was interrupted: then nothing is forced. What is forced may run as many ops as bring the
    sum to `times` those of the run; it ends before `end`. Up to 1 nothing is forced, and at 0 not even told: loops are
    cut that repeat (`rounds`). An interrupt ends what is forced, and not the report.
    """
    failures = vm.recorder.failures
    ways = Ways(failures, Rounds(vm))
    forks = Forks(vm, ways)
    if times > 1 and CAN_FORK:
        ways.fork = forks
        vm.smaller_batches = LoaderEnds(ways, failures, samples)
    begin = time.process_time()
    try:
        with told(ways), forks.garbage.watched():
            if run():
                forks.interrupt()
            more, took = max(times - 1, 0.0), time.process_time() - begin
            least, slower = _SECONDS
            with (
                failures.during("it explored skipped branches"),
                _interrupts(forks.interrupt),
            ):
                forks.let_go(
                    ops=max(_LEAST, round(more * vm.recorder.ops)),
                    seconds=max(least, slower * more * took),
                    until=end - _LAST,
                )
    finally:
        forks.end()
    if times:
        with failures.during("it listed skipped branches"):
            vm.recorder.reach = tuple(_blocks(ways, forks))


@contextmanager
def _interrupts(told: Callable[..., None]) -> Iterator[None]:
    """Report an interrupt to `told` within the block, instead of raising an exception."""
    before = None
    with suppress(ValueError):  # only the main thread hears of them
        before = signal.signal(signal.SIGINT, told)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _blocks(ways: Ways, forks: Forks) -> Iterator[Block]:
    """Yield what was not reached by itself, what was tried first; not what only hands values on."""
    left = (ways.block(n, why=forks.refused.get(n, "")) for n in ways.left())
    known = set()
    for block in (*forks.blocks, *left):
        if block.does and _place(block) not in known:
            known.add(_place(block))
            yield block


def _place(block: Block) -> tuple[str, int, int, str]:
    return block.file, block.first, block.line, block.condition
