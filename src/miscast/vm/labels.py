"""What every result of an op is labelled with: its device, and the origin of its dtype and of its device.

A result keeps the origin of the operand that it has its dtype from; where none has it, the dtype is born, promoted, or
autocast's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..provenance.origin import Origin, places
from ..provenance.record import Record, attach, bares, carrier, is_tensor, widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .call import Call
    from .judging.recorder import Recorder

INTEGRAL = frozenset(
    d for d in vars(torch).values() if isinstance(d, torch.dtype) and not (d.is_floating_point or d.is_complex)
)

_FEW = 4
"""An op of more operands takes lists of them, and each result belongs to one."""


class Labels:
    """Labels the results of one run."""

    def __init__(self, recorder: Recorder, device_type: str, lacking: frozenset[torch.dtype]) -> None:
        """`lacking`: dtypes of which the machine's devices, of this type, have no full support."""
        self._recorder = recorder
        self._device_type = device_type
        self._lacking = lacking
        self.integral = False  # whether the last op gave integers

    def give(self, call: Call, out: Any, promotes: Any, bare: torch.dtype | None) -> None:
        """Give every new result a record."""
        self.integral = False
        if is_tensor(out):
            self._label(call, out, promotes, bare)
        elif isinstance(out, (list, tuple)):
            for one in out:
                if is_tensor(one):
                    self._label(call, one, promotes, bare)

    def _label(self, call: Call, out: torch.Tensor, promotes: Any, bare: torch.dtype | None) -> None:
        dtype = out.dtype
        if dtype in INTEGRAL:
            self.integral = True
        record = getattr(carrier(out), "_miscast_record", None)
        if record is not None:
            if record.device is None:
                record.device = call.device
            if record.dtype_origin is not None or record in call.records or not torch.is_grad_enabled():
                return
        device_origin = dtype_origin = None
        records, dtypes = _bearers(call, out)
        for r in records:
            if r.device is call.device:
                device_origin = r.device_origin
                break
        if bare is not None and dtype is not bare and dtype.is_floating_point:
            dtype_origin = Origin("autocast", call.plan.short, dtype, call.device, places(), None, bare)
            self.chosen(dtype_origin, call.device)
        elif promotes:
            dtype_origin = self._promoted(call, dtype)
        else:
            for d, r in zip(dtypes, records, strict=False):
                if d is dtype:
                    dtype_origin = r.dtype_origin
                    if len(call.records) > 1 and dtype.is_floating_point and _changed_by_autocast(call):
                        dtype_origin = self._without_autocast(call, dtype) or dtype_origin
                    break
            else:
                if dtype.is_floating_point:
                    dtype_origin = Origin("born", call.plan.short, dtype, call.device, places())
            if dtype_origin is not None and dtype_origin.kind == "promoted" and dtype_origin.library is not None:
                dtype_origin = _kept_wide(call, dtype_origin)
        if record is None:
            attach(out, Record(call.device, dtype_origin, device_origin))
        else:  # a hook on what autograd saves saw the result first
            record.dtype_origin, record.device_origin = dtype_origin, device_origin

    def _promoted(self, call: Call, dtype: torch.dtype) -> Origin | None:
        """The first silent promotion: what forced it, if that was one already, else this call."""
        if not dtype.is_floating_point:
            return None
        dense = [(t, r) for t, r in zip(call.tensors, call.records, strict=True) if t.dim()]
        wide = [r.dtype_origin for t, r in dense if t.dtype is dtype]
        narrow = [r.dtype_origin for t, r in dense if t.dtype is not dtype and t.dtype.is_floating_point]
        source = next((o for o in wide if o), None)
        if not narrow or (source is not None and source.kind == "promoted"):
            return source
        known = [o for o in narrow if o]
        other = next((o for o in known if o.dtype is not known[0].dtype), None) if source is None else None
        source = source or next(iter(known), None)
        bare = widest(bares(*zip(*dense, strict=True)))
        made = Origin("promoted", call.plan.short, dtype, call.device, places(), source, bare)
        made.other = other
        return made

    def _without_autocast(self, call: Call, dtype: torch.dtype) -> Origin | None:
        """What gives a result its dtype where autocast gave operands theirs: a promotion that were there without it."""
        dense = [(t, r) for t, r in zip(call.tensors, call.records, strict=True) if t.dim() and t.is_floating_point()]
        plain = bares(*zip(*dense, strict=True)) if dense else []
        wide = widest(plain)
        source = next((r.dtype_origin for b, (_, r) in zip(plain, dense, strict=True) if b is wide), None)
        if wide is not dtype or len(set(plain)) == 1 or (source is not None and source.kind == "promoted"):
            return source
        return Origin("promoted", call.plan.short, dtype, call.device, places(), source)

    def chosen(self, origin: Origin, device: torch.device | None) -> None:
        """Note an origin whose dtype the device, on which it is now, lacks or emulates."""
        if origin.dtype in self._lacking and device is not None and device.type == self._device_type:
            self._recorder.choice(origin)


def _bearers(call: Call, out: torch.Tensor) -> tuple[Sequence[Record], Sequence[torch.dtype]]:
    """Records and dtypes of those whom a result may have its dtype and its device from, the likeliest first.

    These are the operands of its own shape: `alpha * latents` is on the CPU because the latents are, not because of a
    schedule's number that was moved to where they are.
    """
    records, dtypes = call.records, call.dtypes
    if not 1 < len(records) <= _FEW or out.is_nested:
        return records, dtypes
    whole = [i for i, t in enumerate(call.tensors) if not t.is_nested and t.shape == out.shape]
    order = [*whole, *range(len(records))]
    return [records[i] for i in order], [dtypes[i] for i in order]


def _kept_wide(call: Call, promotion: Origin) -> Origin:
    """Why a library's own promotion lasts: norms compute in float32 and cast back, unless their weight is float32 too.

    Then it is the line that cast the weight; the promotion itself where there is no such line.
    """
    forced = promotion.source
    if forced is None or forced.library is None:
        return promotion
    for t, r in zip(call.tensors, call.records, strict=True):
        made = r.dtype_origin
        if made is not None and made.kind == "cast" and made.library is None and isinstance(t, torch.nn.Parameter):
            return Origin("promoted", call.plan.short, made.dtype, call.device, places(), made, promotion.bare)
    return promotion


def _changed_by_autocast(call: Call) -> bool:
    """Whether an operand would have another dtype without autocast."""
    for d, r in zip(call.dtypes, call.records, strict=False):
        origin = r.dtype_origin
        if origin is not None and origin.bare is not d:
            return True
    return False
