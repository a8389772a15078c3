"""Find where a tensor of a real run got its dtype, and what an op met when it first ran at a line.

`label` gives each new tensor an origin, which goes from op to op with the dtype. Of tensors that no op made, as those
of a file, `miscast run` has notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ...core.event import MODULE_TO, Operand, TensorMeta
from ...vm.provenance.origin import Origin, converts_module, places
from ...vm.provenance.record import tensors_by_name
from ...vm.provenance.tensor_history import note
from . import record
from .call import tensors

if TYPE_CHECKING:
    from .beside import Beside

CAST = "_to_copy"
_MOST = 8


def met(run: Beside) -> tuple[Operand, ...]:
    """Return the tensors that an op got, then what it gave; nothing in a backward pass, which no line spells."""
    if run.shadow.watch.phase == "backward":
        return ()
    made = (("out", one) for one in tensors(run.real))
    plain = [
        pair
        for pair in (*tensors_by_name(run.bound.items()), *made)
        if record.is_plain(pair[1])
    ]
    return tuple(met_as(*pair) for pair in (*plain[:_MOST], *plain[_MOST:][-1:]))


def met_as(name: str, tensor: torch.Tensor) -> Operand:
    """Return a tensor as an op met it, with its name among the arguments ("out": the result)."""
    dtype, device = str(tensor.dtype)[6:], str(tensor.device)
    meta = TensorMeta(dtype=dtype, device=device, shape=tuple(tensor.shape))
    origin = origin_of(tensor)
    event = None if origin is None else origin.freeze()
    return Operand(name=name, tensor=meta, dtype_origin=event)


def origin_of(tensor: torch.Tensor) -> Origin | None:
    """Return what gave a tensor its dtype, as far as it is known."""
    kept = record.find(tensor) if record.is_plain(tensor) else None
    noted = note(tensor).dtype if kept is None or kept.origin is None else kept.origin
    return noted if noted is not None and noted.dtype == tensor.dtype else None


def label(run: Beside) -> None:
    """Give what an op made an origin: that of the operand whose dtype it has, else this line."""
    given = [one for _, one in tensors_by_name(run.bound.items())]
    for one in filter(record.is_plain, tensors(run.real)):
        if not any(one is other for other in given):
            likely = _likely(one, given)
            known = _began(run, one) if likely is None else origin_of(likely)
            record.made(one).origin = known


def _likely(one: torch.Tensor, given: list[torch.Tensor]) -> torch.Tensor | None:
    """Return whose dtype a result has: a bias is broadcast, a weight goes with what it is applied to."""
    alike = [other for other in given if other.dtype == one.dtype]
    alike = list(filter(record.is_plain, alike))
    whole = [other for other in alike if other.shape == one.shape]
    data = [other for other in alike if not isinstance(other, torch.nn.Parameter)]
    return next(iter((*whole, *data, *alike)), None)


def _began(run: Beside, made: torch.Tensor) -> Origin:
    at = places(run.frame)
    if run.plan.op != CAST:
        return Origin("born", run.plan.op, made.dtype, made.device, at)
    weight = isinstance(run.bound.get("self"), torch.nn.Parameter)
    op = MODULE_TO if weight and converts_module(run.frame) else "Tensor.to"
    return Origin("cast", op, made.dtype, made.device, at)
