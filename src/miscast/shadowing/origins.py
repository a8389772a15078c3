"""Find where a tensor of a real run got its dtype, and the operand of an op that is to blame for lost numbers.

`run.label` gives each new tensor an origin, which goes from op to op with the dtype. A note of `miscast run` goes first,
as it has the call that the program makes (`nn.Module.half`), where an op sees only the cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch

from ..event import Operand, TensorMeta
from ..provenance.origin import Origin, places
from ..provenance.tensor_history import note
from . import record
from .call import named, tensors

if TYPE_CHECKING:
    from .beside import Beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Accused:
    """A tensor whose dtype lost numbers: its name among the op's arguments ("out": the result), and its origin."""

    name: str
    dtype: torch.dtype
    device: torch.device
    shape: torch.Size
    origin: Origin | None

    def operand(self) -> Operand:
        """Return it as plain data."""
        meta = TensorMeta(
            dtype=str(self.dtype)[6:],
            device=str(self.device),
            shape=tuple(self.shape),
        )
        origin = None if self.origin is None else self.origin.freeze()
        return Operand(name=self.name, tensor=meta, dtype_origin=origin)


def accuse(name: str, tensor: torch.Tensor) -> Accused:
    """Return a tensor as the one to blame."""
    return Accused(
        name=name,
        dtype=tensor.dtype,
        device=tensor.device,
        shape=tensor.shape,
        origin=origin_of(tensor),
    )


def accused(run: Beside, dtype: torch.dtype) -> Accused | None:
    """Return the first operand that has a dtype, else the result; None in a backward pass, which no line spells."""
    if run.shadow.watch.phase == "backward":
        return None
    pairs = [*named(run.bound), *(("out", one) for one in tensors(run.real))]
    return next((accuse(*one) for one in pairs if one[1].dtype == dtype), None)


def origin_of(tensor: torch.Tensor) -> Origin | None:
    """Return what gave a tensor its dtype, as far as it is known."""
    noted = note(tensor).dtype
    if noted is not None and noted.dtype == tensor.dtype:
        return noted
    kept = record.find(tensor) if record.is_plain(tensor) else None
    return None if kept is None else kept.origin


def label(run: Beside) -> None:
    """Give what an op made an origin: that of the operand whose dtype it has, else this line."""
    given = [one for _, one in named(run.bound)]
    for one in tensors(run.real):
        if record.is_plain(one) and not any(one is other for other in given):
            alike = [other for other in given if other.dtype == one.dtype]
            alike.sort(key=partial(_is_unlike, one))
            known = origin_of(alike[0]) if alike else _began(run, one)
            record.made(one).origin = known


def _is_unlike(made: torch.Tensor, given: torch.Tensor) -> tuple[bool, bool]:
    """Return what tells how unlikely it is that a result has its dtype from an operand: a bias, broadcast, say."""
    return given.shape != made.shape, isinstance(given, torch.nn.Parameter)


def _began(run: Beside, made: torch.Tensor) -> Origin:
    cast = run.plan.op == "_to_copy"
    kind, op = ("cast", "Tensor.to") if cast else ("born", run.plan.op)
    return Origin(kind, op, made.dtype, made.device, places(run.frame))  # type: ignore[arg-type]
