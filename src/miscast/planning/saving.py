"""Moves beside precision and checkpointing: optimizer states of eight bits, FSDP2 over ranks, what is kept on the host.

What is not tried is told, with why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any

from ..core.machines import Machine
from .fitting.candidate import LIBRARIES
from .moves import Move

_REPLACED = {"Adam", "AdamW"}
_SHARED = {"mps", "cpu"}
"""Devices whose memory is the host's: moving there saves nothing."""
_WORTH = 0.02
"""Share of the peak that states must hold to be worth a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """`first` are tried with the precisions, `last` where nothing else fits; `untried` says what is not, and why."""

    first: Sequence[Move] = ()
    last: Sequence[Move] = ()
    untried: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Results of runs: components, optimizer classes, and the share of the peak that their states take.

    `installed` are the libraries that have optimizers of eight bits.
    """

    components: Sequence[Mapping[str, Any]]
    optimizers: Sequence[str]
    share: float
    installed: Sequence[str]


def saving(shown: Shown, machine: Machine, ranks: int) -> Saving:
    """Return what there is to try."""
    why = _no_other_optimizer(shown)
    parts = filter(lambda one: one.get("wrapped"), shown.components)
    wrapped = {one["name"]: one["wrapped"] for one in parts}
    first, last, untried = [], [], []
    if why:
        untried += [
            f"8-bit optimizer states: {why}",
            f"an optimizer on the host: {why}",
        ]
    else:
        first += [Move("", field="states", value=one) for one in shown.installed]
        missing = filterfalse(shown.installed.__contains__, LIBRARIES)
        untried += [f"8-bit optimizer states of {x} (not installed)" for x in missing]
        if machine.device in _SHARED:
            untried.append("an optimizer on the host: it shares memory with the device")
        else:
            last.append(Move("", field="host", value="optimizer"))
    around = _no_sharding(shown, machine, wrapped)
    if not around:
        last.append(Move("", field="host", value="weights"))
        if ranks > 1:
            first.append(Move("", field="ranks", value=ranks))
    elif ranks > 1 or wrapped:
        untried.append(f"FSDP2: {around}")
    return Saving(first=first, last=last, untried=untried)


def _no_other_optimizer(shown: Shown) -> str:
    """Return why none can step in the place of the program's."""
    if not shown.optimizers:
        return "no optimizer step was observed"
    other = sorted(set(shown.optimizers) - _REPLACED)
    if other:
        return (
            f"the program uses {other[0]}, but only Adam and AdamW have an 8-bit class"
        )
    if shown.share < _WORTH:
        return f"optimizer states are only {shown.share:.1%} of the peak"
    return ""


def _no_sharding(shown: Shown, machine: Machine, wrapped: Mapping[str, str]) -> str:
    if wrapped:
        name, kind = next(iter(wrapped.items()))
        return f"the program already wraps {name} in {kind}"
    if not any(one["trained"] for one in shown.components):
        return "nothing is trained"
    if machine.device not in ("cuda", "xpu"):
        return f"not supported on {machine.device}"
    return ""
