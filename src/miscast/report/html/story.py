"""A finding with the history of each operand: created, cast, promoted, up to the line that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.event import Event, Location, Operand
from ...core.finding import Edit, Finding, RankedCause
from ..places import with_moves
from ..wording import path, place, verb
from .excerpt import Excerpt, Sources
from .patches import Way, ways

_OPERANDS = 6
_STEPS = 8
_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An event that set the tensor's dtype or device; `note` is "root cause", "silent promotion" or ""."""

    verb: str
    value: str
    note: str
    excerpt: Excerpt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strand:
    """The history of an operand; `odd` marks the one with the wrong dtype or device."""

    name: str
    value: str
    told: str
    odd: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A related place, its code, and how it relates to the finding."""

    label: str
    at: str
    function: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All that the page shows of a finding; `number` is its index in the report."""

    number: int
    finding: Finding
    count: str
    failure: Excerpt | None
    strands: tuple[Strand, ...]
    more: int
    related: tuple[Place, ...]
    callers: tuple[Place, ...]
    ways: tuple[Way, ...]
    causes: tuple[RankedCause, ...]
    followers: tuple[str, ...]
    follow: int


def story(
    number: int, finding: Finding, followers: Sequence[Finding], sources: Sources
) -> Story:
    """Return a finding with its consequences in one line each."""
    at = finding.location
    operands = finding.operands[:_OPERANDS]
    callers = [
        one for one in finding.callers if (one.file, one.line) != (at.file, at.line)
    ]
    return Story(
        number=number,
        finding=finding,
        count=f"×{finding.count:,}" if finding.count > 1 else "",
        failure=sources.at(at) if at.file else None,
        strands=tuple(_strand(finding, one, sources) for one in operands),
        more=len(finding.operands) - len(operands),
        related=tuple(
            _place(one.label, one.location) for one in finding.related[:_LISTED]
        ),
        callers=tuple(_place("from", one) for one in callers[:_LISTED]),
        ways=tuple(ways(finding)),
        causes=finding.causes,
        followers=tuple(
            f"{one.message}  {place(one.location)}" for one in followers[:_LISTED]
        ),
        follow=len(followers),
    )


def _place(label: str, at: Location) -> Place:
    return Place(label=label, at=place(at), function=at.function, code=at.code.strip())


def _strand(finding: Finding, operand: Operand, sources: Sources) -> Strand:
    event = finding.origin(operand)
    steps = tuple(_steps(finding, operand, event, sources)) if event else ()
    never = finding.about == "device" and operand.device == "cpu" and not event
    unknown = "" if steps or finding.pattern else "origin unknown"
    shape = "" if operand.shape is None else f"[{', '.join(map(str, operand.shape))}]"
    told = (operand.path, operand.role, shape, "never moved" if never else unknown)
    return Strand(
        name=operand.name,
        value=finding.value(operand) or operand.dtype or operand.device,
        told=" · ".join(filter(None, told)),
        odd=operand.name == finding.blamed,
        steps=steps,
    )


def _steps(
    finding: Finding, operand: Operand, event: Event, sources: Sources
) -> Iterator[Step]:
    """Yield the oldest event first; of a long history, the beginning and the end."""
    start, root = event.start(), _root(finding, operand, event)
    chain = [*with_moves(event.chain()[::-1])]
    if len(chain) > _STEPS:
        chain[_STEPS // 2 : -_STEPS // 2] = []
    for one in chain:
        promotion = one is start and one.kind == "promoted"
        yield Step(
            verb=verb(one),
            value=finding.value(one),
            note="root cause"
            if one is root
            else "silent promotion"
            if promotion
            else "",
            excerpt=sources.at(one.location) if one.location else None,
        )


def _root(finding: Finding, operand: Operand, event: Event) -> Event | None:
    """Return the event at the line that the verified fix changes, else the first promotion or the oldest event.

    None for an operand that is not to blame, and for a history of one event that no fix changes.
    """
    if operand.name != finding.blamed:
        return None
    edits = [edit for fix in finding.fixes if fix.verified for edit in fix.edits]
    for one in event.chain():
        if one.location and any(_changes(edit, one.location) for edit in edits):
            return one
    return event.start() if event.source else None


def _changes(edit: Edit, at: Location) -> bool:
    same = path(edit.file) == path(at.file)
    return same and edit.start_line <= at.line <= edit.end_line
