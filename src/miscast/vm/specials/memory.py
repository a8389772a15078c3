"""Pinned memory, streams and storages: bookkeeping of an allocator that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...core.dtypes import scalar_name
from ...running.torch_abi import StorageBase
from ..provenance import factories
from ..provenance.record import Record, attach, find, is_tensor
from ..virtualize import virtualize

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


_StorageBase: Any = StorageBase
_where = _StorageBase.device.__get__  # what torch itself sees


def pin_memory(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a copy on the CPU that says it is pinned."""
    tensor = virtualize(args[0])
    record = find(tensor) or Record(None, None, None)
    if record.pinned:
        return tensor
    if record.device is not None and record.device.type != "cpu":
        legacy = f"torch.{record.device.type}.{scalar_name(str(tensor.dtype)[6:])}Tensor"  # fmt: skip
        error = f"cannot pin '{legacy}' only dense CPU tensors can be pinned"
        d.recorder.refused(
            "pin_memory", "self", {"self": tensor}, "cpu", error, kind="device"
        )
        return tensor
    new = Record(record.device, record.dtype_origin, record.device_origin)
    new.pinned, new.twin, new.assumed = True, record.twin, record.assumed
    out = tensor.clone()
    attach(out, new)
    return out


def is_pinned(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> bool:
    """Check whether `pin_memory` made it."""
    record = find(args[0])
    return record is not None and record.pinned


def record_stream(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> None:
    """Do nothing, as no memory has to be kept alive."""


def set_(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a tensor takes over another one's storage, and with it its record."""
    source = args[1] if len(args) > 1 else kwargs.get("source")
    # real memory: of a file that is read
    if isinstance(source, torch.UntypedStorage) and _where(source).type == "cpu":
        real = factories.empty(0, dtype=args[0].dtype).set_(source)
        stands = virtualize(real, op="Tensor.set_").untyped_storage()
        args = (args[0], stands, *args[2:])
        kwargs = {k: v for k, v in kwargs.items() if k != "source"}
    args = tuple(virtualize(a) if is_tensor(a) else a for a in args)
    return plan.op(*args, **kwargs)


SPECIALS = {
    "pin_memory": pin_memory, "_pin_memory": pin_memory, "is_pinned": is_pinned, "record_stream": record_stream,
    "set_": set_,
}  # fmt: skip
