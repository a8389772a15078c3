"""What is wrong in a program that several ranks ran: what each did for itself, told once, and where they do not fit.

A finding of one rank is that of another if rule, op, place and words agree; the number of the rank's own device aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..finding import Finding
from ..meeting import World

_DEVICE = re.compile(r"\b(cuda|npu|xpu):(\d+)")
_Key = tuple[object, ...]


def merged(by_rank: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of all ranks, each once, with the ranks that have it, in the order in which rank 0 met them."""
    found: list[Finding] = []
    places: dict[_Key, int] = {}
    for rank, findings in enumerate(by_rank):
        here: list[int] = []
        for finding in findings:
            key = _key(finding, rank)
            if key in places:
                known = found[places[key]]
                found[places[key]] = replace(known, ranks=tuple(dict.fromkeys((*known.ranks, rank))))
            else:
                places[key] = len(found)
                root = None if finding.consequence_of is None else here[finding.consequence_of]
                found.append(replace(finding, ranks=(rank,), consequence_of=root))
            here.append(places[key])
    return found


def followed(found: list[Finding], across: Iterable[tuple[Finding, bool]]) -> tuple[Finding, ...]:
    """With the findings of meetings, each with whether it breaks its group: what such ranks meet later follows from it.

    From replicas that differ follows what is reduced of them; from a line that gave a rank another dtype, every other
    collective that meets the same dtypes on the same ranks because of that line.
    """
    roots: list[tuple[set[int], str, int]] = []
    lines: dict[_Key, int] = {}
    for finding, breaks in across:
        members = set(finding.ranks)
        root = next((i for ranks, op, i in roots if len(ranks & members) > 1 and finding.op.startswith(op)), None)
        if root is None and (breaks or finding.rule == "replicas-differ"):
            roots.append((members, "" if breaks else finding.op, len(found)))
        causes = _lines(finding)
        root = next((lines[cause] for cause in causes if cause in lines), None) if root is None else root
        for cause in causes:
            lines.setdefault(cause, len(found) if root is None else root)
        found.append(replace(finding, consequence_of=root))
    return tuple(found)


def _lines(finding: Finding) -> list[_Key]:
    """The lines that gave the odd rank its dtype, with who met what; the op, where no line but its own did."""
    if finding.rule != "collective-dtype-mismatch" or not finding.operands:
        return []
    odd = finding.operands[0]
    chain = odd.dtype_origin.chain() if odd.dtype_origin else ()
    met = finding.ranks, tuple((operand.name, operand.tensor.dtype) for operand in finding.operands)
    places = [(event, event.location) for event in chain if event.location is not None]
    own = all(at.line == finding.location.line and at.file == finding.location.file for _, at in places)
    return [(*met, finding.op if own else at, event.dtype) for event, at in places]


def in_order(world: World, findings: Iterable[Finding]) -> list[tuple[Finding, bool]]:
    """The findings of meetings, as these were met, each with whether the meeting broke its group."""
    met = [(frozenset((one.op, one.location) for one in m.present), not m.is_whole()) for m in world.meetings]

    def place(finding: Finding) -> int:
        return next(i for i, (calls, _) in enumerate(met) if (finding.op, finding.location) in calls)

    return [(finding, met[place(finding)][1]) for finding in sorted(findings, key=place)]


def _key(finding: Finding, rank: int) -> _Key:
    operands = tuple((o.name, o.tensor.dtype, _own(o.tensor.device, rank)) for o in finding.operands)
    words = _own(finding.message, rank)
    return finding.rule, finding.op, words, finding.location, finding.severity, operands


def _own(text: str, rank: int) -> str:
    """With the rank's own device by that name."""
    return _DEVICE.sub(lambda found: f"{found[1]}:own" if int(found[2]) == rank else found[0], text)
