"""Several dtypes in one cell of the table, as a person would say it: "bfloat16, norms float32".

What most of the numbers have comes first; of the others it is said whose they are, where one word says it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

_TOLD = 3


@dataclass(frozen=True, slots=True)
class Share:
    """Something of one value, at a path, of a module of this class: `weight` numbers of it, or `count` calls."""

    value: str
    weight: int
    path: str = ""
    owner: str = ""
    count: int = 1


def mixed(shares: Sequence[Share]) -> str:
    """Return all values, by weight; empty if there is none."""
    weights: Counter[str] = Counter()
    for share in shares:
        weights[share.value] += share.weight
    values = [value for value, _ in weights.most_common()]
    if not values:
        return ""
    first, *others = values
    told = [f"{_whose(value, shares)}{value}" for value in others[:_TOLD]]
    return ", ".join([first, *told, *["…"] * (len(others) > _TOLD)])


def counted(shares: Sequence[Share]) -> dict[str, int]:
    """Return how many there are of each value, the most first."""
    counts: Counter[str] = Counter()
    for share in shares:
        counts[share.value] += share.count
    return dict(counts.most_common())


def _whose(value: str, shares: Sequence[Share]) -> str:
    """Return the common owner in a word, "norms ", "head "; empty if the rest includes others of its kind."""
    own = [share for share in shares if share.value == value]
    rest = [share for share in shares if share.value != value]
    if all(map(_is_norm, own)) and not all(map(_is_norm, rest)):
        return "norms "
    path = common([*map(attrgetter("path"), own)])
    shared = any(f"{share.path}.".startswith(f"{path}.") for share in rest)
    return f"{path} " if path and not shared else ""


def _is_norm(share: Share) -> bool:
    return "norm" in share.owner.casefold()


def common(paths: Sequence[str]) -> str:
    """Return the path that all of these lie at or below."""
    first, *others = [path.split(".") for path in paths]
    for other in others:
        same = [a == b for a, b in zip(first, other, strict=False)]
        first = first[: same.index(False)] if False in same else first[: len(same)]
    return ".".join(first)
