"""A half stream, a residual say, that is float32 from a sum on, because something small in it was float32.

weights = router(x.float()).softmax(-1)             # float32, a number for each expert
x = x + (experts(x) * weights[..., None]).sum(1)    # bfloat16 before, float32 from here on

Many a formula goes through float32 and is cast back: only what another layer is given is told of, or a stream that a
float32 weight has widened, as a layer scale that was put in after the cast.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ....vm.provenance.origin import places
from ....vm.provenance.record import find as find_record
from ..loss import HALF, Lost, short
from ..names import ADDS, DRAWS, MASK, casts
from ..seen import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable

_SUMS = frozenset({"add", "sub"})
_ARITHMETIC = _SUMS | {"mul", "div", "addcmul"}
_THROUGH = _ARITHMETIC | {"sum", "mean", "neg", "bmm", "baddbmm", "einsum", "clamp"}
_LAYERS = frozenset({
    "mm", "addmm", "linear", "matmul", "convolution", "conv2d", "conv1d", "layer_norm", "native_layer_norm", "rms_norm",
    "group_norm", "native_group_norm", "batch_norm", "native_batch_norm", "gelu", "silu", "relu", "tanh", "sigmoid",
    "leaky_relu", "softmax", "_softmax", "scaled_dot_product_attention",
})  # fmt: skip
OPS = _THROUGH | _LAYERS
WIDENS = True
_NO_BRANCH = DRAWS | ADDS | {"", "sub", "embedding", MASK}
_GIVEN = ("self", "other", "input")
_LARGE = 1 << 6
_SMALLER = 2
_WEIGHT = "weight"
"""The operand that widened a stream, if a float32 weight."""


def find(seen: Seen) -> Lost | None:
    """Return a finding if a layer gets a formerly half-precision stream that became float32 on the way."""
    out = seen.tensor("out")
    if out is None or out.dtype is not torch.float32 or out.numel() < _LARGE:
        return None
    given = [one for one in map(seen.tensor, _GIVEN) if one is not None]
    if seen.name in _LAYERS:
        return _reached(given)
    record = find_record(out)
    if record is None or (seen.in_place and seen.name in _ARITHMETIC):
        return None
    record.widened = _widened(seen, given, out)
    return _by_weight(record.widened) if seen.name in _SUMS else None


def _by_weight(lost: Lost | None) -> Lost | None:
    shown = lost is not None and lost.operand == _WEIGHT and lost.figures
    return lost if shown else None


def _reached(given: list[torch.Tensor]) -> Lost | None:
    found = _came_in(one for one in given if one.dtype is torch.float32)
    return found if found is not None and found.figures else None


def _widened(seen: Seen, given: list[torch.Tensor], out: torch.Tensor) -> Lost | None:
    """Return where a result's float32 came in, without figures until a sum has widened a half-precision stream."""
    kept, before = _half_as_large(given, out), _came_in(given)
    if before is not None:
        if not kept or before.figures or seen.name not in _SUMS:
            return before
        figures = f"a {kept} result is float32 from here on, and so is the {kept} stream that it is added to"
        return replace(before, figures=figures)
    if not kept or seen.name not in _ARITHMETIC or casts(out, unknown=True):
        return None
    if seen.name in _SUMS and _is_branch(seen, out):
        figures = f"a {kept} stream is float32 from here on, because a float32 tensor is added to it"
        return replace(_lost(seen, kept), figures=figures)
    return _by_few(seen, given, out, kept)


def _half_as_large(given: list[torch.Tensor], out: torch.Tensor) -> str:
    """Return the half dtype of an operand as large as the result, "" if none has one."""
    half = (one.dtype for one in given if one.numel() == out.numel())
    return next((short(dtype) for dtype in half if dtype in HALF), "")


def _by_few(
    seen: Seen, given: list[torch.Tensor], out: torch.Tensor, kept: str
) -> Lost | None:
    wide = [one for one in given if one.dtype is torch.float32 and one.dim()]
    few = [one for one in wide if _SMALLER * one.numel() <= out.numel()]
    if not few:
        return None
    found = _lost(seen, kept)
    if seen.name == "mul" and any(isinstance(one, torch.nn.Parameter) for one in few):
        return replace(found, operand=_WEIGHT)
    return found


def _is_branch(seen: Seen, out: torch.Tensor) -> bool:
    """Check whether a computed branch is added to a half-precision stream; a sum or a cast stream is no branch."""
    stream, branch = seen.tensor("self"), seen.tensor("other")
    if stream is None or branch is None or stream.dtype not in HALF:
        return False
    return (
        branch.dtype is torch.float32
        and branch.shape == out.shape
        and seen.made_by("other") not in _NO_BRANCH
    )


def _lost(seen: Seen, kept: str) -> Lost:
    return Lost(
        rule="widened-by-one-number",
        wanted=kept,
        form="stream",
        figures="",
        at=places(sys._getframe(1))[0],
        op=seen.short,
    )


def _came_in(given: Iterable[torch.Tensor]) -> Lost | None:
    records = map(find_record, given)
    return next(
        (r.widened for r in records if r is not None and r.widened is not None), None
    )
