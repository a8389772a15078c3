"""On the CPU, torch itself has the last word on small calls: a real one says whether the dtypes are refused.

Tables and contracts know dtypes. Whether torch looks at them may depend on more: of an empty tensor on nothing at all,
`flip` with no dimensions copies, `softmax` with a `dtype` casts first. The tensors of a call that seems wrong are made
for real, with made-up values where they are unknown, and the op is called: what runs is no mistake, and the text of an
error is the true one.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ...running.torch_abi import tracing_state
from ..key import Exclude
from ..provenance.record import BITS, filled, find, view_of
from ..provenance.whose_failure import is_miscasts
from ..values.known_storage import BELOW_AUTOCAST
from .op_errors import ERRORS, about_dtypes, text_of, violation_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.event import Violation
    from ..call import Call

_OWN = ("aten.", "torchvision.")
_SMALL, _LARGE = 1 << 12, 1 << 18  # elements of all operands together
RARE = BITS | {
    getattr(torch, name)
    for name in (
        *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"),
        *("float8_e8m0fnu", "uint16", "uint32", "uint64", "complex32"),
    )
    if hasattr(torch, name)
}
"""Dtypes that torch itself is asked about wherever it can be."""


def can_tell(call: Call) -> bool:
    """Check whether torch can be asked: one of its own ops, on the CPU, with small operands."""
    on_cpu = call.device is not None and call.device.type == "cpu" and not call.mixed
    if not on_cpu or not call.plan.name.startswith(_OWN):
        return False
    if tracing_state() is not None:  # asking for a size would leave a node in the graph
        return False
    most = _LARGE if is_rare(call) or _has_narrow_index(call) else _SMALL
    return sum(t.numel() for t in call.tensors) <= most


def is_rare(call: Call) -> bool:
    """Return whether some operand is of a dtype that tables hold few calls of, and kernels are often missing for."""
    return not RARE.isdisjoint(call.dtypes)


def is_unusual(call: Call) -> bool:
    """Check whether some operand is rare, complex in an op whose inner ops are not judged, or an index in int32."""
    if is_rare(call) or _has_narrow_index(call):
        return True
    flat = call.plan.whole and not call.plan.composite and not call.plan.view
    return flat and any(d.is_complex for d in call.dtypes)


def _has_narrow_index(call: Call) -> bool:
    """Check for sums by an index in int32, which some kernels take and others refuse: those of 16 columns, say."""
    sums = call.plan.short.startswith(("scatter_add", "scatter_reduce"))
    return sums and torch.int32 in call.dtypes


def is_empty(call: Call) -> bool:
    """Check whether some operand has no elements (of calls that torch can be asked about)."""
    return any(t.numel() == 0 for t in call.tensors)


def confirmed(
    call: Call, found: tuple[Violation, ...], *, inside: bool = False
) -> tuple[Violation, ...]:
    """Return what the call breaks, by real torch; `found` is what it breaks by its dtypes.

    `inside`: autocast is on, and is still to act on the ops within the op.
    """
    error = _error(call, inside=inside)
    if error is None:
        return ()
    if not about_dtypes(error):
        return found  # a value that was made up: the question was not answered
    if not found:
        return (violation_of(call, error),)
    return (
        replace(found[0], error=text_of(error), raises=type(error).__name__),
        *found[1:],
    )


def accepts(call: Call) -> bool:
    """Check whether torch runs a call that a meta kernel refused; some meta kernels are stricter than real devices."""
    return can_tell(call) and _error(call) is None


def runs(call: Call) -> bool:
    """Check whether the CPU makes the call, wherever the program makes it."""
    return (
        call.plan.special is None
        and call.plan.name.startswith("aten.")
        and _error(call) is None
    )


def _error(call: Call, *, inside: bool = False) -> Exception | None:
    try:
        # with autograd as it is, which refuses calls of its own
        with nullcontext() if inside else Exclude(BELOW_AUTOCAST):
            call.on_cpu(_each_once())
    except ERRORS as error:
        if is_miscasts(error):  # the question could not even be asked
            raise
        return error
    return None


def _each_once() -> Callable[[torch.Tensor], torch.Tensor]:
    """Return what makes tensors real: of two that are the same, one, for `equal(x, x)` is a case of its own."""
    made: dict[int, torch.Tensor] = {}

    def real(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in made:
            made[id(tensor)] = _real(tensor)
        return made[id(tensor)]

    return real


def _real(tensor: torch.Tensor) -> torch.Tensor:
    record = find(tensor)
    if record is not None and record.twin is not None:
        real = view_of(record.twin.clone(), tensor).detach()
    else:  # zeros are indices of everything, ones divide
        real = filled(tensor, tensor.dtype.is_floating_point)
    # no leaf: it may be written to
    return real.requires_grad_().clone() if tensor.requires_grad else real
