"""Build the finding of a precision loss in a real run: the tensor to blame, its origin, and the help of its form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.event import Call, Operand, Violation
from ...core.finding import Finding, Related, Severity
from ...judging.findings.lossy import of_loss
from ...vm.provenance.origin import locate
from .losses import known_help

if TYPE_CHECKING:
    from .loss import Loss

_AS_WIDE = frozenset({"nan-appears", "row-masked-whole"})
"""Losses that no wider dtype prevents."""
_OF_GIVEN = frozenset({
    "fraction-cut-off", "integer-wraps", "number-overflows", "number-underflows",
})  # fmt: skip
"""Losses that are told of what a cast got; of another loss by a cast its result is to blame."""
_CASTS = frozenset({"to", "copy"})


def finding_of(loss: Loss, count: int, severity: Severity) -> Finding:
    """Return the finding of a loss that was met so many times, without edits."""
    site = loss.site
    blamed = loss.blamed or _blamed(loss)
    operands = () if blamed is None else (blamed,)
    call = Call(
        op=site.op,
        phase=site.phase,
        location=site.location,
        library=locate(site.library),
        callers=tuple(filter(None, map(locate, site.callers))),
        operands=operands,
        violation=Violation(
            kind="lossy",
            odd=tuple(one.name for one in operands),
            expected=_wanted(loss, blamed),
            argument=loss.rule,
            form=loss.form,
            raises="",
        ),
        count=count,
    )
    found = of_loss(call, loss.says, known_help()[loss.rule][loss.form], severity)
    others = ((label, other) for label, other in loss.also if other is not site)
    also = [Related(label=label, location=o.location) for label, o in others]
    return replace(found, related=(*also, *found.related))


def _blamed(loss: Loss) -> Operand | None:
    """Return the first operand, else the result, that has the dtype."""
    site = loss.site
    if site.op in _CASTS and loss.rule in _OF_GIVEN:
        return next(iter(site.met), None)
    return next((one for one in site.met if one.dtype == site.dtype_name), None)


def _wanted(loss: Loss, blamed: Operand | None) -> str:
    """Return the dtype that holds the numbers: the next wider one; of a cast to integers, what it got."""
    name = loss.site.dtype_name
    if loss.rule in _AS_WIDE:
        return ""
    if loss.site.dtype.is_floating_point:
        return {"float32": "float64", "float64": "int64"}.get(name, "float32")
    if blamed is not None and blamed.dtype != name:
        return blamed.dtype
    return "int64" if name == "int32" else "int32"
