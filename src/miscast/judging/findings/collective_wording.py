"""Words for meetings of ranks: who is odd, what each brought, and what the real run would do.

all_reduce of float16 on rank 1 meets float32 on ranks 0, 2-3
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ...core.event import Location, Operand
from ...core.finding import Finding, Fix, Related, Severity, Subject
from ...core.meeting import Collective, CollectiveRound, ranks

_LISTED = 3


def sides(
    meeting: CollectiveRound, of: Callable[[Collective], object]
) -> tuple[list[Collective], list[Collective]]:
    """Return the ranks that differ from the majority, and the majority; in a tie, the first by rank is the majority."""
    counts = Counter(of(one) for one in meeting.present)
    # the first of the most frequent
    right = max(counts, key=lambda value: counts[value])
    odd = [one for one in meeting.present if of(one) != right]
    return odd, [one for one in meeting.present if of(one) == right]


def of_ranks(several: Sequence[Collective]) -> str:
    """Return the ranks that brought these."""
    return ranks(one.rank for one in several)


def spelled(one: Collective, *, full: bool = False) -> str:
    """Return a call with what must agree: "broadcast(src=1)"; that a reduction sums up is said only in `full`."""
    name = {"isend": "send", "irecv": "recv"}.get(one.op, one.op)
    told = (pair for pair in one.arguments if full or pair != ("op", "SUM"))
    given = ", ".join(f"{name}={value}" for name, value in told)
    return f"{name}({given})" if given else name


def detail(backend: str) -> str:
    """Return how to have torch itself say so."""
    name = "NCCL" if "nccl" in backend else backend.partition(":")[0] or "the backend"
    return f"{name} does not compare ranks; with TORCH_DISTRIBUTED_DEBUG=DETAIL, torch reports both"


def make_finding(  # noqa: PLR0913 - the parts of a finding
    rule: str,
    meeting: CollectiveRound,
    shown: Sequence[Collective],
    message: str,
    *,
    effect: str,
    fixes: Sequence[Fix] = (),
    about: Subject = "dtype",
    tensors: bool = False,
    severity: Severity = "error",
) -> Finding:
    """Return a finding on the first of `shown`.

    The others are named beside it, with their tensors where these are at odds.
    """
    first = shown[0]
    return Finding(
        rule=rule.rpartition(".")[2].replace("_", "-"),
        severity=severity,
        message=message,
        op=first.op,
        phase="program",
        location=first.location,
        about=about,
        operands=tuple(_operands(shown)) if tensors else (),
        related=tuple(_related(meeting, shown, tensors=tensors)),
        fixes=tuple(fixes),
        error=effect,
        raises="",
        ranks=tuple(sorted(_concerned(meeting))),
    )


def _concerned(meeting: CollectiveRound) -> set[int]:
    """Return the ranks that came and those that did not, except for a sender that may be any rank."""
    return {one.rank for one in meeting.present} | {
        rank for rank in meeting.absent if rank >= 0
    }


def _related(
    meeting: CollectiveRound, shown: Sequence[Collective], *, tensors: bool
) -> Iterator[Related]:
    """Yield the places of the other ranks, where they went apart before, and the library's line."""
    first, *others = shown
    earlier = () if tensors else _earlier(meeting)
    for one in (*_of_others(others), *earlier, *_library(first)):
        if not tensors or one.location != first.location:
            yield one


def _of_others(others: Sequence[Collective]) -> Iterator[Related]:
    places: dict[Location, list[int]] = {}
    for one in others:
        places.setdefault(one.location, []).append(one.rank)
    few = islice(places.items(), _LISTED)
    yield from (Related(label=ranks(who), location=place) for place, who in few)


def _earlier(meeting: CollectiveRound) -> Iterator[Related]:
    places = {
        one.location: one.rank for one in reversed(meeting.before) if one is not None
    }
    for place, rank in islice(places.items(), _LISTED):
        yield Related(label=f"earlier, rank {rank}", location=place)


def _library(one: Collective) -> Iterator[Related]:
    if one.library is not None:
        yield Related(label="in", location=one.library)


def _operands(shown: Sequence[Collective]) -> Iterator[Operand]:
    for one in shown:
        if one.tensor is not None:
            yield Operand(
                name=f"rank {one.rank}",
                tensor=one.tensor,
                dtype_origin=one.dtype_origin,
                device_origin=one.device_origin,
            )
