"""The modules of a run as they ran: dtypes from left to right, → where one differs from that on its left.

modules as they ran          parameters inputs    compute   outputs   device
model  Net                   float32   float32   →bfloat16 bfloat16  cuda:0
  embed  Linear              float32   float32   →bfloat16 bfloat16
  layers.0-3  Block          float32   →bfloat16 bfloat16  bfloat16
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct, UnsetType

from ..core.dtypes import short
from ..core.event import Placed, Stage
from ..core.frozen import dataclass
from ..core.meeting import ranks
from .json import taken
from .lines import cut

if TYPE_CHECKING:
    from rich.text import Text

_HEAD = "modules as they ran"
_WIDTH = 80
_CELL = 11
_DEVICE = 9
_LONG = len("bfloat16")
PASSED = ("parameters", "inputs", "compute", "outputs")


class TreeTensors(Struct, kw_only=True):
    """A dtype and a device that were seen."""

    dtype: str
    device: str


class TreeModule(Struct, kw_only=True):
    """A module, or several alike ("layers.0-39"); `modules` inside it ran in the same way and are not listed."""

    path: str
    kind: str
    depth: int
    alike: int
    modules: int
    calls: int
    parameters: tuple[TreeTensors, ...]
    inputs: tuple[TreeTensors, ...]
    compute: tuple[TreeTensors, ...]
    outputs: tuple[TreeTensors, ...]
    ranks: tuple[int, ...] | UnsetType = UNSET

    def __post_init__(self) -> None:
        self.ranks = self.ranks or UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleTree:
    """All stages, in the order of the program."""

    stages: tuple[Stage, ...]

    name = "tree"

    def data(self) -> list[TreeModule]:
        """Return the stages, each with its depth."""
        return [taken(TreeModule, stage) for stage in self.stages]

    def lines(self, width: int) -> Iterator[Text]:
        """Yield a line for each, in as many columns as 80, and no fewer than the columns of dtypes take."""
        from rich.text import Text

        room = max(min(width, _WIDTH) - 4 * _CELL - _DEVICE, len(_HEAD) + 1)
        if not self.stages:
            yield Text("no module was called", "dim")
            return
        head = "".join(f"{column:{_CELL}}" for column in PASSED)
        yield Text(f"{_HEAD:{room}}{head}device", "bold")
        above: list[str] = []
        who: tuple[int, ...] = ()
        for stage in self.stages:
            if stage.ranks != who:
                who = stage.ranks
                yield Text(ranks(who), "bold")
            device = devices_of(stage)
            del above[stage.depth :]
            shown = "" if above and device == above[-1] else device
            above.append(device or (above[-1] if above else ""))
            yield _line(stage, room, shown)


def _line(stage: Stage, room: int, device: str) -> Text:
    from rich.text import Text

    line = Text(_name(stage, room))
    left = ""
    for cell in PASSED:
        own = _dtypes(getattr(stage, cell))
        changed = bool(own and left and own != left)
        told = f"{'→' * changed}{own or '-'}"
        line.append(
            f"{told:{_CELL - 1}} ", "yellow" if changed else "" if own else "dim"
        )
        left = own or left
    line.append(device, "cyan")
    line.rstrip()
    return line


def _name(stage: Stage, room: int) -> str:
    """Return path and class of a module; the class is cut first if there is no room."""
    indent = "  " * min(stage.depth, 6)
    path = cut(stage.path, room - len(indent) - 1)
    left = room - len(indent) - len(path) - 3
    kind = f"  {cut(stage.kind, left)}" if left > 3 else ""
    return f"{indent}{path}{kind}".ljust(room)


def _dtypes(seen: Sequence[Placed]) -> str:
    """Return one dtype by its full name, several in short: "f32+bf16"."""
    names = list(dict.fromkeys(placed.dtype for placed in seen))
    if len(names) == 1 and len(names[0]) <= _LONG:
        return names[0]
    told = "+".join(map(short, names))
    return told if len(told) < _CELL - 1 else "mixed"


def devices_of(stage: Stage) -> str:
    """Return all that it touched."""
    every = (placed for cell in PASSED for placed in getattr(stage, cell))
    return ", ".join(dict.fromkeys(placed.device for placed in every if placed.device))
