"""Casts and moves: `.to`, `.cuda`, `.half`, `copy_`. For C++ a move is nothing; here it is a copy on another device."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from ...core.event import MODULE_TO
from ...running.torch_abi import suggest_memory_format, tracing_state
from ..call import over
from ..judging.eager_confirmation import RARE
from ..judging.op_errors import no_kernel
from ..judging.recovery import relabel_gradient
from ..provenance import factories
from ..provenance.dtype_references import dtype_source, kept_for_later, named
from ..provenance.origin import USER, Origin, Place, converts_module, kind_of, places
from ..provenance.record import PACKED, Record, attach, find, is_tensor, view_of
from ..values.known_storage import written
from ..virtualize import is_small, virtualize

if TYPE_CHECKING:
    from types import FrameType

    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


_CALLERS = 3
_CPU = torch.device("cpu")
_MOVE = "aten.to.dtype_layout"  # `x.to(device)`: torch itself puts the tensor's own dtype in


def to(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run `aten::to` in all its overloads, and `aten::_to_copy`."""
    given = dict(zip(plan.names, args, strict=False)) | kwargs
    tensor = virtualize(given["self"])
    if tensor.layout is not torch.strided or given.get("layout") not in (
        None,
        torch.strided,
    ):
        return _unmodelled(d, plan, tensor, given)
    record = find(tensor) or attach(tensor, Record(None, None, None))
    dtype, device = _target(d, tensor, record, given)
    wanted = given.get("memory_format")
    copies = plan.short == "_to_copy" or given.get("copy")
    if not copies and _is_so(tensor, record, dtype, device, wanted):
        _unchanged(plan, tensor, record, given)
        return tensor
    memory = {} if wanted is None else {"memory_format": wanted}
    out = torch.ops.aten._to_copy.default(tensor, dtype=dtype, **memory)
    refused = out.dtype is not tensor.dtype and _refused(d, plan, tensor, ("out", out))
    _label(d, tensor, record, out, device, known=not refused)
    if record.device is not device:
        relabel_gradient(out, record.device)
    return out


def _refused(
    d: Dispatcher, plan: Plan, source: torch.Tensor, into: tuple[str, torch.Tensor]
) -> bool:
    """Return whether the CPU has no cast of one tensor to the dtype of another, which is reported."""
    target, record = into[1], find(source)
    if record is None or record.device != _CPU:
        return False
    if RARE.isdisjoint((source.dtype, target.dtype)):
        return False
    error = _no_cast(source.dtype, target.dtype)
    if error is None:
        return False
    rare = into if target.dtype in RARE else ("self", source)
    d.recorder.call(plan.short, no_kernel(rare[0], error), [(*rare, record)])
    return True


@cache
def _no_cast(source: torch.dtype, to: torch.dtype) -> Exception | None:
    """Return what torch says of the cast of a tensor; None if it makes it."""
    try:
        factories.empty(2, dtype=source, device="cpu").to(to)
    except (RuntimeError, TypeError) as error:
        return error
    return None


def _is_so(
    tensor: torch.Tensor,
    record: Record,
    dtype: torch.dtype,
    device: torch.device | None,
    wanted: torch.memory_format | None,
) -> bool:
    """Check whether a tensor has the dtype, the device and the memory format that it is to have."""
    if dtype is not tensor.dtype or device is not record.device:
        return False
    if wanted in (None, torch.preserve_format):
        return True
    if tracing_state() is not None:  # its sizes are tensors then
        return wanted is torch.contiguous_format
    return wanted is suggest_memory_format(tensor)


def _unchanged(plan: Plan, tensor: torch.Tensor, record: Record, given: Kwargs) -> None:
    """Update the origin of a tensor that a cast or move leaves unchanged."""
    if not tensor.dtype.is_floating_point or isinstance(tensor, torch.nn.Parameter):
        return
    if given.get("dtype") is not None and plan.name != _MOVE:
        _confirm(tensor, record, tensor.dtype)
    elif given.get("device") is not None:
        _stay(record)


def _confirm(tensor: torch.Tensor, record: Record, dtype: torch.dtype) -> None:
    """Record a cast that changes nothing: `x.to(y.dtype)` gives the tensor's dtype a second source, `y`.

    Where only autocast gave it that dtype, the cast is what would without; of a tensor that goes by no name nobody else
    gets to see the difference. A line of the program's own that says the dtype itself, `x.float()`, would undo what is
    changed at the tensor's birth: it is part of the story. What is cast on its way into something else, and read by
    its name again, has the story that it had: the cast gives the very tensor back.
    """
    frame = sys._getframe(1)
    if kept_for_later(frame, tensor):
        return
    source, origin = dtype_source(frame, dtype), record.dtype_origin
    if (
        source is None
        and origin is not None
        and (origin.bare is dtype or named(frame, tensor))
    ):
        record.dtype_origin = _stated(origin, dtype, record.device, places(frame))
    elif source is not origin and not kept_for_later(frame, tensor, callers=_CALLERS):
        record.dtype_origin = _cast(dtype, record.device, places(frame), source)


def _stated(
    origin: Origin,
    dtype: torch.dtype,
    device: torch.device | None,
    at: tuple[Place | None, Place | None],
) -> Origin:
    """Return the origin, extended by a line of the program that states the same dtype, if there is one."""
    user, library = at
    if (
        origin.dtype is not dtype
        or user is None
        or library is not None
        or origin.user in (None, user)
    ):
        return origin
    return Origin("cast", "Tensor.to", dtype, device, at, origin, origin.bare)


def _stay(record: Record) -> None:
    """Record a move without effect on a line of the user's own, where the tensor could have been cast as well."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not (kind := kind_of(frame.f_code)):
        frame = frame.f_back
    if frame is not None and kind == USER and record.dtype_origin is not None:
        record.dtype_origin = record.dtype_origin.carried_to(
            (frame.f_code, frame.f_lasti)
        )


def _cast(
    dtype: torch.dtype,
    device: torch.device | None,
    at: tuple[Place | None, Place | None],
    source: Origin | None,
) -> Origin:
    """Return a cast; to the dtype that another tensor would have without autocast, if it was taken from one."""
    return Origin(
        "cast",
        "Tensor.to",
        dtype,
        device,
        at,
        source,
        source.bare if source is not None else None,
    )


def _target(
    d: Dispatcher, tensor: torch.Tensor, record: Record, given: Kwargs
) -> tuple[torch.dtype, torch.device | None]:
    """Return the dtype and the device that a tensor is to have: its own where nothing else is said."""
    dtype, other = given.get("dtype"), given.get("other")
    if other is not None:
        found = find(other)
        return dtype or other.dtype, found.device if found else d.indexed(other.device)
    # C++ passes the `meta` that it sees; a program that moves to `meta` has nothing left to check.
    asked: Any = given.get("device")
    moves = asked is not None and asked.type != "meta"
    return dtype or tensor.dtype, d.indexed(asked) if moves else record.device


def _label(  # noqa: PLR0913
    d: Dispatcher,
    tensor: torch.Tensor,
    record: Record,
    out: torch.Tensor,
    device: torch.device | None,
    *,
    known: bool,
) -> None:
    frame = sys._getframe(1)
    origin, moved, codes = record.dtype_origin, record.device_origin, record.codes
    op = MODULE_TO if tensor.is_leaf and converts_module(frame) else "Tensor.to"
    if out.dtype is not tensor.dtype:
        origin = _cast(out.dtype, device, places(frame), dtype_source(frame, out.dtype))
        origin.op = op
        d.labels.chosen(origin, device)
        if codes == PACKED:
            codes = str(tensor.dtype)[6:]
    if device is not record.device:
        at = places(frame)
        moved = Origin("moved", op, out.dtype, device, at, record.device_origin)
        if origin is not None:
            d.labels.chosen(origin, device)
            origin = _carried(origin, tensor, out.dtype, at)
    new = attach(out, Record(device, origin, moved))
    new.limits, new.codes = record.limits, codes
    if known and record.twin is not None and is_small(tensor):
        real = view_of(record.twin, tensor).detach().to(out.dtype, copy=True)
        d.values.keep(out, real, assumed=record.assumed)
        new.steady, new.bound = record.steady, record.bound


def _carried(
    origin: Origin,
    tensor: torch.Tensor,
    dtype: torch.dtype,
    at: tuple[Place | None, Place | None],
) -> Origin:
    """Return the origin of a dtype, carried to the user's line that moves a tensor and does not cast it."""
    user, library = at
    cast = dtype is not tensor.dtype
    if cast or library is not None or isinstance(tensor, torch.nn.Parameter):
        return origin
    return origin.carried_to(user, dtype)


def _unmodelled(d: Dispatcher, plan: Plan, tensor: torch.Tensor, given: Kwargs) -> Any:
    """Convert a sparse, quantized or similar tensor, and record the op as unchecked where its layout changes, too."""
    layout = given.get("layout") or tensor.layout
    if tensor.layout is torch.strided or layout is not tensor.layout:
        d.recorder.unchecked(plan.name)
    record = find(tensor) or Record(None, None, None)
    dtype, device = _target(d, tensor, record, given)
    out = torch.ops.aten._to_copy.default(tensor, dtype=dtype)
    _label(d, tensor, record, out, device, known=False)
    return out


def copy_(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Write across devices and dtypes, as torch allows; the target keeps both."""
    target, source = (over(a, virtualize) for a in args[:2])
    out = plan.op(target, source, *args[2:], **kwargs)
    into = find(target) or attach(target, Record(None, None, None))
    frm = find(source) if is_tensor(source) else None
    if frm is None:
        written(target, into)
        return out
    into.device = into.device or frm.device
    refused = _refused(d, plan, source, ("self", target))
    if refused or into.twin is None or frm.twin is None or not is_small(target):
        written(target, into)
        return out
    with torch.no_grad():
        view_of(into.twin, target).copy_(view_of(frm.twin, source))
    into.assumed |= frm.assumed
    return out


def type_as(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the dtype and the device of another tensor; C++ would read `meta` off it."""
    other = args[1] if len(args) > 1 else kwargs["other"]
    return to(d, d.plan(torch.ops.aten.to.other), (args[0], virtualize(other)), {})


SPECIALS = {"to": to, "_to_copy": to, "copy_": copy_, "type_as": type_as}
