"""Tensors that cannot be data-less, as they are made, and the ops that know no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..call import Call
from ..provenance.record import Record, attach, device_of
from ..real_tensors import zeros

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def nested(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run `torch.nested.nested_tensor([...])`."""
    d.recorder.unchecked(plan.name)
    d.only_real = True
    call = Call(plan, args, kwargs, real=True)
    given = dict(call.given())
    dtype, device = given.get("dtype"), given.get("device")
    # C++ passes the `meta` that it sees
    told = device if device is not None and device.type != "meta" else None
    device = d.indexed(told) if told is not None else call.device or device_of("cpu")
    out = plan.op([zeros(part, dtype) for part in call.tensors])
    attach(out, Record(device, None, None))
    return out


def of_plain(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return one made of plain tensors, or an op that holds one in its arguments."""
    d.only_real = True
    return d.run(Call(plan, args, kwargs, real=True))


SPECIALS = {
    "_nested_tensor_from_tensor_list": nested,
    **dict.fromkeys(("_nested_from_padded", "_nested_tensor_from_mask", "_nested_view_from_buffer"), of_plain),
    **dict.fromkeys(("quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic"), of_plain),
    **dict.fromkeys(("_empty_affine_quantized", "_empty_per_channel_affine_quantized", "quantized.*"), of_plain),
}  # fmt: skip
