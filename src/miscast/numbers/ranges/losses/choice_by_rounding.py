"""Choices among numbers that rounding to a half dtype has made equal: which of them is taken is chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ....vm.provenance.origin import locate, places
from ..history import Rounded, exact_of, rounding_of
from ..loss import Lost, short, wider
from ..seen import Seen, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ....core.event import Location

PLAIN = True
WIDENS = True
_SHARE = 0.05
"""Share of the rows, or of the places in an order, that must be random."""
_TIES = 4
"""Number of values per distinct value from which an order of unknown values has ties."""
_OF_VALUES = (".values", ")[0]", ", _ =", "msort")
"""Code of lines that need sorted values, not their order."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if different numbers became equal and one of them is chosen."""
    name = _OPERANDS.get(seen.name, "self")
    tensor, other = seen.tensor(name), seen.tensor("other")
    if tensor is not None and other is not None and other.numel() > tensor.numel():
        name, tensor = "other", other  # a bound is one of the numbers, or some
    rounding = rounding_of(tensor)
    if tensor is None or rounding is None or rounding.origin is None:
        return None
    if not tensor.dim() or not rounding.error:
        return None
    figures = _chosen(seen, tensor, rounding)
    if not figures or wants_values(seen.name, locate(places()[0])):
        return None
    return Lost(
        rule="choice-by-rounding",
        form="" if rounding.origin.kind == "cast" else "computed",
        operand=name,
        wanted=wider(rounding.origin.dtype),
        origin=rounding.origin,
        op=_SPELLED.get(seen.name, ""),
        figures=figures.format(dtype=short(rounding.origin.dtype)),
    )


def _chosen(seen: Seen, tensor: torch.Tensor, rounding: Rounded) -> str:
    if seen.name in _EXTREMES and seen.given.get("dim") is None:
        return ""
    if rounding.exact is None:
        return _many(seen, tensor, rounding)
    return _known(seen, tensor)


def _known(seen: Seen, tensor: torch.Tensor) -> str:
    low, exact = numbers(tensor), exact_of(tensor)
    if low is None or exact is None or bool(low.isnan().any()):
        return ""
    if seen.name in _COMPARES:
        return _bounded(low, exact, seen, tensor)
    return chosen(seen.name, seen.given, low, exact)


def chosen(
    op: str, given: Mapping[str, Any], low: torch.Tensor, exact: torch.Tensor
) -> str:
    """Return why a choice among numbers is chance, which `exact` are without rounding; "" if it is none."""
    dim = given.get("dim")
    if dim is None and op in _OF_ALL:
        low, exact, dim = low.flatten(), exact.flatten(), -1
    if exact.dtype == torch.int64 and exact.numel():
        exact = exact - exact.min()  # float64 does not hold integers beyond 2^53
    low, exact = (
        one.movedim(-1 if dim is None else dim, -1).double() for one in (low, exact)
    )
    return CHOICES[op](low, exact, op, given)


def _ordered(
    low: torch.Tensor, exact: torch.Tensor, _op: str, _given: Mapping[str, Any]
) -> str:
    """Describe an order in which neighbours that became equal are the wrong way round."""
    order = low.argsort(dim=-1, stable=True)
    wrong = exact.gather(-1, order).diff(dim=-1) < 0
    share = float(wrong.double().mean()) if wrong.numel() else 0.0
    if share < _SHARE:
        return ""
    return f"{share:.0%} of neighbours in this order are swapped because they are equal in {{dtype}}"


def _taken(
    low: torch.Tensor, exact: torch.Tensor, op: str, given: Mapping[str, Any]
) -> str:
    """Return the largest of them, or so many: others are equal to the last one that is taken, and should not be."""
    middle = (low.shape[-1] + 1) // 2 if op in _MIDDLE else 1
    many = int(given.get("k") or middle)
    if not 0 < many <= low.shape[-1]:
        return ""
    down = op in _SMALLEST or given.get("largest") is False
    best = low.topk(many, largest=not down).values
    pool = low == best[..., -1:]
    more = pool.sum(-1) > (best == best[..., -1:]).sum(-1)
    return _among(pool, exact, [-1], more)


def _bounded(
    low: torch.Tensor, exact: torch.Tensor, seen: Seen, tensor: torch.Tensor
) -> str:
    """Describe numbers that are compared with one of them, to which others are equal: `x == x.max()`."""
    out, bound = seen.known("out"), _own_bound(seen, tensor, low)
    if out is None or bound is None:
        return ""
    low, exact, bound = torch.broadcast_tensors(low, exact, bound)
    rows = [d for d, n in enumerate(low.shape) if n > 1 and not bound.stride(d)]
    if not rows:
        return ""
    pool = low == bound
    more: torch.Tensor | bool = True
    if seen.name not in _EQUAL:
        few = torch.minimum(out.sum(rows), (~out).sum(rows))
        more = (few > 0) & (pool.sum(rows) > _SHARE * few)
    return _among(pool, exact, rows, more)


def _among(
    pool: torch.Tensor, exact: torch.Tensor, rows: list[int], more: torch.Tensor | bool
) -> str:
    """Describe a choice among the numbers of a pool, if they were different; `more`: where it leaves some out."""
    most, least = (
        exact.where(pool, exact.new_tensor(sign * torch.inf)) for sign in (-1, 1)
    )
    chance = (most.amax(rows) > least.amin(rows)) & more
    if float(chance.double().mean()) < _SHARE:
        return ""
    return f"{int(pool.sum(rows).max())} different numbers are equal in {{dtype}}, and the choice falls among them"


def _own_bound(
    seen: Seen, tensor: torch.Tensor, low: torch.Tensor
) -> torch.Tensor | None:
    """Return what numbers are compared with, if it is taken from them: their largest, or the k-th of them."""
    other = seen.given["self" if tensor is seen.given.get("other") else "other"]
    if isinstance(other, torch.Tensor):
        mine, its = rounding_of(tensor), rounding_of(other)
        if mine is None or its is None or mine.origin is not its.origin:
            return None
        return numbers(other)
    ends = [one.item() for one in low.aminmax()] if low.numel() else ()
    return low.new_tensor(other) if other in ends and other not in MEANT else None


def _apart(
    low: torch.Tensor, exact: torch.Tensor, _op: str, _given: Mapping[str, Any]
) -> str:
    """Describe different numbers, or bounds of intervals, that became equal."""
    before, after = exact.unique().numel(), low.unique().numel()
    less = after < before * (1 - _SHARE)
    return f"{before} different numbers become {after} in {{dtype}}" if less else ""


def _many(seen: Seen, tensor: torch.Tensor, rounding: Rounded) -> str:
    """Return an order of more numbers than the dtype has in their range, or more that are taken of them."""
    dim = seen.given.get("dim")
    flat = dim is None and seen.name in _OF_ALL
    row = tensor.numel() if flat else tensor.shape[-1 if dim is None else dim]
    many = row if CHOICES.get(seen.name) is _ordered else int(seen.number("k") or 1)
    distinct = rounding.distinct
    if not distinct or row < _TIES * distinct or many < distinct:
        return ""
    return f"{row} numbers have at most {distinct} different values in {{dtype}}"


def wants_values(op: str, place: Location | None) -> bool:
    """Check whether a line takes the values of a choice, which ties do not change, and not their indices."""
    if op not in _PAIRS or place is None:
        return op in _PAIRS
    values = any(word in place.code for word in _OF_VALUES)
    return values and ".indices" not in place.code


_OPERANDS = {"searchsorted": "sorted_sequence", "bucketize": "boundaries"}
_MIDDLE = frozenset({"median", "nanmedian"})
_PAIRS = frozenset({"sort", "topk", "kthvalue", "max", "min", "median", "nanmedian"})
"""Ops that give values, which ties do not change, beside indices."""
_EXTREMES = frozenset({"max", "min"}) | _MIDDLE
_SMALLEST = frozenset({"argmin", "min", "kthvalue"}) | _MIDDLE
_SPELLED = {"_unique2": "unique", "unique_dim": "unique"}
_OF_ALL = frozenset({"argmax", "argmin", "_unique2", "unique_consecutive"})
_COMPARES = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_EQUAL = frozenset({"eq", "ne"})
MEANT = (-1, 0, 1)
"""The ends of probabilities, masks and cosines: compared with as such, also where they are the largest number."""
CHOICES: Mapping[
    str, Callable[[torch.Tensor, torch.Tensor, str, Mapping[str, Any]], str]
] = {
    **dict.fromkeys(("argsort", "sort"), _ordered),
    **dict.fromkeys(("topk", "argmax", "argmin", "kthvalue", *_EXTREMES), _taken),
    **dict.fromkeys(
        ("_unique2", "unique_dim", "unique_consecutive", "searchsorted", "bucketize"),
        _apart,
    ),
}
OPS = frozenset(CHOICES) | _COMPARES
