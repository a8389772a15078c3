"""Numbers that a dtype has rounded: how far off they are, also where they are wide again, and what rounded them.

freqs = freqs.to(torch.bfloat16)         # off by 0.002
angles = positions * freqs.float()       # float32, and off by 4 radians at position 2000

Beside known numbers stands what they would be without that, in float64. Of others there is a bound of the error.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ...core.event import MODULE_TO
from ...vm.provenance import factories
from ...vm.provenance.origin import frames_of_run
from ...vm.provenance.record import find, is_tensor
from .loss import HALF, PRECISION, spacing
from .names import DRAWS
from .seen import CASTS, Seen, in_float64, moments_of, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...core.moments import Moments
    from ...vm.provenance.origin import Origin

_FSDP = "_cast_forward_inputs"
"""The function of FSDP that casts what a module is given."""
_KEEP = (
    "copy", "clone", "contiguous", "index", "index_select", "gather", "repeat", "repeat_interleave", "expand", "neg",
    "abs", "round", "floor", "ceil", "trunc", "flip", "roll", "reshape",
)  # fmt: skip
_MATRICES = ("mm", "bmm", "matmul")
_MAKE = ("linspace", "arange", "logspace")
_PICKS = ("sort", "topk", "max", "min", "kthvalue", "median")
"""Ops that give some of the numbers; all but the last four give their indices, too, and these along a dimension."""
_FUNCTIONS = (
    "pow", "exp", "exp2", "log", "sqrt", "rsqrt", "reciprocal", "square", "sigmoid", "sum", "mean", "cumsum", "cumprod",
    "maximum", "minimum", "clamp", "diff", "amax", "amin", *_MAKE, *_PICKS,
)  # fmt: skip
"""Ops followed on known values only."""
_STARTS = CASTS | frozenset(_MAKE)
_TOTALS = frozenset({"sum", "cumsum"})
"""Ops that may round off more than one element of the result holds."""
_CONVERTS = frozenset({"to", "half", "bfloat16", "_apply"})
"""Functions of a library that do what the program asks of a whole module, as `PreTrainedModel.to`."""
_FEW_TERMS, _SEVERAL = 8, 2
"""Longer sums of products, as those of a layer, average what was rounded off."""
_USUAL = 0.25
"""Typical rounding error, in spacings of the dtype."""
_FAR = 1e-4
"""Spacing, as a part of the range of all numbers, from which on float32 keeps few digits of their differences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """Error of the most affected value, origin of the half-precision dtype, and whether FSDP set it.

    `exact` holds for each number of the storage what it would be, where that is known; else `distinct` says how many
    different numbers there can be at most (0: any).
    """

    error: float
    origin: Origin | None
    policy: bool = False
    exact: torch.Tensor | None = None
    distinct: int = 0

    @property
    def form(self) -> str:
        """The kind of cast, which decides the help."""
        return "policy" if self.policy else "rounded"


def concerns(op: str, args: tuple[Any, ...]) -> bool:
    """Check whether a call of one of `OPS` may round known numbers, or propagate rounded ones."""
    return any(is_tensor(one) and _matters(op, one) for one in args[:2])


def see(seen: Seen) -> None:
    """Propagate the rounding of an op's operands, or record its own."""
    picks = seen.name in _PICKS and isinstance(seen.out, (list, tuple))
    out = seen.out[0] if picks else seen.out
    record = find(out) if seen.name in OPS and is_tensor(out) else None
    if record is None:
        return
    casts = seen.name in CASTS and seen.dtype is torch.float32
    rounds = seen.dtype in HALF or casts or any(_records(seen))
    rounding = _now(seen, out) if rounds else None
    if rounding is not None or record.rounded is not None:
        record.rounded = rounding


def _now(seen: Seen, out: torch.Tensor) -> Rounded | None:
    known, rule = numbers(out), _BOUNDS.get(seen.name)
    if known is not None and known.is_floating_point():
        return _measured(seen, out, known)
    bound = None if seen.in_place or rule is None else rule(seen)
    return bound and replace(bound, exact=None)  # those are of an operand


def _matters(op: str, operand: torch.Tensor) -> bool:
    """Check whether an operand was rounded, or is known and may be by this op."""
    record = find(operand)
    if record is None or record.rounded is not None:
        return record is not None
    return record.twin is not None and _starts(op, operand.dtype)


def _starts(op: str, dtype: torch.dtype) -> bool:
    """Check whether an op creates half-precision numbers from others; half-precision data counts as exact."""
    if op in _STARTS or not dtype.is_floating_point:
        return op in _STARTS or torch.get_default_dtype() in HALF
    return op in _TOTALS and dtype in HALF


def rounding_of(value: Any) -> Rounded | None:
    """Return what is known of the roundings behind a tensor, with the error of its own numbers."""
    record = find(value) if is_tensor(value) else None
    rounding: Rounded | None = None if record is None else record.rounded
    if rounding is None or rounding.exact is None:
        return rounding
    known = numbers(value)
    if known is None:
        return rounding
    return replace(rounding, error=_apart(known, exact_of(value)))


def exact_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return a tensor's values if no half dtype had rounded them, in float64; None if unknown."""
    record = find(tensor)
    if record is None or record.rounded is None or record.rounded.exact is None:
        return None
    exact: torch.Tensor = record.rounded.exact
    return exact.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def _apart(known: torch.Tensor, exact: torch.Tensor | None) -> float:
    if exact is None or not known.numel():
        return 0.0
    return float((known.to(exact.dtype) - exact).abs().max())


def _measured(seen: Seen, out: torch.Tensor, known: torch.Tensor) -> Rounded | None:
    """Return what known numbers would be, and how far off they are."""
    behind = next((one for one in _records(seen) if one is not None), None)
    if behind is None and not _begins(seen, known.dtype):
        return None
    exact = _exact(seen, picks=out is not seen.out)
    if exact is None or exact.is_complex() or exact.shape != known.shape:
        return None
    error = _apart(known, exact.double())
    whole = known.numel() * out.dtype.itemsize == out.untyped_storage().nbytes()
    if not whole or not math.isfinite(error):
        return None
    behind = behind or Rounded(error=0, origin=_origin(seen), policy=_by_policy(seen))
    return replace(behind, error=error, exact=_laid_out(out, exact), distinct=0)


def _exact(seen: Seen, *, picks: bool) -> torch.Tensor | None:
    """Return what an op makes of the unrounded numbers; `picks`: it gives some of them."""
    if picks:
        return _picked(seen, _better(seen, seen.given["self"]))
    if seen.name in CASTS:
        return _better(seen, seen.given["self"])
    return in_float64(seen, partial(_better, seen))


def _picked(seen: Seen, exact: torch.Tensor | None) -> torch.Tensor | None:
    """Return the unrounded numbers of the elements that an op picked."""
    indices, dim = numbers(seen.out[1]), seen.given.get("dim", -1)
    if exact is None or indices is None or not exact.dim():
        return exact
    if indices.dim() == exact.dim():
        return exact.gather(dim, indices)
    return exact.gather(dim, indices.unsqueeze(dim)).squeeze(dim)


def made_of(made: torch.Tensor, data: Any) -> None:
    """Record what a float32 tensor made of Python's or NumPy's numbers has rounded off them."""
    record, known = find(made), numbers(made)
    if record is None or known is None or known.dtype is not torch.float32:
        return
    exact = factories.tensor(data, dtype=torch.float64)
    if are_far(exact):
        error = _apart(known, exact)
        origin, exact = record.dtype_origin, exact.flatten()
        record.rounded = Rounded(error=error, origin=origin, exact=exact)


def are_far(exact: torch.Tensor) -> bool:
    """Check whether numbers, instants say, are so far from 0 that float32 keeps few digits of their differences."""
    if exact.dtype is not torch.float64 or exact.numel() < _SEVERAL:
        return False
    lo, hi = (one.item() for one in exact.aminmax())
    far = max(abs(lo), abs(hi))
    return math.isfinite(far) and 0 < _FAR * (hi - lo) < spacing(far, torch.float32)


def _begins(seen: Seen, dtype: torch.dtype) -> bool:
    """Check whether a call rounds numbers; random ones stand for data, and are as good in half precision."""
    tensor = seen.tensor("self")
    if dtype not in HALF:
        before = numbers(tensor) if tensor is not None and seen.name in CASTS else None
        return (
            before is not None and are_far(before) and not _is_librarys(_origin(seen))
        )
    made = seen.name in _MAKE
    if tensor is not None and seen.made_by("self") not in DRAWS:
        made = made or _starts(seen.name, tensor.dtype)
    return made and not _is_librarys(_origin(seen))


def _better(seen: Seen, tensor: torch.Tensor) -> torch.Tensor | None:
    """Return an operand's unrounded numbers; for an in-place op, those before the write."""
    exact = exact_of(tensor)
    if exact is not None:
        return exact
    written = seen.in_place and tensor is seen.given.get("self")
    return seen.before if written else numbers(tensor)


def _records(seen: Seen) -> Iterator[Rounded | None]:
    """Yield the known rounding of each operand's storage."""
    for record in filter(None, map(find, seen.tensors())):
        yield record.rounded


def _laid_out(like: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """Return the same numbers, each where its element has its place in the storage."""
    if like.is_contiguous():
        return exact.double().flatten()
    flat = factories.empty(like.numel(), dtype=torch.float64)
    flat.as_strided(like.size(), like.stride()).copy_(exact)
    return flat


def _origin(seen: Seen) -> Origin | None:
    record = find(seen.out)
    return None if record is None else record.dtype_origin


def _is_librarys(origin: Origin | None) -> bool:
    """Check whether a library's own line gave the dtype: what a model casts itself, it was trained with."""
    if origin is None or origin.library is None or origin.op == MODULE_TO:
        return False
    return origin.library[0].co_name not in _CONVERTS


def _by_policy(seen: Seen) -> bool:
    return seen.name in CASTS and any(
        frame.f_code.co_name == _FSDP for frame in frames_of_run(sys._getframe(1))
    )


def _cast(seen: Seen) -> Rounded | None:
    """Return what a cast of unknown numbers rounds off, as usual for their size."""
    tensor, dtype = seen.tensor("self"), seen.dtype
    if (
        tensor is None
        or not tensor.is_floating_point()
        or dtype is None
        or not dtype.is_floating_point
    ):
        return None
    before = rounding_of(tensor)
    if before is not None or dtype not in HALF or tensor.dtype in HALF:
        return before
    moments = moments_of(tensor)
    error = _usual(moments, dtype)
    if moments is None or not error or _is_librarys(_origin(seen)):
        return None
    return Rounded(
        error=error,
        origin=_origin(seen),
        policy=_by_policy(seen),
        distinct=_between(*moments.typical(), dtype),
    )


def _usual(moments: Moments | None, dtype: torch.dtype) -> float:
    if moments is None or moments.constant() or not math.isfinite(moments.rms):
        return 0.0
    if moments.whole and moments.most <= 2 ** PRECISION[dtype]:
        return 0.0
    return _USUAL * spacing(moments.rms, dtype)


def _between(lo: float, hi: float, dtype: torch.dtype) -> int:
    """Return how many numbers of a half dtype lie in a range of one sign; 0 if there are too many to matter."""
    if lo * hi <= 0:
        return 0
    bits = factories.tensor([abs(lo), abs(hi)], dtype=dtype).view(torch.int16)
    return int((bits[1].int() - bits[0].int()).abs()) + 1


def _kept(seen: Seen) -> Rounded | None:
    return rounding_of(seen.given.get("src" if seen.name == "copy" else "self"))


def _most_off(seen: Seen) -> Rounded | None:
    return _largest(_records(seen))


def _largest(roundings: Iterable[Rounded | None]) -> Rounded | None:
    """Return the one that is furthest off, by the place from which another one has its dtype: `bands.to(xyz.dtype)`."""
    known = [one for one in roundings if one is not None]
    if not known:
        return None
    largest = max(known, key=lambda one: one.error)
    first = origin = largest.origin
    while origin is not None:
        if any(one.origin is origin for one in known):
            first = origin
        origin = origin.source
    return replace(largest, origin=first)


def _product(seen: Seen) -> Rounded | None:
    """Return the rounding of a product: each operand's error times the largest number of the other."""
    second = (
        "mat2" if "mat2" in seen.given else "vec2" if "vec2" in seen.given else "other"
    )
    tensor = seen.tensor("self")
    terms = 1
    if seen.name in _MATRICES and tensor is not None and tensor.dim():
        terms = tensor.shape[-1]
    if terms > _FEW_TERMS:
        return None
    return _largest(
        [_times(seen, "self", second, terms), _times(seen, second, "self", terms)]
    )


def _times(seen: Seen, off: str, by: str, terms: int) -> Rounded | None:
    rounding = rounding_of(seen.given.get(off))
    if rounding is None:
        return None
    factor, moments = seen.given.get(by), seen.moments(by)
    if isinstance(factor, complex):
        return replace(rounding, error=rounding.error * abs(factor), exact=None)
    if moments is None:
        return None
    largest = max(map(abs, moments.typical()))
    return replace(rounding, error=rounding.error * terms * largest, exact=None)


def _quotient(seen: Seen) -> Rounded | None:
    rounding, by = rounding_of(seen.given.get("self")), seen.number("other")
    return (
        replace(rounding, error=rounding.error / abs(by), exact=None)
        if rounding is not None and by
        else None
    )


_BOUNDS = {
    **dict.fromkeys(CASTS, _cast),
    **dict.fromkeys(_KEEP, _kept),
    **dict.fromkeys(("cat", "stack", "add", "sub", "rsub"), _most_off),
    **dict.fromkeys(("mul", "outer", *_MATRICES), _product),
    "div": _quotient,
}
"""Rules to propagate the error of unknown values."""
OPS = frozenset(_BOUNDS) | frozenset(_FUNCTIONS)
