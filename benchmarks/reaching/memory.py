"""The memory that a process's children, and theirs, hold at the most: what several share is counted once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

_EVERY = 0.1
_MIB = 1024


class Peak:
    """Looks at all children of this process while its block runs; `mib` is the most that they held together."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.mib = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            self.mib = max(self.mib, _held_below(os.getpid()))


def _held_below(pid: int) -> float:
    """What a process shares with its children is theirs, too: only what it alone holds is not."""
    own = _sizes(pid)
    alone = own.get("Private_Clean", 0.0) + own.get("Private_Dirty", 0.0)
    return own.get("Pss", 0.0) - alone + sum(_sizes(one).get("Pss", 0.0) for one in _below(pid))


def _below(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                yield child
                yield from _below(child)


def _sizes(pid: int) -> dict[str, float]:
    """Those of a process in MiB, its proportional set size among them; none of one that is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
        return {name: int(text.split()[0]) / _MIB for name, _, text in (line.partition(":") for line in lines)}
    return {}
