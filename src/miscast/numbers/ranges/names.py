"""Names for values: by the op that created them, or by their origin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from ...vm.provenance.record import Record, find, is_tensor
from . import exponentials
from .loss import HALF
from .seen import CASTS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from .seen import Seen

HALF_UP = "x + 0.5"
PRODUCTS = frozenset({"addmm", "addmv", "addr", "baddbmm", "addbmm"})
"""beta * average + alpha * (a product): how a covariance follows its batches."""
PLACES = {"scatter_add": "src", "scatter_reduce": "src", "index_add": "source", "index_put": "values"}  # fmt: skip
"""Ops that add up all that belongs to one place, and the argument that is added."""
ADDS = frozenset({"add", HALF_UP, *PLACES, *PRODUCTS})
MASK = "mask"
"""Zeros and ones, or multiples of them, that were a bool."""
COMPLEMENT = "complement"
"""1 - p of a probability."""
ALIKE = "rounded alike"
"""One number, that several were rounded to."""
SQUARE = "square"
"""x.square(), and x * x."""
PROBABLE = frozenset({"sigmoid", "softmax", "_softmax"})
DRAWS = frozenset(
    {"randn", "randn_like", "rand", "rand_like", "normal", "normal_functional"}
)
"""Random numbers, of which multiples are called the same."""
GRADIENT = "gradient"
"""A parameter's gradient, as it came."""
RATED = "gradient, times a rate"
WEIGHTS = "weights"
"""Trained ones, or multiples of them."""
SIZE_OF_WEIGHTS = "size of weights"
"""Their norm, or a multiple of it, bounded from below or not."""
NORM_OF_SCALED = "norm of scaled gradients"
NORMS = frozenset({"norm", "linalg_vector_norm", "linalg_norm"})
_OF_A_SIZE = frozenset({"mul", "div", "add", "clamp", "clamp_min", "maximum"})
MIXES = frozenset({
    "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "remainder", "__rshift__", "__lshift__", "fmod",
})  # fmt: skip
"""Ops of hashes and random numbers, for which the size matters, no single value."""
_COLLAPSE = frozenset({"cos", "exp", "exp2", "add", "sub", "rsub", "sigmoid", "cosh"})
_SEVERAL = 2
SUMS = frozenset({
    "add", "sub", "logaddexp", "logaddexp2", "scatter_add", "index_add", "scatter_reduce",
})  # fmt: skip
COMPENSATED, TAKEN_BACK = -1, -2
"""Instead of how many sums it took: what a sum rounded off is in it, or is all that it is."""
_LINEAR = frozenset({
    "add", "sub", "rsub", "neg", "sum", "mean", "cat", "stack", "where", "copy", "roll", "flip", "diff", "index_put",
    "scatter_add", "index_add", "constant_pad_nd", "repeat", "maximum", "minimum", "clamp", "abs", "amax", "amin",
})  # fmt: skip
MATRICES = {
    "mm": ("self", "mat2"), "bmm": ("self", "mat2"), "matmul": ("self", "other"), "mv": ("self", "vec"),
    "dot": ("self", "tensor"), "linear": ("input", "weight"), "addmm": ("mat1", "mat2"), "addmv": ("mat", "vec"),
    "addr": ("vec1", "vec2"), "addbmm": ("batch1", "batch2"), "baddbmm": ("batch1", "batch2"),
    "conv1d": ("input", "weight"), "conv2d": ("input", "weight"),
    "conv3d": ("input", "weight"), "convolution": ("input", "weight"),
}  # fmt: skip
"""Products of matrices, and their factors."""
_SQUARES, SQUARED = frozenset({"square", "pow", "linalg_vector_norm", "norm"}), 3
_CHOOSES = frozenset({
    "max", "amax", "maximum", "min", "amin", "minimum", "index", "index_select", "gather", "clone",
})  # fmt: skip
_MULTIPLES = frozenset({"mul", "div"})
_SCALED = _MULTIPLES | {"add", "sub", "rsub"}
_FILLED = {"zeros_like", "ones_like", "full_like", "empty_like", "randint_like"}
_POSITIVE = frozenset({
    "abs", "square", "exp", "exp2", "sigmoid", "relu", "softmax", "_softmax", "softplus", "var", "std", "cosh",
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", SQUARE, *NORMS,
})  # fmt: skip
_KEEP_SIGN = {"add", "mul", "div", "sum", "mean", "sqrt", "amax", "max", "maximum"}


def keep(seen: Seen, record: Record, serials: Iterator[int]) -> None:
    """Name moved or cast numbers as they were called before, or `MASK` where a bool is cast to numbers.

    Numbers that a half dtype rounds are others, made from those.
    """
    tensor = seen.tensor("self")
    before = None if tensor is None else find(tensor)
    if tensor is None or before is None or record.made_by:
        return
    cast = tensor.dtype is torch.bool and seen.dtype not in (None, torch.bool)
    record.made_by, record.factor = MASK if cast else before.made_by, before.factor
    narrowed = tensor.dtype is torch.float64 and seen.dtype is not torch.float64
    record.degree = 2 if narrowed else before.degree
    record.positive = before.positive
    if seen.name in CASTS:
        record.serial, record.made_from = before.serial, before.made_from
        record.narrowed = before.narrowed
        if seen.dtype in HALF and tensor.dtype is torch.float32:
            before.serial = before.serial or next(serials)
            record.serial, record.made_from = next(serials), (before.serial,)
            record.narrowed = True


def made(seen: Seen) -> str:
    """Return the name of numbers that an op computed."""
    formula = exponentials.made(seen) if seen.dtype is torch.float32 else ""
    if formula:
        return formula
    for name, ops, holds in _NAMED:
        if seen.name in ops and holds(seen):
            return name
    if seen.name in _SCALED and isinstance(seen.given.get("other"), (int, float)):
        return _multiple(seen)
    return seen.name


def degree(seen: Seen) -> int:
    """Return 0 for data and sums of them, 1 for a product of two matrices, 2 for other functions, 3 for squares."""
    if seen.name in MATRICES:
        return _of_matrices(seen)
    behind = [find(one) for one in seen.tensors() if one.is_floating_point()]
    if seen.name in _SQUARES or (seen.name == "mul" and _are_one(behind)):
        return SQUARED
    if seen.name in _LINEAR or (seen.name in _MULTIPLES and len(behind) < _SEVERAL):
        return max((one.degree for one in behind if one is not None), default=0)
    return 2 * bool(behind and seen.name not in DRAWS | _FILLED)


def _of_matrices(seen: Seen) -> int:
    factors = [seen.tensor(name) for name in MATRICES[seen.name]]
    known = [find(one) for one in factors if one is not None]
    if _are_one(known):
        return SQUARED
    return max(1, seen.degree("self") * ("self" not in MATRICES[seen.name]))


def _are_one(records: list[Record | None]) -> bool:
    return len(records) >= _SEVERAL and records[0] is records[1]


def at_a_place(seen: Seen) -> int:
    """Return how many terms one call adds to each number on average, 1 at least; 0 if it adds none."""
    target, added = seen.tensor("self"), seen.tensor(PLACES.get(seen.name, ""))
    if target is None or added is None:
        return 1
    if seen.name == "scatter_reduce" and seen.given.get("reduce") != "sum":
        return 0
    if seen.name != "index_put":
        return max(1, added.numel() // max(target.numel(), 1))
    if not seen.given.get("accumulate"):
        return 0
    # one value may be added at all places: the indices tell how often
    written = [one.numel() for one in seen.given["indices"] if is_tensor(one)]
    places = math.prod(target.shape[: len(seen.given["indices"])])
    return max(1, max(written, default=0) // max(places, 1))


def is_positive(seen: Seen, made: str) -> bool:
    """Check whether a call's results are not below 0, whatever their size: a loss, a norm, and means of such."""
    if made in _POSITIVE or seen.name in _POSITIVE:
        return True
    if seen.name not in _KEEP_SIGN:
        return False
    behind = [find(one) for one in seen.tensors()]
    factors = [one for one in seen.given.values() if isinstance(one, (int, float))]
    positive = all(one is not None and one.positive for one in behind)
    return positive and min(factors, default=0) >= 0


def additions(tensor: torch.Tensor | None) -> int:
    """Return how many times in a row something was added to a tensor."""
    record = None if tensor is None else find(tensor)
    return 0 if tensor is None or record is None else record.sums.get(_part(tensor), 0)


def count(seen: Seen, record: Record, made: str) -> None:
    """Count an addition to a tensor, or to a part of one; any other op begins anew."""
    target = seen.tensor("out" if seen.in_place else "self")
    before = None if target is None else find(target)
    again = before is not None and {made, before.made_by} <= ADDS
    sums = additions(target) if again else 0
    if record.sums and not again:
        record.sums = {}
    if made in ADDS:
        record.sums[_part(seen.out)] = sums + 1


def _part(tensor: torch.Tensor) -> int:
    return int(tensor.storage_offset()) if tensor.layout is torch.strided else 0


def put_back(seen: Seen, record: Record) -> bool:
    """Check whether numbers are written where they were taken from, as by `x[i] += 1`; `x[i] = x[i] + 1` is a sum."""
    source = seen.tensor("src")
    behind = None if source is None else find(source)
    if behind is None or behind is record or record.serial not in behind.made_from:
        return behind is record
    record.sums[_part(seen.out)] = additions(source)
    record.made_by, record.stood = behind.made_by, behind.stood
    record.serial, record.made_from = behind.serial, behind.made_from
    return True


def _is_square(seen: Seen) -> bool:
    """Check whether a tensor is multiplied by itself, or a mean by the same mean."""
    if seen.given.get("self") is seen.given.get("other"):
        return True
    one, other = seen.known("self"), seen.known("other")
    means = seen.made_by("self") == seen.made_by("other") == "mean"
    return means and one is not None and other is not None and torch.equal(one, other)


def _is_size_of_weights(seen: Seen) -> bool:
    if seen.name in NORMS:
        trained = isinstance(seen.tensor("self"), torch.nn.Parameter)
        return trained or seen.made_by("self") == WEIGHTS
    return seen.name in _OF_A_SIZE and seen.made_by("self") == SIZE_OF_WEIGHTS


def _are_weights(given: Any) -> bool:
    """Check whether all of them are parameters, or views of parameters."""
    parts = given if isinstance(given, (list, tuple)) else ()
    return bool(parts) and all(
        isinstance(
            getattr(one, "_base", None) if getattr(one, "_is_view", bool)() else one,
            torch.nn.Parameter,
        )
        for one in parts
    )


def _multiple(seen: Seen) -> str:
    by = seen.made_by("self")
    if seen.name in ("mul", "div"):
        if by in DRAWS or by == WEIGHTS:
            return by
        if by in (GRADIENT, RATED):
            return RATED
        if isinstance(seen.given.get("self"), torch.nn.Parameter):
            return WEIGHTS
    return MASK if by == MASK else seen.name


def is_no_gradient(given: Any) -> bool:
    """Check whether a value added to gradients is not a gradient itself: noise, or weights that decay."""
    one = given[0] if isinstance(given, (list, tuple)) and given else given
    record = find(one) if is_tensor(one) else None
    drawn = record is not None and record.made_by in (*DRAWS, WEIGHTS)
    return drawn or isinstance(one, torch.nn.Parameter)


def factor(seen: Seen) -> float:
    """Return the number that all elements were multiplied by, as a magnitude; 0 if there is none."""
    if seen.name != "mul":
        return 0.0
    found = seen.number("other")
    rate = abs(seen.number("self") or 0.0) if found is None else abs(found)
    before = find(seen.given["self"]) if seen.made_by("self") == RATED else None
    return rate if before is None else rate * before.factor


def chain(seen: Seen) -> None:
    """Count a result's sums: one more than its operands' for a sum, the same number for a selection.

    What a sum rounded off, and what carries that on as Kahan does, counts as `COMPENSATED`.
    """
    out = seen.out if is_tensor(seen.out) else seen.out[0]
    record = find(out)
    if record is None or seen.in_place or seen.name not in SUMS | _CHOOSES:
        return
    given = [one for one in map(seen.tensor, ("self", "other")) if one is not None]
    behind = map(find, (one for one in given if one.dtype is out.dtype))
    chains = [one.chain for one in behind if one is not None]
    if seen.name == "sub" and seen.undoes:
        record.chain = TAKEN_BACK
    elif min(chains, default=0) < 0:
        record.chain = COMPENSATED
    else:
        record.chain = max(chains, default=0) + (seen.name in SUMS)


def casts(out: torch.Tensor, *, unknown: bool) -> bool:
    """Check whether a region of autocast is on, in which mixes are meant; `unknown`: where the device is not known."""
    record = find(out)
    kind = "cpu" if record is None or record.device is None else record.device.type
    return unknown if kind == "meta" else torch.is_autocast_enabled(kind)


def _alike(seen: Seen) -> bool:
    before, after = seen.known("self"), seen.known("out")
    if (
        seen.dtype not in HALF
        or before is None
        or after is None
        or after.numel() < _SEVERAL
    ):
        return False
    return bool((after == after.flatten()[0]).all()) and bool(
        (before != before.flatten()[0]).any()
    )


def _complement(seen: Seen) -> bool:
    p, one = ("self", "other") if seen.name == "rsub" else ("other", "self")
    tensor = seen.tensor(p)
    half = tensor is not None and tensor.dtype in HALF
    return half and seen.number(one) == 1.0 and seen.made_by(p) in PROBABLE


_NAMED: tuple[tuple[str, Container[str], Callable[[Seen], bool]], ...] = (
    (COMPLEMENT, ("rsub", "sub"), _complement),
    (ALIKE, _COLLAPSE, _alike),
    (SQUARE, ("mul",), _is_square),
    (SIZE_OF_WEIGHTS, NORMS | _OF_A_SIZE, _is_size_of_weights),
    (WEIGHTS, ("cat",), lambda seen: _are_weights(seen.given.get("tensors"))),
    (
        HALF_UP,
        ("add",),
        lambda seen: seen.dtype in HALF and seen.number("other") == 0.5,
    ),
    ("zeros", ("scalar_tensor",), lambda seen: seen.number("s") == 0),
)
