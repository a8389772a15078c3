"""A run of which it is known what it did not come to, and what it comes to once it is made to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..event import Block
from .compiled import told
from .forks import CAN_FORK, Forks
from .loader_ends import LoaderEnds
from .ways import Ways

if TYPE_CHECKING:
    from ..vm.machine import VirtualMachine

_LEAST = 2.0  # seconds for what is forced, however short the run was
_SLOWEST = 8.0  # times as long, where the machine is busy with other work


def reached(vm: VirtualMachine, times: float, run: Callable[[], None]) -> None:
    """Run the program, and then what it left: the recorder has both.

    `times` as long as the run took, in all, may what is forced take. Up to 1 nothing is forced.
    """
    failures = vm.recorder.failures
    ways = Ways(failures)
    forks = Forks(vm, ways)
    if times > 1 and CAN_FORK:
        ways.fork = forks
        vm.smaller_batches = LoaderEnds(ways, failures)
    begin, worked = time.monotonic(), time.process_time()
    try:
        with told(ways):
            run()
            now = time.monotonic()
            took, worked = now - begin, time.process_time() - worked
            least = _LEAST * min(max(took / max(worked, 0.1), 1.0), _SLOWEST)
            with failures.during("it went the ways that the run left"):
                forks.let_go(now + max(least, (times - 1) * took))
    finally:
        forks.end()
    with failures.during("it told what the run left"):
        vm.recorder.reach = tuple(_blocks(ways, forks))


def _blocks(ways: Ways, forks: Forks) -> Iterator[Block]:
    """What was not reached by itself, what was tried first."""
    yield from forks.blocks
    known = {_place(block) for block in forks.blocks}
    for number in ways.left():
        block = ways.block(number, why=forks.refused.get(number, ""))
        if _place(block) not in known:
            yield block


def _place(block: Block) -> tuple[str, int, int, str]:
    return block.file, block.first, block.line, block.condition
