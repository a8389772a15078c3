"""Choices among numbers that a cast has made equal: the shadow would have chosen others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import torch

from ..ranges.loss import is_one
from ..ranges.losses.choice_by_rounding import MEANT, wants_values
from . import record
from .call import tensors
from .loss import Loss
from .numbers import HALVES, MEASURED, unit
from .precision import EXACT
from .sums import sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .beside import Beside
    from .site import Site

RULE = "choice-by-rounding"
_SHARE = 0.05
_CASTS = frozenset({"to", "copy", "tensor"})
_UNCHANGED = frozenset(
    {"_to_copy", "copy", "clone", "index", "index_select", "gather", "cat", "stack"}
)
_EQUAL = frozenset({"eq", "ne"})
_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_UNIFORM = frozenset({"rand", "rand_like", "uniform"})
_DRAWS, _MOST_OFF = 1 << 20, 0.1
_ENOUGH = 64


def watched_choices(run: Beside) -> None:
    """Report choices, orders and comparisons that a cast has changed, and rates of coarse random draws."""
    if run.plan.op not in _OTHERS or run.precision is not EXACT:
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
    other = _OTHERS[run.plan.op](run)
    if other is None or not other.numel():
        return
    share, site = float(other.double().mean()), run.site(culprit.dtype)
    if share > _SHARE and not wants_values(run.plan.op, site.location):
        run.shadow.losses.add(
            Loss(
                rule=RULE,
                site=site,
                says=f"`{site.op}` chooses among numbers that {culprit.dtype_name} has made equal: {share:.0%} of "
                f"{other.numel():,} choices differ from those before the cast",
                form=_FORMS.get(run.plan.op, ""),
                weight=share,
                also=(("rounded", culprit),),
            )
        )


def _rounded(run: Beside) -> Site | None:
    """Return the cast that one of the operands comes from, if nothing else was lost."""
    for one in tensors([*run.bound.values()]):
        kept = (
            record.find(one) if record.is_plain(one) and one.dtype in MEASURED else None
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


def _dim(run: Beside) -> int:
    dim: int | None = run.bound.get("dim")
    return -1 if dim is None else dim


def _integers(run: Beside) -> torch.Tensor:
    return next(one for one in tensors(run.real) if not one.is_floating_point())


def _by_topk(run: Beside) -> torch.Tensor:
    """Return the rows in which other elements would be among the best."""
    wide, dim, picked = run.operands[0].wide, _dim(run), _integers(run)
    best = wide.topk(picked.shape[dim], dim, run.bound.get("largest", True)).values
    return (best.sort(dim).values != wide.gather(dim, picked).sort(dim).values).any(dim)


def _by_order(run: Beside) -> torch.Tensor:
    """Return the neighbours that are the wrong way round."""
    dim = _dim(run)
    step = run.operands[0].wide.gather(dim, _integers(run)).diff(dim=dim)
    return step > 0 if run.bound.get("descending") else step < 0


def _by_best(run: Beside) -> torch.Tensor | None:
    """Return the rows in which another element would be the largest, the smallest, or the k-th."""
    wide, picked, dim = run.operands[0].wide, _integers(run), run.bound.get("dim")
    if dim is None and run.plan.op == "kthvalue":
        dim = -1
    if dim is None:
        wide, dim, picked = wide.flatten(), 0, picked.flatten()
    if run.plan.op == "kthvalue":
        best = wide.kthvalue(run.bound["k"], dim, keepdim=True).values
    else:
        best = wide.amin(dim, True) if "min" in run.plan.op else wide.amax(dim, True)
    return wide.gather(dim, picked.reshape(best.shape)) != best


def _by_number(run: Beside) -> torch.Tensor:
    """Return which of the different numbers are missing in the result, as they were counted as others."""
    first = next(tensors(run.real))
    before = run.operands[0].wide.unique().numel()
    return torch.arange(before) >= first.numel()


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
    "topk": _by_topk,
    **dict.fromkeys(("sort", "argsort"), _by_order),
    **dict.fromkeys(("argmax", "argmin", "max", "min", "kthvalue"), _by_best),
    "_unique2": _by_number,
    **dict.fromkeys(("searchsorted", "bucketize"), _by_place),
    **dict.fromkeys((*_COMPARES, *_EQUAL), _by_bound),
}
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
        run.shadow.losses.add(
            Loss(
                rule="constant-vanishes",
                site=site,
                form="bound",
                weight=share,
                says=says,
            )
        )


def _look_at_rate(run: Beside) -> None:
    """Draw and compare a line's random numbers again, once per line, since this takes many numbers."""
    one, other = run.bound.get("self"), run.bound.get("other")
    for drawn, bound, turned in ((one, other, False), (other, one, True)):
        if is_uniform(drawn):
            site = run.site(drawn.dtype)
            if site not in run.shadow.rates:
                run.shadow.rates.add(site)
                loss = _rate(run, site, drawn, bound, turned=turned)
                if loss is not None:
                    run.shadow.losses.add(loss)
            return


def _rate(
    run: Beside, site: Site, drawn: torch.Tensor, bound: Any, *, turned: bool
) -> Loss | None:
    """Return a precision loss if a bound on uniform half-precision numbers holds more or less often than it should."""
    wanted = torch.as_tensor(bound, device=drawn.device)
    if wanted.dtype not in MEASURED | {torch.float64}:
        return None
    is_one = not isinstance(bound, torch.Tensor)
    limit = bound if is_one else sampled(wanted)
    many = _drawn_again(drawn, 1 if is_one else len(limit))
    below = run.func(limit, many) if turned else run.func(many, limit)
    asked, got = float(wanted.double().clamp(0, 1).mean()), float(below.double().mean())
    if (run.plan.op in ("lt", "le")) == turned:
        asked = 1 - asked
    if abs(got - asked) <= _MOST_OFF * min(asked, 1 - asked):
        return None
    return Loss(
        rule=RULE,
        site=site,
        says=f"uniform numbers in {site.dtype_name} are too coarse for `{run.plan.op}`, which is true for {got:.2%} of "
        f"them instead of {asked:.2%}",
        form="drawn",
        weight=abs(got - asked),
    )


def _drawn_again(drawn: torch.Tensor, columns: int) -> torch.Tensor:
    """Return many numbers drawn as the program does, from a separate generator."""
    generator = torch.Generator(drawn.device).manual_seed(0)
    shape = (max(1, _DRAWS // columns), columns)
    return torch.rand(
        shape, dtype=drawn.dtype, device=drawn.device, generator=generator
    )


def is_uniform(value: object) -> TypeGuard[torch.Tensor]:
    """Check whether a half-precision tensor holds many numbers as `torch.rand` draws them."""
    if not isinstance(value, torch.Tensor) or value.dtype not in HALVES:
        return False
    if value.numel() < _ENOUGH or not record.is_plain(value):
        return False
    kept = record.find(value)
    drawn = kept is not None and kept.is_drawn and kept.made_by in _UNIFORM
    return drawn and bool((value >= 0).all() & (value < 1).all() & (value > 0.5).any())
