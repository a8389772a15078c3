"""Merge the findings of a program's ranks: report each rank's own once, and those between ranks.

A finding of one rank is that of another if rule, op, place and words agree; the number of the rank's own device aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...core.finding import Finding, Fix
from ...core.meeting import MultiRankTrace

_DEVICE = re.compile(r"\b(cuda|npu|xpu):(\d+)")
SET_DEVICE = Fix(
    title='call torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before moving any tensor'
)
_Key = tuple[object, ...]


def merged(by_rank: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Return the findings of all ranks, each once, with its ranks, in the order in which rank 0 met them."""
    found: list[Finding] = []
    places: dict[_Key, int] = {}
    for rank, findings in enumerate(by_rank):
        here: list[int] = []
        for finding in findings:
            key = _key(finding, rank)
            if key in places:
                known = found[places[key]]
                found[places[key]] = replace(
                    known, ranks=tuple(dict.fromkeys((*known.ranks, rank)))
                )
            else:
                places[key] = len(found)
                root = finding.consequence_of
                root = None if root is None else here[root]
                found.append(replace(finding, ranks=(rank,), consequence_of=root))
            here.append(places[key])
    return list(map(_on_own_device, found))


def _on_own_device(finding: Finding) -> Finding:
    """Return a finding whose ranks meet tensors of rank 0's GPU with the advice to choose their own by default."""
    devices = {o.tensor.device for o in finding.operands if o.tensor.device != "cpu"}
    if finding.about != "device" or 0 in finding.ranks or len(devices) < 2:
        return finding
    return replace(finding, fixes=(SET_DEVICE,)) if "cuda:0" in devices else finding


def followed(
    found: list[Finding], across: Iterable[tuple[Finding, bool]]
) -> tuple[Finding, ...]:
    """Add the findings of meetings, each with whether it breaks its group; later findings of such ranks follow from it.

    From replicas that differ follows what is reduced of them; from a line that gave a rank another dtype, every other
    collective that meets the same dtypes on the same ranks because of that line.
    """
    roots = _Roots(found)
    for finding, breaks in across:
        root = roots.root_of(finding, len(found), breaks=breaks)
        found.append(replace(finding, consequence_of=root))
    return tuple(found)


class _Roots:
    """The findings from which others may follow, by their place in the report."""

    def __init__(self, found: Sequence[Finding]) -> None:
        self._found = tuple(found)
        # ranks that differ from then on, and the ops that tell
        self._apart: list[tuple[set[int], str, int]] = []
        self._lines: dict[_Key, int] = {}

    def root_of(self, finding: Finding, place: int, *, breaks: bool) -> int | None:
        """Return the finding that one at a place follows from, or None, and remember it for later ones."""
        root = self._apart_before(finding)
        if root is None and (breaks or finding.rule == "replicas-differ"):
            self._apart.append(
                (set(finding.ranks), "" if breaks else finding.op, place)
            )
        lines = _lines(finding)
        if root is None and finding.fixes == (SET_DEVICE,):
            same = (i for i, f in enumerate(self._found) if f.fixes == (SET_DEVICE,))
            root = next(same, None)
        if root is None:
            root = next(
                (self._lines[line] for line in lines if line in self._lines), None
            )
        for line in lines:
            self._lines.setdefault(line, place if root is None else root)
        return root

    def _apart_before(self, finding: Finding) -> int | None:
        same = (one for one in self._apart if finding.op.startswith(one[1]))
        several = (i for ranks, _, i in same if len(ranks & {*finding.ranks}) > 1)
        return next(several, None)


def _lines(finding: Finding) -> list[_Key]:
    """Return the lines that gave the mismatching rank its dtype, with ranks and dtypes; the op if only its own did."""
    if finding.rule != "collective-dtype-mismatch" or not finding.operands:
        return []
    odd = finding.operands[0]
    chain = odd.dtype_origin.chain() if odd.dtype_origin else ()
    met = (
        finding.ranks,
        tuple((operand.name, operand.tensor.dtype) for operand in finding.operands),
    )
    places = [(event, event.location) for event in chain if event.location is not None]
    lines = {(place.file, place.line) for _, place in places}
    own = lines <= {(finding.location.file, finding.location.line)}
    return [
        (*met, finding.op if own else place, event.dtype) for event, place in places
    ]


def in_order(
    world: MultiRankTrace, findings: Iterable[Finding]
) -> list[tuple[Finding, bool]]:
    """Return the findings of meetings in order of occurrence, each with whether the meeting broke its group."""
    met = [
        (frozenset((one.op, one.location) for one in m.present), not m.is_whole())
        for m in world.meetings
    ]

    def place(finding: Finding) -> int:
        place = finding.op, finding.location
        return next(i for i, (calls, _) in enumerate(met) if place in calls)

    return [
        (finding, met[place(finding)][1]) for finding in sorted(findings, key=place)
    ]


def _key(finding: Finding, rank: int) -> _Key:
    operands = tuple(
        (o.name, o.tensor.dtype, _own(o.tensor.device, rank)) for o in finding.operands
    )
    words = _own(finding.message, rank)
    return finding.rule, finding.op, words, finding.location, finding.severity, operands


def _own(text: str, rank: int) -> str:
    """Return the text with the rank's own device as `:own`."""
    return _DEVICE.sub(
        lambda found: f"{found[1]}:own" if int(found[2]) == rank else found[0], text
    )
