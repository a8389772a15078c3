"""Find where a tensor of a real run got its dtype, and what an op met when it first ran at a line.

`label` gives each new tensor an origin, which goes from op to op with the dtype. A note of `miscast run` goes first, as
it has the call that the program makes (`nn.Module.half`), where an op sees only the cast.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch

from ..event import MODULE_TO, Operand, TensorMeta
from ..provenance.origin import USER, Origin, kind_of, places
from ..provenance.tensor_history import note
from . import record
from .call import named, tensors

if TYPE_CHECKING:
    from types import FrameType

    from .beside import Beside

CAST = "_to_copy"
_APPLY, _MODULE = torch.nn.Module._apply.__code__, "nn.Module."
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A tensor that an op met: its name among the arguments ("out": the result), and what gave it its dtype."""

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


def met_as(name: str, tensor: torch.Tensor) -> Named:
    """Return a tensor as an op met it."""
    return Named(
        name=name,
        dtype=tensor.dtype,
        device=tensor.device,
        shape=tensor.shape,
        origin=origin_of(tensor),
    )


def met(run: Beside) -> tuple[Named, ...]:
    """Return the tensors that an op got and gave; nothing in a backward pass, which no line spells."""
    if run.shadow.watch.phase == "backward":
        return ()
    given = [*named(run.bound)][:_MOST]
    return tuple(
        met_as(*one) for one in [*given, *(("out", t) for t in tensors(run.real))]
    )


def origin_of(tensor: torch.Tensor) -> Origin | None:
    """Return what gave a tensor its dtype, as far as it is known."""
    noted = note(tensor).dtype
    if noted is not None and noted.dtype == tensor.dtype:
        return _of_whole_module(noted)
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
    at = places(run.frame)
    if run.plan.op != CAST:
        return Origin("born", run.plan.op, made.dtype, made.device, at)
    op = MODULE_TO if converts_module(run.frame) else "Tensor.to"
    return Origin("cast", op, made.dtype, made.device, at)


def converts_module(frame: FrameType | None) -> bool:
    """Check whether a module is being cast, with its gradients."""
    while frame is not None and kind_of(frame.f_code) != USER:
        if frame.f_code is _APPLY:
            return True
        frame = frame.f_back
    return False


def _of_whole_module(noted: Origin) -> Origin:
    """Return a note of `nn.Module.half` as other watchers have it."""
    found = copy(noted)
    found.op = MODULE_TO if noted.op.startswith(_MODULE) else noted.op
    return found
