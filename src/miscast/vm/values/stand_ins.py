"""Placeholders for small integer or boolean results of unknown operands. What follows from them agrees.

Zeros; of a test what a sound program expects; of what is an order, an order; of what picks one among many, another one
each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..provenance import factories
from ..provenance.record import BITS, find, view_of
from ..virtualize import is_plain
from .limits import whole

if TYPE_CHECKING:
    from ..call import Call
    from .answers import Answers

SMALL = 1 << 12
_NO = frozenset({"any", "isnan", "isinf", "isposinf", "isneginf", "signbit"})
_YES = frozenset({"all", "isfinite", "isclose", "isreal"})
TESTS = _NO | _YES
_ORDERS = frozenset({"argsort", "sort", "topk"})
# and the most dims of a single pick
_PICKS = {"argmax": 0, "argmin": 0, "max": 0, "min": 0, "multinomial": 1}
_INDICES = _ORDERS | set(_PICKS)


def guess(virtual: torch.Tensor, call: Call, answers: Answers) -> None:
    """Keep a placeholder for a result, if its kind has one."""
    record = find(virtual)
    if record is None or not _has_stand_in(virtual):
        return
    op = call.plan.short
    storage = torch.UntypedStorage(virtual.untyped_storage().nbytes())
    yes = op in _YES or (
        virtual.dtype is torch.bool and op not in _NO and virtual.dim() > 0
    )
    fill = int(yes)
    if virtual.dtype is not torch.bool:
        fill = whole(fill, record.limits, virtual.dtype)
    factories.empty(0, dtype=virtual.dtype).set_(storage).fill_(fill)
    if op in _INDICES and call.tensors and call.tensors[0].is_floating_point():
        _fill_with_indices(view_of(storage, virtual), call, answers)
    record.twin, record.assumed = storage, True


def _has_stand_in(virtual: torch.Tensor) -> bool:
    return (
        not (virtual.is_floating_point() or virtual.is_complex())
        and virtual.dtype not in BITS
        and virtual.numel() <= SMALL
        and is_plain(virtual)
        and not virtual.storage_offset()
    )


def _fill_with_indices(real: torch.Tensor, call: Call, answers: Answers) -> None:
    op = call.plan.short
    if real.numel() == 1 and real.dim() <= _PICKS.get(op, -1):
        real.fill_(answers.turn(_among(call)))
    elif real.dim() and (op in _ORDERS or _draws_once(call)):
        along = dict(call.given()).get("dim", -1)
        along = along if type(along) is int else -1
        places = factories.arange(real.shape[along])
        real.copy_(places.view([-1, *[1] * (real.dim() - 1 - along % real.dim())]))


def _among(call: Call) -> int:
    """Return how many there are of which an op picks one."""
    dim = dict(call.given()).get(
        "dim", -1 if call.plan.short == "multinomial" else None
    )
    source = call.tensors[0]
    return source.shape[dim] if type(dim) is int and source.dim() else source.numel()


def _draws_once(call: Call) -> bool:
    return call.plan.short == "multinomial" and not dict(call.given()).get(
        "replacement", False
    )
