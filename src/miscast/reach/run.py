"""A run of which it is known what it did not come to, and what it comes to once it is made to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..event import Block
from .compiled import told
from .forks import CAN_FORK, Forks
from .ways import Ways

if TYPE_CHECKING:
    from ..vm.machine import VirtualMachine

_LEAST = 2.0  # seconds for what is forced, however short the run was


def reached(vm: VirtualMachine, times: float, run: Callable[[], None]) -> None:
    """Run the program, and then what it left: the recorder has both.

    `times` as long as the run took, in all, may what is forced take. Up to 1 nothing is forced.
    """
    failures = vm.recorder.failures
    ways = Ways(failures)
    forks = Forks(vm, ways)
    if times > 1 and CAN_FORK:
        ways.fork = forks
    begin = time.monotonic()
    try:
        with told(ways):
            run()
            now = time.monotonic()
            with failures.during("it went the ways that the run left"):
                forks.let_go(now + max(_LEAST, (times - 1) * (now - begin)))
    finally:
        forks.end()
    with failures.during("it told what the run left"):
        vm.recorder.reach = tuple(_blocks(ways, forks.blocks))


def _blocks(ways: Ways, tried: list[Block]) -> Iterator[Block]:
    """What was not reached by itself, what was tried first."""
    yield from tried
    known = {(block.file, block.first, block.line) for block in tried}
    for block in map(ways.block, ways.left()):
        if (block.file, block.first, block.line) not in known:
            yield block
