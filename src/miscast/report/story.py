"""The story of a finding as a list of places, from the birth of the mistake to the call that fails.

    x.py:12  mask is created by torch.ones: float32
    x.py:14  promoted by cat with float32 `mask`: float32
    x.py:22  linear mixes float32 `input` with float16 `weight`

What follows a story step by step (SARIF's code flows, a folded list in a comment) takes it from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.event import Event, Location, Operand
from ..core.finding import Finding
from .wording import how


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A place, and what happened there."""

    location: Location
    says: str


def flows(finding: Finding) -> tuple[tuple[Step, ...], ...]:
    """Return, for each operand with a known story, the blamed one first, its events, then the failing line."""
    ordered = sorted(finding.operands, key=lambda one: one.name != finding.blamed)
    last = Step(location=finding.location, says=finding.message)
    told = []
    for operand in ordered:
        steps = tuple(_events(finding, operand))
        if steps and finding.location.file:
            told.append((*steps, last))
    return tuple(told)


def beside(finding: Finding) -> tuple[Step, ...]:
    """Return the places that a finding names besides its own, each once.

    Where operands are from, what belongs to it.
    """
    told = [
        *(step for flow in flows(finding) for step in flow[:-1]),
        *(Step(location=one.location, says=one.label) for one in finding.related),
        *(Step(location=one, says="called from here") for one in finding.callers),
    ]
    seen = {_place(finding.location)}
    kept = []
    for step in told:
        if step.location.file and _place(step.location) not in seen:
            seen.add(_place(step.location))
            kept.append(step)
    return tuple(kept)


def _events(finding: Finding, operand: Operand) -> Iterator[Step]:
    """Yield what gave an operand its dtype or device, the oldest first, each with the move that followed."""
    origin = finding.origin(operand)
    for event in reversed(origin.chain() if origin else ()):
        value = finding.value(event)
        if event.location is not None:
            says = f"`{operand.name}`: {how(event)}, {value}"
            yield Step(location=event.location, says=says)
        moved = _moved(event)
        if moved is not None:
            yield Step(location=moved, says=f"`{operand.name}`: moved, still {value}")


def _moved(event: Event) -> Location | None:
    return event.carried if event.carried and event.carried.file else None


def _place(location: Location) -> tuple[str, int]:
    return location.file, location.line
