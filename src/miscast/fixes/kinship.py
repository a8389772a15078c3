"""Whether what mends one finding may have mended another: only then is a run worth its time that shows it.

akin(finding, candidate, other)      # the candidate changes a line, or meets one, that the other's tensors came by
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..event import Event, Operand
from ..finding import Finding
from .attempt import Candidate

_Place = tuple[str, int]


def akin(finding: Finding, candidate: Candidate, other: Finding) -> bool:
    """Whether a line that a finding's candidate changes, or that the mistake was made on, is in the other's story.

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
        for tag, begin, end, _to, _until in one.moved.blocks:
            if tag != "equal":
                lines = (
                    range(begin + 1, end + 1)
                    if begin < end
                    else range(begin, begin + 2)
                )
                yield from ((one.moved.path, line) for line in lines)


def _events(finding: Finding, operands: Iterable[Operand]) -> Iterator[Event]:
    for operand in operands:
        origin = finding.origin(operand)
        yield from origin.chain() if origin is not None else ()


def _places(event: Event) -> list[_Place]:
    """Where it happened, and where the tensor was moved as it was."""
    return [
        (here.file, here.line)
        for here in (event.location, event.carried)
        if here is not None
    ]
