"""Integers of 8, 16 and 32 bits: the same op in int64 tells what wrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .. import record
from ..call import replaced, tensors
from ..numbers import NARROW
from ..sums import PLACES, SUMS
from .fraction_cut_off import towards_zero, truncated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..beside import Beside

RULE = "integer-wraps"
_ARITHMETIC = frozenset({"add", "sub", "rsub", "mul", "neg", "abs", "sum", "cumsum", "prod", "cumprod", "pow", "square",
                         "dot", "mm", "bmm", "mv", "_to_copy", "copy", *SUMS,
                         "bitwise_left_shift", "__lshift__"})  # fmt: skip
_HASHING = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_right_shift", "__and__",
                      "__or__", "__xor__", "__rshift__", "remainder", "fmod"})  # fmt: skip
_JOINS = frozenset({"bitwise_or", "__or__", "__ior__"})
_TO_THE_LEFT = frozenset({"bitwise_left_shift", "<<"})
_TO_THE_RIGHT = frozenset({"bitwise_right_shift", "__rshift__"})
_RIGHT = "shift to the right"
"""The origin of such bits, also after a mask."""


def watched_integers(run: Beside, *, early: bool) -> None:
    """Report integer results that wrapped or were cut off; later ops may show that this was intended."""
    if early:
        _before(run)
        return
    if run.plan.op in _HASHING:
        _excuse(run)
        _are_bits(run)
    outputs = _narrow(run.written or tensors(run.real))
    if run.plan.op not in _ARITHMETIC or not outputs or not run.followed():
        return
    exact = _exactly(run, outputs)
    for output, right in zip(outputs, exact or (), strict=False):
        if right.shape == output.shape:
            _judge(run, output, right)


def _narrow(given: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    return [one for one in given if record.is_plain(one) and one.dtype in NARROW]


def _before(run: Beside) -> None:
    if run.plan.op in _ARITHMETIC and _narrow(run.written):
        run.wide_before = _wide(run)


def _exactly(run: Beside, outputs: list[torch.Tensor]) -> list[torch.Tensor] | None:
    if run.plan.op == "_to_copy":
        (source,) = tensors(run.args)
        return [source]
    if run.plan.op == "copy":
        return [one.expand(outputs[0].shape) for one in tensors(run.bound.get("src"))]
    return run.wide_before if run.written else _wide(run)


def _wide(run: Beside) -> list[torch.Tensor] | None:
    taken: dict[int, torch.Tensor] = {}
    given = [run.bound.get("index"), run.bound.get("indices")]
    places = {id(one) for one in tensors(given)} if run.plan.op in PLACES else set()

    def other(one: torch.Tensor) -> torch.Tensor:
        if one.dtype not in NARROW or id(one) in places:
            return one
        return taken.setdefault(id(one), one.to(torch.int64))

    def argument(value: Any) -> Any:
        is_dtype = isinstance(value, torch.dtype) and value in NARROW
        return torch.int64 if is_dtype else replaced(value, other)

    try:
        given = run.func(
            *[argument(one) for one in run.args],
            **{k: argument(v) for k, v in run.kwargs.items()},
        )
    except (RuntimeError, NotImplementedError, TypeError):
        return None
    if run.written:
        return [taken.get(id(one), one) for one in run.written]
    return list(tensors(given))


def _judge(run: Beside, output: torch.Tensor, right: torch.Tensor) -> None:
    if right.dtype == torch.bool or not right.numel():
        return
    ends = torch.iinfo(output.dtype)
    cut = right.trunc() if right.is_floating_point() else right.long()
    outside = ((cut < ends.min) | (cut > ends.max)) & torch.isfinite(right)
    count = int(outside.sum())
    if count:
        site = run.site(output.dtype)
        record.made(output).wrapped = site
        name, form = site.dtype_name, "cast" if site.op in {"to", "copy"} else ""
        share = count / right.numel()
        what = f"a {form} to" if form else f"`{site.op}` in"
        first, real = (one[outside][0].item() for one in (right, output))
        says = f"{what} {name} wraps around for {share:.0%} of the numbers: {first:g} becomes {real:g}"
        run.lose(RULE, site, says, form=form, weight=share)
    elif right.is_floating_point() and output.dtype == torch.uint8:
        truncated(run, output, right)
    elif right.is_floating_point() and output.dtype == torch.int8:
        towards_zero(run, right)


def _are_bits(run: Beside) -> None:
    """Mark results of bit operations: they are not counts, however large, and may be rounded."""
    for one in tensors(run.real):
        if record.is_plain(one) and run.plan.op not in {"remainder", "fmod"}:
            kept = record.made(one)
            kept.are_bits = True
            kept.made_by = _RIGHT if _is_shifted_right(run) else run.plan.op


def _is_shifted_right(run: Beside) -> bool:
    if run.plan.op in _TO_THE_RIGHT:
        return True
    given = [one for one in tensors(list(run.bound.values())) if record.is_plain(one)]
    known = [kept for kept in map(record.find, given) if kept is not None]
    masks = run.plan.op in {"bitwise_and", "__and__"}
    return masks and any(kept.made_by == _RIGHT for kept in known)


def _excuse(run: Beside) -> None:
    """Withdraw findings of intended wraps: hashes and random generators take bits or a remainder of them.

    Bits that were shifted out at the left and are put beside others by `|` are lost, but for what is turned: there the
    others were shifted to the right.
    """
    given = [one for one in tensors(list(run.bound.values())) if record.is_plain(one)]
    known = [kept for kept in map(record.find, given) if kept is not None]
    turned = any(kept.made_by == _RIGHT for kept in known)
    for kept in known:
        wrapped = kept.wrapped
        if wrapped is None:
            continue
        joined = run.plan.op in _JOINS and wrapped.op in _TO_THE_LEFT
        if not joined or turned:
            run.shadow.losses.withdraw(RULE, wrapped)
