"""Labels of every op result: its device, and the origins of its dtype and its device.

A result keeps the origin of the operand that it has its dtype from; where none has it, the dtype is born, promoted, or
autocast's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import torch

from ..core.dtypes import counterpart
from .provenance.origin import Origin, places
from .provenance.record import (
    NAME,
    TENSOR_TYPES,
    Record,
    attach,
    bares,
    carrier,
    widest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.event import EventKind
    from .call import Call
    from .judging.recorder import Recorder

INTEGRAL = frozenset(
    d
    for d in vars(torch).values()
    if isinstance(d, torch.dtype) and not (d.is_floating_point or d.is_complex)
)

_FEW = 4
"""An op of more operands takes lists of them, and each result belongs to one."""

_Known: TypeAlias = "dict[torch.dtype, tuple[Origin | None, Origin | None]]"
"""The origins of one op's results by their dtype: of lists as long as a model's parameters they are found once."""


def relabelled(out: torch.Tensor, record: Record | None) -> torch.Tensor:
    """Return a tensor labelled as another one with this record is; its values are its own."""
    if record is not None:
        attach(out, Record(record.device, record.dtype_origin, record.device_origin))
    return out


class Labels:
    """Labels the results of one run."""

    def __init__(
        self, recorder: Recorder, device_type: str, lacking: frozenset[torch.dtype]
    ) -> None:
        """Start with the dtypes in `lacking`, which the machine's devices, of this type, do not fully support."""
        self._recorder = recorder
        self._device_type = device_type
        self._lacking = lacking
        self.integral = False  # whether the last op gave integers

    def give(
        self, call: Call, out: Any, promotes: Any, bare: torch.dtype | None
    ) -> None:
        """Give every new result a record."""
        self.integral = False
        known: _Known = {}
        for one in out if isinstance(out, (list, tuple)) else (out,):
            if TENSOR_TYPES[type(one)]:
                self._label(call, one, promotes, bare, known)

    def _label(
        self,
        call: Call,
        out: torch.Tensor,
        promotes: Any,
        bare: torch.dtype | None,
        known: _Known,
    ) -> None:
        if out.dtype in INTEGRAL:
            self.integral = True
        holder = carrier(out)
        record = getattr(holder, NAME, None)
        if record is not None:
            if record.device is None:
                record.device = call.device
            if (
                record.dtype_origin is not None
                or record in call.records
                or not torch.is_grad_enabled()
            ):
                return
        of_lists = len(call.records) > _FEW
        origins = known.get(out.dtype) if of_lists else None
        if origins is None:
            order = _bearers(call, out)
            dtype_origin = self._dtype_origin(call, out.dtype, promotes, bare, order)
            origins = known[out.dtype] = dtype_origin, _device_origin(call, order)
        dtype_origin, device_origin = origins
        if record is None:
            setattr(holder, NAME, Record(call.device, dtype_origin, device_origin))
        else:  # a hook on what autograd saves saw the result first
            record.dtype_origin, record.device_origin = dtype_origin, device_origin

    def _dtype_origin(
        self,
        call: Call,
        dtype: torch.dtype,
        promotes: Any,
        bare: torch.dtype | None,
        order: Sequence[int],
    ) -> Origin | None:
        if bare is not None and dtype is not bare and dtype.is_floating_point:
            origin = _made("autocast", call, dtype, bare=bare)
            self.chosen(origin, call.device)
            return origin
        if promotes:
            return _promoted(call, dtype) if dtype.is_floating_point else None
        inherited = _inherited(call, dtype, order)
        if _is_promoted(inherited) and inherited.library is not None:
            return _kept_wide(call, inherited)
        return inherited

    def chosen(self, origin: Origin, device: torch.device | None) -> None:
        """Record an origin whose dtype is missing or emulated on the device that it is now on."""
        if (
            origin.dtype in self._lacking
            and device is not None
            and device.type == self._device_type
        ):
            self._recorder.choice(origin)


def _bearers(call: Call, out: torch.Tensor) -> Sequence[int]:
    """Return which operands a result may have its dtype and its device from, the likeliest first.

    Where operands are broadcast, these are those of the result's own shape: `alpha * latents` is on the CPU because the
    latents are, not because of a schedule's number that was moved to where they are. A product of matrices has the
    shape of one of its factors by chance.
    """
    every = range(len(call.records))
    if not 1 < len(every) <= _FEW or out.is_nested:
        return every
    if (
        call.dtypes[0] is out.dtype
        and call.records[0].device is call.device
        and not call.tensors[0].is_nested
        and call.tensors[0].shape == out.shape
    ):
        return every[:1]  # of all that would be asked, it is the first
    whole = []
    for i, operand in enumerate(call.tensors):
        if operand.is_nested or not _broadcasts(operand.shape, out.shape):
            return every
        if operand.shape == out.shape:
            whole.append(i)
    return [*whole, *every]


def _broadcasts(shape: torch.Size, to: torch.Size) -> bool:
    """Check whether a tensor of a shape broadcasts to another one without changing the latter."""
    return len(shape) <= len(to) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False)
    )


def _device_origin(call: Call, order: Sequence[int]) -> Origin | None:
    for i in order:
        if call.records[i].device is call.device:
            return call.records[i].device_origin
    return None


def _inherited(call: Call, dtype: torch.dtype, order: Sequence[int]) -> Origin | None:
    """Return the origin of the operand that gave a result its dtype, or a new origin, created here."""
    for i in order:
        if call.dtypes[i] is dtype:
            origin = call.records[i].dtype_origin
            if (
                len(call.records) > 1
                and dtype.is_floating_point
                and _changed_by_autocast(call)
            ):
                return _without_autocast(call, dtype) or origin
            return origin
    return _computed(call, dtype)


def _computed(call: Call, dtype: torch.dtype) -> Origin | None:
    """Return the origin of what no operand has the dtype of; a complex result has its precision from a real operand."""
    pairs = zip(call.dtypes, call.records, strict=False)
    alike = (
        r for d, r in pairs if d not in INTEGRAL and d.is_complex != dtype.is_complex
    )
    source = next((r.dtype_origin for r in alike), None)
    if source is None and not dtype.is_floating_point:
        return None
    made = _made("born", call, dtype, source)
    bare = counterpart(str((source or made).bare)[6:], str(dtype)[6:])
    made.bare = getattr(torch, bare, dtype)
    return made


def _dense(call: Call) -> list[tuple[torch.Tensor, Record]]:
    """Return the floating operands that decide an op's promotion, which are those with dimensions."""
    pairs = zip(call.tensors, call.records, strict=True)
    return [(t, r) for t, r in pairs if t.dim() and t.is_floating_point()]


def _promoted(call: Call, dtype: torch.dtype) -> Origin | None:
    """Return the first silent promotion: the operand that caused it, if promoted already, else this call."""
    dense = _dense(call)
    same = (r.dtype_origin for t, r in dense if t.dtype is dtype)
    source = next(filter(None, same), None)
    narrow = [r.dtype_origin for t, r in dense if t.dtype is not dtype]
    if not narrow or _is_promoted(source):
        return source
    # float16 and bfloat16 make float32
    two = {origin.dtype: origin for origin in reversed(narrow) if origin}
    causes = sorted(two.values(), key=narrow.index) if source is None else [source]
    bare = widest(bares(*zip(*dense, strict=True)))
    made = _made("promoted", call, dtype, next(iter(causes), None), bare)
    made.other = next(iter(causes[1:]), None)
    return made


def _made(
    kind: EventKind,
    call: Call,
    dtype: torch.dtype,
    source: Origin | None = None,
    bare: torch.dtype | None = None,
) -> Origin:
    """Return an origin at the line that makes this call."""
    return Origin(kind, call.plan.short, dtype, call.device, places(), source, bare)


def _is_promoted(origin: Origin | None) -> TypeGuard[Origin]:
    return origin is not None and origin.kind == "promoted"


def _without_autocast(call: Call, dtype: torch.dtype) -> Origin | None:
    """Return what gives a result its dtype where autocast gave operands theirs.

    A promotion that were there without it.
    """
    dense = _dense(call)
    plain = bares(*zip(*dense, strict=True)) if dense else []
    wide = widest(plain)
    source = next(
        (r.dtype_origin for b, (_, r) in zip(plain, dense, strict=True) if b is wide),
        None,
    )
    if wide is not dtype or len(set(plain)) == 1 or _is_promoted(source):
        return source
    return _made("promoted", call, dtype, source)


def _kept_wide(call: Call, promotion: Origin) -> Origin:
    """Return why a library's own promotion lasts.

    Norms compute in float32 and cast back, unless their weight is float32 too.

    Then it is the line that cast the weight; the promotion itself where there is no such line.
    """
    forced = promotion.source
    if forced is None or forced.library is None:
        return promotion
    for t, r in zip(call.tensors, call.records, strict=True):
        made = r.dtype_origin
        if (
            made is not None
            and made.kind == "cast"
            and made.library is None
            and isinstance(t, torch.nn.Parameter)
        ):
            return _made("promoted", call, made.dtype, made, promotion.bare)
    return promotion


def _changed_by_autocast(call: Call) -> bool:
    """Check whether an operand would have another dtype without autocast."""
    for d, r in zip(call.dtypes, call.records, strict=False):
        origin = r.dtype_origin
        if origin is not None and origin.bare is not d:
            return True
    return False
