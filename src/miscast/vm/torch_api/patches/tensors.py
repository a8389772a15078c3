"""Properties and operators of a tensor and its storage: its virtual device, and its data on request."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ....core.dtypes import scalar_name
from ....running.process.patching import Patch, around
from ....running.torch_abi import StorageBase, TensorBase, is_excluded
from ...addresses import address
from ...key import KEY, KEYSET, Exclude
from ...labels import relabelled
from ...memory import NAME as BLOCK, become
from ...memory_ledger import GRADIENTS, PARAMETERS
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, attach, device_of, find, is_meta
from ...torch_function import asked_first
from ...virtualize import is_small, realize, virtualize
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

Base: Any = TensorBase
_StorageBase: Any = StorageBase
# torch/csrc/autograd/python_variable_methods.cpp, THPVariable_invert.
_INVERT = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
_raw_device = Base.device.__get__


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch attributes of torch.Tensor."""
    for name, value in _attributes(vm).items():
        yield Patch(torch.Tensor, name, asked_first(name, value))
    yield around(torch.Tensor, "__invert__", _invert, vm)
    yield Patch(torch.UntypedStorage, "data_ptr", _storage_ptr)
    yield Patch(torch.UntypedStorage, "device", property(_storage_device))
    yield around(torch.UntypedStorage, "resize_", _resize)
    for owner in (torch, torch.random):
        yield around(owner, "set_rng_state", _set_rng_state)


def _attributes(vm: VirtualMachine) -> dict[str, Any]:
    Tensor = torch.Tensor  # noqa: N806 - the class
    device: Any = partial(_device, vm)
    return {
        "device": property(device),
        **{
            f"is_{kind}": property(partial(_is, kind, device))
            for kind in ("cuda", "cpu", "mps", "xpu", "meta")
        },
        "get_device": lambda self: -1 if (d := device(self)).index is None else d.index,
        "data": property(Base.data.__get__, _set_data, Base.data.__delete__),
        "grad": property(_get_grad, partial(_set_grad, vm), Base.grad.__delete__),
        "numpy": partial(_numpy, vm),
        "tolist": partial(_tolist, vm),
        "__deepcopy__": partial(_deepcopy, Tensor.__deepcopy__),
        "__reduce_ex__": partial(_reduce, Tensor.__reduce_ex__),
        "__repr__": partial(_repr, Tensor.__repr__, device),
        "data_ptr": _data_ptr,
        "record_stream": lambda self, stream: None,
    }


def _device(vm: VirtualMachine, self: torch.Tensor) -> torch.device:
    real: torch.device = _raw_device(self)
    if is_excluded(KEY):
        return real
    record = find(self)
    if record is not None and record.device is not None:
        return record.device
    return vm.dispatcher.last_device if real.type == "meta" else real


def _is(kind: str, device: Any, self: torch.Tensor) -> bool:
    return bool(device(self).type == kind)


def _set_data(self: torch.Tensor, data: torch.Tensor) -> None:
    if is_meta(self) and not is_meta(data):
        with Exclude(KEYSET):
            data = virtualize(data)
    with Exclude(KEYSET):
        if is_meta(self) and data.is_inference() is not self.is_inference():
            data = _as_inference(data, self.is_inference())
        Base.data.__set__(self, data)
    if isinstance(self, torch.nn.Parameter):
        become(self, PARAMETERS)


def _as_inference(data: torch.Tensor, wanted: bool) -> torch.Tensor:
    """Return a copy made in that mode.

    Of tensors with memory C++ lets one be the other's data, of these it does not.
    """
    record = find(data)
    with torch.inference_mode(wanted):
        copied = data.clone()
    if record is not None:
        attach(copied, record)
    return copied


def _get_grad(self: torch.Tensor) -> torch.Tensor | None:
    grad: torch.Tensor | None = Base.grad.__get__(self)
    if grad is not None:
        record, own = find(grad), find(self)
        if record is None or record.device is None:
            relabelled(grad, own)
    return grad


def _set_grad(
    vm: VirtualMachine, self: torch.Tensor, grad: torch.Tensor | None
) -> None:
    own = find(self)
    wanted = getattr(self, "grad_dtype", self.dtype)
    if grad is not None and own is not None and wanted is not None:
        with Exclude(KEYSET):
            grad = virtualize(grad)
            grad = _fitting(vm, self, wanted, own, grad)
    Base.grad.__set__(self, grad)
    become(grad, GRADIENTS)


def _fitting(
    vm: VirtualMachine,
    tensor: torch.Tensor,
    wanted: torch.dtype,
    own: Record,
    grad: torch.Tensor,
) -> torch.Tensor:
    record = find(grad) or attach(grad, Record(own.device, None, None))
    refused = partial(
        vm.recorder.refused, "Tensor.grad", "grad", {"self": tensor, "grad": grad}
    )
    if grad.dtype != wanted:  # the tensor's dtype, if it does not say another
        expected = str(wanted)[6:]
        own_name, name = scalar_name(expected), scalar_name(str(grad.dtype)[6:])
        error = f"attempting to assign a gradient with dtype '{name}' to a tensor with dtype '{own_name}'."
        refused(expected, error, like="self")
        grad = vm.dispatcher.recovery.cast(grad, record, wanted, own)
    elif (
        record.device is not own.device
        and record.device is not None
        and own.device is not None
    ):
        error = (
            "attempting to assign a gradient to a tensor that has a different device."
        )
        refused(str(own.device), error, kind="device", like="self")
        grad = vm.dispatcher.recovery.moved(grad, record, own.device, own)
    return grad


def _numpy(vm: VirtualMachine, self: torch.Tensor, *, force: bool = False) -> Any:
    if not is_meta(self):
        with Exclude(KEYSET):
            return Base.numpy(self, force=force)
    if self.requires_grad and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    with Exclude(KEYSET):
        record, dtype = find(self), self.dtype
        device = record.device if record is not None else None
        refused = partial(
            vm.recorder.refused,
            "Tensor.numpy",
            "self",
            {"self": self},
            raises="TypeError",
        )
        if device is not None and device.type != "cpu" and not force:
            error = (
                f"can't convert {device} device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
            refused("cpu", error, kind="device")
        real = vm.dispatcher.values.reads.array(self, "Tensor.numpy")
        try:
            return Base.numpy(real.detach(), force=True)
        except TypeError as error:
            name = scalar_name(str(dtype)[6:])
            text = f"Got unsupported ScalarType {name}"
            if name not in str(error):
                raise
            refused("float32", text, kind="unsupported")
            return Base.numpy(real.detach().float())


def _tolist(vm: VirtualMachine, self: torch.Tensor) -> Any:
    if not is_meta(self):
        with Exclude(KEYSET):
            return Base.tolist(self)
    with Exclude(KEYSET):
        if self.dim() == 0:
            return vm.dispatcher.values.reads.scalar(self)
        vm.numerics.fused.breaks()
        return Base.tolist(vm.dispatcher.values.reads.array(self, "Tensor.tolist"))


def _deepcopy(original: Any, self: torch.Tensor, memo: dict[int, Any]) -> torch.Tensor:
    if dispatches(type(self)):
        copied: torch.Tensor = theirs(original, self, memo)
        return copied
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
            "moment.  If you were attempting to deepcopy a module, this may be because of a "
            "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    with torch.no_grad():
        new = self.detach().clone()
        if type(self) is not torch.Tensor:
            new = new.as_subclass(type(self))
    new.requires_grad_(self.requires_grad)
    memo[id(self)] = new
    if self.grad is not None:
        new.grad = theirs(copy.deepcopy, self.grad, memo)
    new.__dict__ = theirs(copy.deepcopy, self.__dict__, memo)
    return new


def _reduce(original: Any, self: torch.Tensor, protocol: int) -> Any:
    if is_meta(self) and not dispatches(type(self)):
        return pickled(self)
    return original(self, protocol)


def pickled(tensor: torch.Tensor) -> tuple[Any, tuple[Any, ...]]:
    """Return what a pickle holds of a tensor, virtual or real; unpickled on a machine, it is virtual."""
    record = find(tensor)
    with Exclude(KEYSET):
        real = realize(tensor) if is_meta(tensor) else tensor
        values = None
        if real is not None and is_small(real):
            values = Base.numpy(
                real.detach().contiguous().reshape(-1).view(torch.uint8)
            ).tobytes()
    device = str(record.device) if record and record.device else "cpu"
    parameter = isinstance(tensor, torch.nn.Parameter)
    shape, dtype, graded = (
        tuple(tensor.shape),
        str(tensor.dtype)[6:],
        tensor.requires_grad,
    )
    return _rebuild, (shape, dtype, device, graded, parameter, values)


def _rebuild(  # noqa: PLR0913 - what a pickle holds
    shape: tuple[int, ...],
    dtype: str,
    device: str,
    requires_grad: bool,
    parameter: bool,
    values: bytes | None,
) -> torch.Tensor:
    """Unpickle a virtual tensor."""
    kind = getattr(torch, dtype)
    if values:
        new = torch.frombuffer(bytearray(values), dtype=kind).reshape(shape).to(device)
    else:
        new = torch.empty(shape, dtype=kind, device=device)
    if parameter:
        return torch.nn.Parameter(new, requires_grad=requires_grad)
    return new.requires_grad_(requires_grad) if requires_grad else new


def _repr(
    original: Any,
    device: Any,
    self: torch.Tensor,
    *,
    tensor_contents: str | None = None,
) -> str:
    if not is_meta(self) or is_excluded(KEY):
        return str(original(self, tensor_contents=tensor_contents))
    with Exclude(KEYSET):
        real = realize(self)
        where = device(self)
        suffix = f", device='{find(self).device}'" if find(self) and where else ""  # type: ignore[union-attr]
        if real is not None and real.numel() <= 1 << 16:
            shown = str(original(real))
            on_host = str(find(self).device) == "cpu"  # type: ignore[union-attr]
            return shown if on_host else f"{shown[:-1]}{suffix})"
        return f"tensor(...{suffix}, size={tuple(self.shape)}, dtype={self.dtype})"


def _invert(
    vm: VirtualMachine, plain: Callable[..., torch.Tensor], self: torch.Tensor
) -> torch.Tensor:
    """Report `~` of floats, which torch's binding refuses before an op is called, and continue with a mask."""
    fine = not (self.is_floating_point() or self.is_complex())
    if fine or not is_meta(self) or find(self) is None:
        return plain(self)
    vm.recorder.refused(
        "bitwise_not", "self", {"self": self}, "bool", _INVERT, raises="TypeError"
    )
    return plain(self.bool())


def _set_rng_state(plain: Callable[..., None], new_state: torch.Tensor) -> None:
    """Set the random state of the CPU, which C++ reads from the tensor's memory."""
    with Exclude(KEYSET):
        real = realize(new_state) if is_meta(new_state) else new_state
        if real is not None:
            plain(real)


def _resize(plain: Callable[..., Any], self: torch.UntypedStorage, size: int) -> Any:
    out = plain(self, size)
    block = getattr(self, BLOCK, None)
    if block is not None:
        block.resize(size)
    return out


def _data_ptr(self: torch.Tensor) -> int:
    if not is_meta(self):
        return int(Base.data_ptr(self))
    if dispatches(type(self)):  # the tensors within have the memory
        return 0
    return (
        address(self.untyped_storage())
        + int(self.storage_offset()) * self.element_size()
    )


def _storage_ptr(self: torch.UntypedStorage) -> int:
    real = _StorageBase.data_ptr(self)
    return int(real or address(self))


def _storage_device(self: torch.UntypedStorage) -> torch.device:
    real: torch.device = _StorageBase.device.__get__(self)
    record = getattr(self, "_miscast_record", None)
    if record is None or record.device is None or is_excluded(KEY):
        return real
    return device_of(record.device)
