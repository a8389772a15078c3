"""The modules of a run as a collapsible tree, with their dtypes; changes of dtype are marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...core.event import Stage
from ...core.meeting import ranks
from ..module_tree import PASSED, devices_of
from ..wording import plural

_DEEPEST = 40
_ROWS = 3000
_UNFOLDED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Dtypes:
    """The dtypes of the parameters, inputs, compute or outputs; `changed`: not the dtypes before it."""

    label: str
    text: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A module, with its submodules."""

    path: str
    kind: str
    told: str
    cells: tuple[Dtypes, ...]
    device: str
    open: bool
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The modules of some ranks, "" for a single process."""

    ranks: str
    roots: list[Node] = field(default_factory=list)


def forest(stages: Sequence[Stage]) -> list[Forest]:
    """Return a tree for each group of ranks with the same modules and dtypes."""
    found: list[Forest] = []
    above: list[Node] = []
    who: tuple[int, ...] | None = None
    unfolded = len(stages) <= _UNFOLDED
    for stage in stages[:_ROWS]:
        if stage.ranks != who:
            who = stage.ranks
            above = []
            found.append(Forest(ranks=ranks(who) if who else ""))
        del above[min(stage.depth, _DEEPEST) :]
        node = _node(stage, unfolded=unfolded or len(above) < 2)
        (above[-1].children if above else found[-1].roots).append(node)
        above.append(node)
    return found


def _node(stage: Stage, *, unfolded: bool) -> Node:
    told = [plural(stage.calls, "call")] if stage.calls > 1 else []
    if stage.modules:
        told.append(f"{plural(stage.modules, 'submodule')} with the same dtypes")
    return Node(
        path=stage.path,
        kind=stage.kind,
        told=" · ".join(told),
        cells=tuple(_cells(stage)),
        device=devices_of(stage),
        open=unfolded,
    )


def _cells(stage: Stage) -> Iterator[Dtypes]:
    before = ""
    for label in PASSED:
        dtypes = dict.fromkeys(one.dtype for one in getattr(stage, label))
        text = ", ".join(dtypes)
        if text:
            yield Dtypes(
                label=label, text=text, changed=bool(before and text != before)
            )
            before = text
