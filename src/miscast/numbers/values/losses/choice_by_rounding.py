"""Choices among numbers that a cast has made equal: the shadow would have chosen others. And coarse uniform draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

import torch

from ...ranges.loss import HALF, is_one
from ...ranges.losses.choice_by_rounding import CHOICES, MEANT, chosen, wants_values
from ...ranges.losses.draw_rounds import UNIFORM, too_coarse
from .. import record
from ..call import Call, tensors
from ..infinities import LOGARITHMS
from ..loss import Loss
from ..numbers import MEASURED, unit
from ..precision import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..beside import Beside
    from ..site import Site

RULE = "choice-by-rounding"
_SHARE, _OF_INTEGERS = 0.05, 0.01
"""Share of the choices that must be others; of integers beyond 2^53, which are keys, not measurements."""
_CASTS = frozenset({"to", "copy"})
_UNCHANGED = frozenset(
    {"_to_copy", "copy", "clone", "index", "index_select", "gather", "cat", "stack"}
)
_EQUAL = frozenset({"eq", "ne"})
_MEASURED = MEASURED | {torch.float64}
"""float64 holds no integers beyond 2^53."""
_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_ENOUGH = 64


def observe(call: Call) -> Iterator[Loss]:
    """Yield logarithms of draws of which several are 0, as those of float16 are once in 4096."""
    one = next(call.floats(), None)
    if call.op not in LOGARITHMS or one is None or not is_uniform(one.tensor):
        return
    zeros = int((one.low == 0).sum())
    if zeros:
        yield call.loss(
            f"{zeros:,} of {one.low.numel():,} uniform numbers in {call.site.dtype_name} are 0, and have no logarithm",
            form="drawn",
        )


def watched_choices(run: Beside) -> None:
    """Report choices, orders and comparisons that a cast has changed, and rates of coarse random draws."""
    if run.plan.op not in _OPS or run.precision is not EXACT:
        return
    if run.shadow.watch.phase in ("backward", "optimizer"):
        return
    if run.plan.op in _COMPARES:
        _look_at_rate(run)
        _look_at_bound(run)
    culprit = _rounded(run)
    if culprit is not None:
        _look_at_choice(run, culprit)


def _look_at_choice(run: Beside, culprit: Site) -> None:
    if not run.operands:
        run._read()
    # a single number leaves no choice, and `x.max()` says nothing of its place
    whole = all(one.is_floating_point() for one in tensors(run.real))
    if whole or not any(one.low.dim() for one in run.operands):
        return
    site = run.site(culprit.dtype)
    if wants_values(run.plan.op, site.location):
        return
    share, says = _chance(run, culprit)
    if says:
        run.lose(
            RULE,
            site,
            f"`{site.op}`: {says}",
            form=_FORMS.get(run.plan.op, ""),
            weight=share,
            also=(("rounded", culprit),),
        )


def _chance(run: Beside, culprit: Site) -> tuple[float, str]:
    """Return how much of a choice is chance, and in words."""
    given, find = run.operands[0], _OTHERS.get(run.plan.op)
    if find is None:
        says = chosen(run.plan.op, run.bound, given.low, given.wide)
        return 1.0, says.format(dtype=culprit.dtype_name)
    other = find(run)
    share = 0.0 if other is None or not other.numel() else float(other.double().mean())
    are_integers = given.wide.dtype == torch.int64
    if other is None or share <= (_OF_INTEGERS if are_integers else _SHARE):
        return 0.0, ""
    return share, (
        f"{share:.0%} of {other.numel():,} choices differ from those before a cast to {culprit.dtype_name} has made "
        "numbers equal"
    )


def _rounded(run: Beside) -> Site | None:
    """Return the cast that one of the operands comes from, if nothing else was lost."""
    for one in tensors([*run.bound.values()]):
        kept = (
            record.find(one)
            if record.is_plain(one) and one.dtype in _MEASURED
            else None
        )
        if kept is None or kept.wide is None or kept.culprit is None:
            continue
        # of a layer in half the cast of its weights may be the largest error
        itself = kept.made_by in _UNCHANGED
        if (
            itself
            and kept.culprit.op in _CASTS
            and kept.error <= unit(kept.culprit.dtype)
        ):
            return kept.culprit
    return None


def _by_order(run: Beside) -> torch.Tensor:
    """Return the neighbours that are the wrong way round."""
    dim = -1 if run.bound.get("dim") is None else run.bound["dim"]
    order = next(one for one in tensors(run.real) if not one.is_floating_point())
    step = run.operands[0].wide.gather(dim, order).diff(dim=dim)
    return step > 0 if run.bound.get("descending") else step < 0


def _by_place(run: Beside) -> torch.Tensor | None:
    """Return the results that would differ for the exact numbers."""
    real, found = next(tensors(run.real)), run._widely(shadow=True)
    return None if found is None or found[0].shape != real.shape else found[0] != real


def _by_bound(run: Beside) -> torch.Tensor | None:
    """Return the results that would differ; of a choice by a bound that is one of the numbers, those chosen."""
    other = _by_place(run)
    if other is None or not _is_own_bound(run):
        return None if run.plan.op in _EQUAL else other
    real = next(tensors(run.real))
    few = real if 2 * int(real.sum()) <= real.numel() else ~real
    return other[few | other]


def _is_own_bound(run: Beside) -> bool:
    """Check whether numbers are compared with one that was taken from them, as `x == x.max()` does."""
    bound = run.bound["other"]
    if not isinstance(bound, torch.Tensor):
        return bound in run.operands[0].low.aminmax() and bound not in MEANT
    if len(run.operands) < 2 or len({one.low.shape for one in run.operands}) < 2:
        return False
    kept = [one.record for one in run.operands]
    return all(one is not None and one.culprit is not None for one in kept)


_OTHERS: Mapping[str, Callable[[Beside], torch.Tensor | None]] = {
    **dict.fromkeys(("sort", "argsort"), _by_order),
    **dict.fromkeys(("searchsorted", "bucketize"), _by_place),
    **dict.fromkeys((*_COMPARES, *_EQUAL), _by_bound),
}
_OPS = CHOICES.keys() | _OTHERS.keys()
_FORMS = {
    "_unique2": "unique",
    **dict.fromkeys(("searchsorted", "bucketize", *_COMPARES, *_EQUAL), "compared"),
}


def _look_at_bound(run: Beside) -> None:
    """Report a bound beside 1 that is 1 in the dtype of the numbers, if several of these are 1: `chances > 0.999`."""
    one, bound = run.bound.get("self"), run.bound.get("other")
    if not isinstance(one, torch.Tensor) or type(bound) is not float or not one.numel():
        return
    share = float((one == 1).double().mean()) if is_one(bound, one.dtype) else 0.0
    if share > _SHARE:
        site = run.site(one.dtype)
        says = f"{bound:g} is 1 in {site.dtype_name}, and so are {share:.0%} of the numbers that `{site.op}` compares"
        run.lose("constant-vanishes", site, says, form="bound", weight=share)


def _look_at_rate(run: Beside) -> None:
    """Report uniform numbers that are too coarse for what they are compared with."""
    one, other = run.bound.get("self"), run.bound.get("other")
    for drawn, bound in ((one, other), (other, one)):
        if is_uniform(drawn) and not (
            isinstance(bound, torch.Tensor) and bound.is_complex()
        ):
            mean = float(torch.as_tensor(bound).double().mean())
            says = too_coarse(mean, drawn.dtype)
            if says:
                site = run.site(drawn.dtype)
                run.lose(RULE, site, says, form="drawn")
            return


def is_uniform(value: object) -> TypeGuard[torch.Tensor]:
    """Check whether a half-precision tensor holds many numbers as `torch.rand` draws them."""
    if not isinstance(value, torch.Tensor) or value.dtype not in HALF:
        return False
    if value.numel() < _ENOUGH or not record.is_plain(value):
        return False
    kept = record.find(value)
    drawn = kept is not None and kept.is_drawn and kept.made_by in UNIFORM
    return drawn and bool((value >= 0).all() & (value < 1).all() & (value > 0.5).any())
