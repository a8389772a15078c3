"""Quantized numbers: what the end of their codes cuts off, and rows that a scale of others leaves nothing of.

A number is a code if it is rounded, and clipped, cast to an integer of 8 bits, or scaled so that the largest has the
last code. Until that is seen, a loss waits on the record of the result.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import torch

from ..ranges.codes import (
    SHARE,
    SHORT,
    coarse,
    cut_off,
    ends,
    has_last_code,
    other_axis,
)
from ..ranges.loss import EIGHTS, HALF
from . import record
from .call import tensors
from .loss import Loss
from .precision import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .beside import Beside
    from .call import Operand
    from .site import Site

_BYTES = frozenset({torch.int8, torch.uint8})
_SCALED = frozenset({"div", "mul"})
_HALF, _WRONG, _SHIFTED = 0.5, 0.02, "half up"
"""What is added to round by `floor`, and the share of numbers that come out wrong by it; the form of that."""
_LEVELS, _MANY = 16, 64
"""Numbers of a table that 4 bits have a place in, and how many are looked up at least."""


_Found = tuple["Iterable[Loss]", "bool | None"]
"""Losses, and whether the results are codes; None: no more than other numbers."""
_Finds: TypeAlias = "Callable[[Beside, Operand, torch.Tensor], _Found]"
Lost = tuple[float, float] | None


def watched_codes(run: Beside) -> None:
    """Report what an op that makes codes of numbers loses, or note it until the result is used as codes."""
    op = run.plan.op
    find = _quantized if "quantize" in op else _OPS.get(op)
    if find is None and op not in _TABLES:
        return
    if run.precision is not EXACT or not run.followed():
        return
    if find is None:
        _TABLES[op](run)
    else:
        _look(run, find)


def _look(run: Beside, find: _Finds) -> None:
    if not run.operands:
        run._read()
    name = "src" if run.plan.op == "copy" else "self"
    given = (one for one in run.operands if one.is_float and one.name == name)
    for one, out in zip(given, run.written or tensors(run.real), strict=False):
        _note(run, one, out, find(run, one, out))


def _note(run: Beside, one: Operand, out: torch.Tensor, lost: _Found) -> None:
    waits, (losses, are_codes) = None if one.record is None else one.record.codes, lost
    found = (*(waits or ()), *losses)
    if are_codes:
        for loss in found:
            run.shadow.losses.add(loss)
    elif found or are_codes is not None:
        record.made(out).codes = found


def _clipped(run: Beside, one: Operand, out: torch.Tensor) -> _Found:
    """Find a clip to codes of a dtype that cuts off many numbers, as after a scale along the wrong axis."""
    found = ends(lambda name: _number(run, name))
    if found is None:
        return (), None
    least, end, last = found
    how = f"clipped to codes from {least:g} to {end:g}"
    are_codes = last not in SHORT or not one.low.frac().any()
    lost = cut_off(one.low, out, share=SHARE / (1 + math.isinf(end - least)))
    return _cut(run, one.low, how, lost), are_codes


def _cast(run: Beside, one: Operand, out: torch.Tensor) -> _Found:
    """Find a cast to float8, which has no shadow, of numbers of which a good part is beyond its end."""
    if out.dtype not in EIGHTS:
        are_shifted = one.record is not None and any(
            loss.form == _SHIFTED for loss in one.record.codes or ()
        )
        whole = out.dtype in _BYTES or (are_shifted and not out.dtype.is_floating_point)
        return (), True if whole else None
    end, name = torch.finfo(out.dtype).max, str(out.dtype)[6:]
    how = f"cast to {name}, which ends at {end:.3g}"
    given = one.low.expand(out.shape)
    lost = cut_off(given, given.clamp(-end, end), share=0.0)
    cut = _cut(run, given, how, lost, "cast")
    return cut or _coarse(run, given, out.double()), True


def _rounded(run: Beside, one: Operand, out: torch.Tensor) -> _Found:
    """Find rows of which rounding leaves less than half."""
    made, waits = (
        ("", None) if one.record is None else (one.record.made_by, one.record.codes)
    )
    are_codes = waits is not None or (made in _SCALED and has_last_code(one.low))
    return _coarse(run, one.low, out), are_codes


def _shifted(run: Beside, one: Operand, out: torch.Tensor) -> _Found:
    """Find numbers that are whole already and that 0.5, added to round by `floor`, takes to the next."""
    if out.dtype not in HALF or _number(run, "other") != _HALF:
        return (), None
    wrong = float((out.double().floor() != (one.low + _HALF).floor()).double().mean())
    if wrong < _WRONG:
        return (), None
    says = f"x + 0.5 in {str(out.dtype)[6:]} rounds {wrong:.0%} of the numbers to another whole number"
    return (
        Loss(
            rule="integer-rounds",
            form=_SHIFTED,
            site=_site(run),
            weight=wrong,
            says=says,
        ),
    ), False


def _divided(run: Beside, one: Operand, _out: torch.Tensor) -> _Found:
    """Find numbers that are divided along one dimension by the scales of another: `w / w.abs().amax(1)`."""
    scales = next((each for each in run.operands if each is not one), None)
    wrong = None if scales is None else other_axis(one.low, scales.low, run.plan.op)
    if wrong is None:
        return (), None
    says = f"the scales are the largest numbers along dimension {wrong[0]}, but divide along dimension {wrong[1]}"
    return (
        Loss(rule="number-overflows", site=_site(run), form="codes", says=says),
    ), False


def _floored(_run: Beside, _one: Operand, _out: torch.Tensor) -> _Found:
    """Find nothing more: numbers that are cut to whole ones are codes if they were shifted for that."""
    return (), True


def _quantized(run: Beside, one: Operand, out: torch.Tensor) -> _Found:
    """Find the losses of torch's own quantization, real or fake."""
    kept = (out.dequantize() if out.is_quantized else out).double()
    step = float(
        torch.as_tensor(run.bound.get("scale", run.bound.get("scales", 1.0))).max()
    )
    inside = (kept - one.low).abs() <= step
    how = f"clipped to codes of a step of {step:.3g}"
    cut = _cut(run, one.low, how, cut_off(one.low, one.low.where(inside, kept)))
    return cut or _coarse(run, one.low, kept), True


def _placed(run: Beside) -> None:
    """Note the numbers, or their distances, of which places in a table of at most 16 are taken, as of float4 or NF4."""
    given, dim, out = run.bound["self"], run.bound.get("dim"), next(tensors(run.real))
    if given.numel() < _MANY or not given.is_floating_point():
        return
    if run.plan.op != "argmin":
        borders = next(
            one for one in tensors([*run.bound.values()]) if one is not given
        )
        if borders.numel() < _LEVELS:
            record.made(out).places = given.double(), False
    elif dim is not None and given.shape[dim] <= _LEVELS:
        kept, off = record.find(given), given.double().amin(dim)
        squared = kept is not None and kept.made_by in ("pow", "square", "mul")
        record.made(out).places = off.sqrt() if squared else off, True


def _looked_up(run: Beside) -> None:
    """Report what is lost of numbers that are replaced by the nearest ones of a table."""
    out, every = next(tensors(run.real)), list(tensors([*run.bound.values()]))
    kept = record.find(every[-1]) if len(every) > 1 else None
    if kept is None or kept.places is None or every[0].numel() > _LEVELS:
        return
    (given, is_off), codes = kept.places, out.double()
    if given.numel() != codes.numel():
        return
    given = given.reshape(codes.shape)
    levels = every[0].double().flatten().sort().values
    if is_off:
        given, codes = codes.abs() + given, codes.abs()
    inside = given.abs() <= levels.abs().max()
    if bool(((codes - given).abs() > levels.diff().max())[inside].any()):
        return  # the table has other numbers than those that were placed
    how = f"looked up in a table that ends at {float(codes.abs().max()):.3g}"
    cut = _cut(run, given, how, cut_off(given, given.where(inside, codes)))
    for loss in cut or _coarse(run, given, codes):
        run.shadow.losses.add(loss)


def _cut(
    run: Beside, given: torch.Tensor, how: str, lost: Lost, form: str = "codes"
) -> tuple[Loss, ...]:
    if lost is None:
        return ()
    (share, size), most = lost, float(given.abs().max())
    says = f"numbers up to {most:.3g} are {how}: {share:.1%} of them, {size:.0%} of the total magnitude, are cut off"
    site = _site(run)
    return (
        Loss(rule="number-overflows", site=site, form=form, weight=size, says=says),
    )


def _coarse(run: Beside, given: torch.Tensor, codes: torch.Tensor) -> Iterator[Loss]:
    lost = coarse(given, codes)
    if lost is not None:
        yield Loss(
            rule="number-underflows", site=_site(run), form="codes", weight=lost[0] / lost[1],
            says=f"codes keep less than half of {lost[0]} of {lost[1]} rows: their scale is that of larger numbers",
        )  # fmt: skip


def _site(run: Beside) -> Site:
    every = (*run.written, *tensors(run.real), *tensors([*run.bound.values()]))
    return run.site(next(one.dtype for one in every if one.is_floating_point()))


def _number(run: Beside, name: str) -> float | None:
    others = _BOUND.get((run.plan.op, name), ())
    names = (one for one in (name, f"{name}_val", *others) if one in run.bound)
    value = run.bound.get(next(names, name))
    if isinstance(value, torch.Tensor):
        return float(value) if value.numel() == 1 else None
    return float(value) if isinstance(value, (int, float)) else None


_OPS: Mapping[str, _Finds] = {
    **dict.fromkeys(("clamp", "hardtanh", "clamp_min", "clamp_max"), _clipped),
    **dict.fromkeys(("maximum", "minimum"), _clipped),
    **dict.fromkeys(("_to_copy", "copy"), _cast),
    "round": _rounded,
    **dict.fromkeys(_SCALED, _divided),
    "add": _shifted,
    **dict.fromkeys(("floor", "trunc"), _floored),
}
_BOUND = {
    **dict.fromkeys([("maximum", "min"), ("minimum", "max")], ("other", "scalar")),
    **dict.fromkeys([("clamp_min", "min"), ("clamp_max", "max")], ("scalar",)),
}
_TABLES: Mapping[str, Callable[[Beside], None]] = {
    **dict.fromkeys(("bucketize", "searchsorted", "argmin"), _placed),
    **dict.fromkeys(
        ("index", "index_select", "embedding", "take", "gather"), _looked_up
    ),
}
