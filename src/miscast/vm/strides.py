"""Results whose strides torch's meta kernels leave contiguous, because they do not know the device.

A convolution of an input or a weight in channels_last gives channels_last (`determine_backend_memory_format` in ATen's
Convolution.cpp), and on the CPU some ops keep the layout of their input where CUDA's kernels do not (compared with real
tensors on the CPU; CUDA's by ATen's sources). A `view` of such a result fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..running.torch_abi import suggest_memory_format, tracing_state
from .provenance.record import is_tensor, is_wrapped

if TYPE_CHECKING:
    from .call import Call

_CONVOLUTIONS = frozenset({
    "_convolution", "convolution", "conv2d", "conv3d", "conv_transpose2d", "conv_transpose3d",
})  # fmt: skip
_ON_CPU = frozenset({
    "channel_shuffle", "group_norm", "max_unpool2d", "native_channel_shuffle", "native_group_norm", "pixel_shuffle",
    "reflection_pad2d", "replication_pad2d", "roll",
})  # fmt: skip
NAMES = _CONVOLUTIONS | _ON_CPU
_ON = {"cpu": NAMES, "cuda": _CONVOLUTIONS}


def lay(call: Call, out: Any) -> None:
    """Give the result of one of `NAMES` the strides that it has on the device of the call."""
    found = out[0] if isinstance(out, tuple) else out
    device = call.kind
    # a traced graph would have it as an op of the program
    if call.plan.short not in _ON.get(device, ()) or tracing_state() is not None:
        return
    inputs = call.tensors[: 2 if call.plan.short in _CONVOLUTIONS else 1]
    wanted = next(filter(None, map(_channels_last, inputs)), None)
    # on the CPU it hangs on the number of threads
    if device == "cpu" and wanted is torch.channels_last_3d:
        return
    if wanted is not None and _may_change(found):
        strides = torch.empty_like(found, memory_format=wanted).stride()
        with torch.no_grad():
            found.as_strided_(found.size(), strides)


def _may_change(out: Any) -> bool:
    plain = is_tensor(out) and not is_wrapped(out)
    return plain and out.is_contiguous() and not out._is_view()


def _channels_last(tensor: torch.Tensor) -> torch.memory_format | None:
    if tensor.dim() not in (4, 5):
        return None
    found: torch.memory_format = suggest_memory_format(tensor)
    return None if found is torch.contiguous_format else found
