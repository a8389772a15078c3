"""Nested tensors of the strided layout, as they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..call import Call
from ..nested import zeros
from ..record import Record, attach, device_of

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..plan import Plan


def from_list(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.nested.nested_tensor([...])`."""
    d.recorder.unchecked(plan.name)
    d.nested.begun = True
    call = Call(plan, args, kwargs, nested=True)
    given = dict(call.given())
    dtype, device = given.get("dtype"), given.get("device")
    told = device if device is not None and device.type != "meta" else None  # C++ passes the `meta` that it sees
    device = d.indexed(told) if told is not None else call.device or device_of("cpu")
    out = plan.op([zeros(part, dtype) for part in call.tensors])
    attach(out, Record(device, None, None))
    return out


def from_plain(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One made of a plain tensor, which is padded or holds all its values in a row."""
    d.nested.begun = True
    return d.run(Call(plan, args, kwargs, nested=True))


SPECIALS = {
    "_nested_tensor_from_tensor_list": from_list,
    **dict.fromkeys(("_nested_from_padded", "_nested_tensor_from_mask", "_nested_view_from_buffer"), from_plain),
}
