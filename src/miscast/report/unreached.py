"""Report the program's code that a run did not reach, what depends on it, and explored branches.

explored   train.py:309-313 (sample, save): step % args.sample_every == 0, step was 1, 2, sample_every 50
partial    train.py:301-340 (train_step): batch of 3, then 1; explored until: the op budget was used up
not run    train.py:320-331 (encode): args.use_ema, which was False
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.event import BUDGET_SPENT, NO_BUDGET, NO_TIME, TIME_OVER, Block
from .wording import path

_NAMED = 3
_ORDER = ("not run", "explored in part", "explored")
_LABELS = {"explored in part": "partial"}
_FOR_MORE = {BUDGET_SPENT, NO_BUDGET, TIME_OVER, NO_TIME}
_MORE = " (raise --reach)"


def lines(blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of all, those with tensor work first."""
    for label, some in _kinds(blocks).items():
        yield from ((_LABELS.get(label, label), _told(block)) for block in some)


def counts(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield how many there are of each kind, without those that a guard kept out: "2 branches not run, 1 explored"."""
    told = [block for block in blocks if block.kind != "guard"]
    kinds = {label: len(some) for label, some in _kinds(told).items() if some}
    for number, label in enumerate(sorted(kinds, key=_ORDER.index)):
        count = kinds[label]
        noun = f" branch{'' if count == 1 else 'es'}" if not number else ""
        yield f"{count:,}{noun} {label}"


def _kinds(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    return {
        "explored": [one for one in blocks if one.forced and one.ended is None],
        "explored in part": sorted(
            (one for one in blocks if one.forced and one.ended), key=_rank
        ),
        "not run": sorted((one for one in blocks if not one.forced), key=_rank),
    }


def _rank(block: Block) -> tuple[bool, int]:
    return not block.torch, block.first - block.last


def _told(block: Block) -> str:
    many = f"-{block.last}" if block.last != block.first else ""
    does = ", ".join((*block.does[:_NAMED], *("…",) * (len(block.does) > _NAMED)))
    values = [f"{name} was {', '.join(found)}" for name, found in block.values.items()]
    ended = f"; explored until: {block.ended}" if block.ended else ""
    why = f"; not explored: {block.why}" if block.why else ""
    does = f" ({does})" if does else ""
    more = _MORE if {block.ended, block.why} & _FOR_MORE else ""
    return f"{path(block.file)}:{block.first}{many}{does}: {', '.join((block.condition, *values))}{ended}{why}{more}"
