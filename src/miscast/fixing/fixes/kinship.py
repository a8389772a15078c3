"""Check whether one finding's fix may have fixed another. Only then is it worth a run.

akin(finding, candidate, other)      # the candidate changes a line, or meets one, that the other's tensors came by
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.event import Event, Operand
from ...core.finding import Finding
from .attempt import Candidate

_Place = tuple[str, int]


def akin(finding: Finding, candidate: Candidate, other: Finding) -> bool:
    """Check whether a line that this candidate changes, or that is to blame, is in the other's history.

    Or both are about devices: who asks a generator or a module where it is leaves no trace in a tensor's story.
    """
    if finding.about == other.about == "device":
        return True
    blamed = [
        one for one in finding.operands if one.name == finding.blamed
    ] or finding.operands
    mended = {
        *_changed(candidate),
        *(place for event in _events(finding, blamed) for place in _places(event)[:1]),
    }
    return not mended.isdisjoint(
        place for event in _events(other, other.operands) for place in _places(event)
    )


def _changed(candidate: Candidate) -> Iterator[_Place]:
    """Lines of the source as it was; of an insertion the two beside it."""
    for one in candidate.all:
        for begin, end, _to, _until in one.moved.blocks:
            first, last = (begin + 1, end) if begin < end else (begin, begin + 1)
            yield from ((one.moved.path, line) for line in range(first, last + 1))


def _events(finding: Finding, operands: Iterable[Operand]) -> Iterator[Event]:
    for operand in operands:
        origin = finding.origin(operand)
        yield from origin.chain() if origin is not None else ()


def _places(event: Event) -> list[_Place]:
    """Return the line of an event, and the line where its tensor was moved."""
    places = (event.location, event.carried)
    return [(here.file, here.line) for here in places if here is not None]


def lasting(finding: Finding) -> tuple[str, ...]:
    """Return the parts of a finding that lines above it do not change."""
    at = finding.location
    return finding.rule, finding.message, at.file, at.function, at.code
