"""Ops that put numbers beside others, leave some out, or choose among neighbours: none is beyond the bounds."""

from __future__ import annotations

from dataclasses import replace

from ....core.moments import Moments, constant, mixed, product, summed, total
from ..seen import Seen, moments_of

_CHOOSE = (
    "masked_select", "rot90", "positive", "conj_physical", "resolve_conj", "resolve_neg", "real", "alias_copy",
    "t_copy",
    "expand_copy", "permute_copy", "transpose_copy", "squeeze_copy", "unsqueeze_copy", "view_copy", "diagonal_copy",
    "unbind_copy", "unfold_copy", "narrow_copy", "split_with_sizes_copy", "split_copy", "slice_copy",
    "select_copy", "detach_copy", "unsafe_split", "unsafe_split_with_sizes", "lift_fresh_copy", "channel_shuffle",
    "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "median",
    "replication_pad3d", "upsample_nearest1d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "nanmedian",
    "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "quantile",
    "nanquantile", "im2col",
    "_nested_from_padded", "pin_memory", "native_channel_shuffle", "resize", "resize_as",
    "_unsafe_index", "tensor_split", "take_along_dim",
)  # fmt: skip


def _same(seen: Seen) -> Moments | None:
    name = "self" if "self" in seen.given else "input"
    x = seen.moments(name)
    return None if x is None else replace(x, certain=False)


def _cubic(seen: Seen) -> Moments | None:
    """Return the value range of cubic splines, which overshoot their points by a third at most."""
    x = seen.moments("self")
    if x is None:
        return None
    beyond = (x.hi - x.lo) * 0.375
    return Moments(lo=x.lo - beyond, hi=x.hi + beyond, mean=x.mean, rms=x.rms)


def _with_zeros(seen: Seen) -> Moments | None:
    """Return some stay, the others are 0."""
    name = "self" if "self" in seen.given else "input"
    x, tensor, out = seen.moments(name), seen.tensor(name), seen.tensor("out")
    if x is None or tensor is None or out is None or not out.numel():
        return None
    share = 0.5 if out.numel() == tensor.numel() else tensor.numel() / out.numel()
    return mixed([(x, min(share, 1.0)), (constant(0.0), 1.0 - min(share, 1.0))])


def _of_two(*names: str) -> object:
    def rule(seen: Seen) -> Moments | None:
        if seen.given.get("reduce") is not None:
            return None
        if seen.given.get("accumulate"):
            return _added_to(seen)
        found = [
            (seen.moments(name), seen.tensor(name))
            for name in ("self", _first(seen, names))
        ]
        known = [
            (m, 1 if t is None else max(t.numel(), 1))
            for m, t in found
            if m is not None
        ]
        if len(known) < len(found):
            return None
        (x, many), (y, few) = known
        share = min(0.5, few / many) if many else 0.5
        return replace(mixed([(x, 1.0 - share), (y, share)]), certain=False)

    return rule


def _first(seen: Seen, names: tuple[str, ...]) -> str:
    return next((name for name in names if name in seen.given), "")


def _added_to(seen: Seen) -> Moments | None:
    """Return the value range of scattered additions; the bounds assume that all may go to one element."""
    if seen.number("alpha") not in (None, 1.0):
        return None
    x, y = seen.moments("self"), seen.moments(_first(seen, ("src", "source", "values")))
    source, tensor = (
        seen.tensor(_first(seen, ("src", "source", "values"))),
        seen.tensor("self"),
    )
    if x is None or y is None or source is None or tensor is None or not tensor.numel():
        return None
    each = max(source.numel() / tensor.numel(), 1e-9)
    whole = summed(y, max(source.numel(), 1))
    usual = summed(y, max(round(each), 1))
    found = total(x, usual)
    return Moments(
        lo=x.lo + min(0.0, whole.lo), hi=x.hi + max(0.0, whole.hi), mean=x.mean + each * y.mean,
        rms=max(found.rms, abs(x.mean + each * y.mean)), whole=x.whole and y.whole,
    )  # fmt: skip


def _differences(seen: Seen) -> Moments | None:
    x = seen.moments("self")
    return (
        None
        if x is None or seen.number("n") not in (None, 1.0)
        else replace(total(x, product(x, constant(-1.0))), certain=False)
    )


def _listed(seen: Seen) -> Moments | None:
    tensors = seen.given.get("tensors")
    if not isinstance(tensors, (list, tuple)) or not tensors:
        return None
    whole = sum(one.numel() for one in tensors)
    parts = [(moments_of(one), one.numel()) for one in tensors]
    if not whole or any(found is None for found, _ in parts):
        return None
    return mixed(
        [(found, count / whole) for found, count in parts if found is not None]
    )


def _distinct(seen: Seen) -> tuple[Moments | None, ...]:
    """Return the value range of the numbers; the places and counts beside them are others."""
    return seen.moments("self"), None, None


RULES = {
    **dict.fromkeys(("unique_dim", "_unique2", "unique_consecutive"), _distinct),
    **dict.fromkeys(_CHOOSE, _same),
    **dict.fromkeys(("upsample_bicubic2d", ), _cubic),
    **dict.fromkeys(
        ("tril", "triu", "diag_embed", "diag", "diagflat",
         "col2im", "max_unpool2d", "max_unpool3d"), _with_zeros),
    **dict.fromkeys(("index_fill", "index_copy", "scatter", "index_put", "put", "select_scatter", "slice_scatter",
                     "diagonal_scatter", "masked_scatter"),
                    _of_two("value", "src", "source", "values")),
    **dict.fromkeys(("scatter_add", "index_add"), _added_to),
    "diff": _differences,
    **dict.fromkeys(("hstack", "vstack", "dstack", "column_stack", "row_stack", "meshgrid"), _listed),
}  # fmt: skip
