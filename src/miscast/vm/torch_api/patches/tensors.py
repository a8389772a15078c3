"""Properties of a tensor: its virtual device, and its data on request."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch

from ....core.event import Violation
from ....running.process.patching import Patch
from ....running.torch_abi import StorageBase, TensorBase, is_excluded
from ...addresses import address
from ...key import KEY, KEYSET, Exclude
from ...labels import relabelled
from ...memory import become
from ...memory_ledger import GRADIENTS, PARAMETERS
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, attach, device_of, find, is_meta
from ...torch_function import asked_first
from ...virtualize import is_small, realize, virtualize
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine

Base: Any = TensorBase
_StorageBase: Any = StorageBase
_excluded = is_excluded
_raw_device = Base.device.__get__


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch attributes of torch.Tensor."""
    for name, value in _attributes(vm).items():
        yield Patch(torch.Tensor, name, asked_first(name, value))
    yield Patch(torch.UntypedStorage, "data_ptr", _storage_ptr)
    yield Patch(torch.UntypedStorage, "device", property(_storage_device))


def _attributes(vm: VirtualMachine) -> dict[str, Any]:
    Tensor = torch.Tensor  # noqa: N806 - the class
    device = _device(vm)
    return {
        "device": property(device),
        **{
            f"is_{kind}": property(_is(kind, device))
            for kind in ("cuda", "cpu", "mps", "xpu", "meta")
        },
        "get_device": lambda self: -1 if (d := device(self)).index is None else d.index,
        "data": property(Base.data.__get__, _set_data, Base.data.__delete__),
        "grad": property(_get_grad, _set_grad(vm), Base.grad.__delete__),
        "numpy": _numpy(vm),
        "tolist": _tolist(vm),
        "__deepcopy__": _deepcopy(Tensor.__deepcopy__),
        "__reduce_ex__": _reduce(Tensor.__reduce_ex__),
        "__repr__": _repr(Tensor.__repr__, device),
        "data_ptr": _data_ptr,
        "record_stream": lambda self, stream: None,
    }


def _device(vm: VirtualMachine) -> Any:
    def device(self: torch.Tensor) -> torch.device:
        real: torch.device = _raw_device(self)
        if _excluded(KEY):
            return real
        record = find(self)
        if record is not None and record.device is not None:
            return record.device
        return vm.dispatcher.last_device if real.type == "meta" else real

    return device


def _is(kind: str, device: Any) -> Any:
    def test(self: torch.Tensor) -> bool:
        return bool(device(self).type == kind)

    return test


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


def _set_grad(vm: VirtualMachine) -> Any:
    def assign(self: torch.Tensor, grad: torch.Tensor | None) -> None:
        own = find(self)
        wanted = getattr(self, "grad_dtype", self.dtype)
        if grad is not None and own is not None and wanted is not None:
            with Exclude(KEYSET):
                grad = virtualize(grad)
                grad = _fitting(vm, self, wanted, own, grad)
        Base.grad.__set__(self, grad)
        become(grad, GRADIENTS)

    return assign


def _fitting(
    vm: VirtualMachine,
    tensor: torch.Tensor,
    wanted: torch.dtype,
    own: Record,
    grad: torch.Tensor,
) -> torch.Tensor:
    record = find(grad) or attach(grad, Record(own.device, None, None))
    operands = [("self", tensor, own), ("grad", grad, record)]
    if grad.dtype != wanted:  # the tensor's dtype, if it does not say another
        a, b = str(grad.dtype), str(wanted)
        error = f"attempting to assign a gradient with dtype '{_cpp(a)}' to a tensor with dtype '{_cpp(b)}'."
        violation = Violation(
            kind="dtype", odd=("grad",), expected=b[6:], like="self", error=error
        )
        vm.recorder.call("Tensor.grad", violation, operands)
        grad = vm.dispatcher.recovery.cast(grad, record, wanted, own)
    elif (
        record.device is not own.device
        and record.device is not None
        and own.device is not None
    ):
        error = (
            "attempting to assign a gradient to a tensor that has a different device."
        )
        violation = Violation(
            kind="device",
            odd=("grad",),
            expected=str(own.device),
            like="self",
            error=error,
        )
        vm.recorder.call("Tensor.grad", violation, operands)
        grad = vm.dispatcher.recovery.moved(grad, record, own.device, own)
    return grad


def _cpp(name: str) -> str:
    from ....core.dtypes import scalar_name

    return scalar_name(name[6:])


def _numpy(vm: VirtualMachine) -> Any:
    from ....core.dtypes import scalar_name

    def numpy(self: torch.Tensor, *, force: bool = False) -> Any:
        if not is_meta(self):
            with Exclude(KEYSET):
                return Base.numpy(self, force=force)
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        with Exclude(KEYSET):
            record = find(self) or Record(None, None, None)
            device, dtype = record.device, self.dtype
            if device is not None and device.type != "cpu" and not force:
                error = (
                    f"can't convert {device} device type tensor to numpy. "
                    "Use Tensor.cpu() to copy the tensor to host memory first."
                )
                violation = Violation(
                    kind="device",
                    odd=("self",),
                    expected="cpu",
                    error=error,
                    raises="TypeError",
                )
                vm.recorder.call("Tensor.numpy", violation, [("self", self, record)])
            real = vm.dispatcher.values.reads.array(self, "Tensor.numpy")
            try:
                return Base.numpy(real.detach(), force=True)
            except TypeError as error:
                name = scalar_name(str(dtype)[6:])
                text = f"Got unsupported ScalarType {name}"
                violation = Violation(
                    kind="unsupported",
                    odd=("self",),
                    expected="float32",
                    error=text,
                    raises="TypeError",
                )
                if name not in str(error):
                    raise
                vm.recorder.call("Tensor.numpy", violation, [("self", self, record)])
                return Base.numpy(real.detach().float())

    return numpy


def _tolist(vm: VirtualMachine) -> Any:
    def tolist(self: torch.Tensor) -> Any:
        if not is_meta(self):
            with Exclude(KEYSET):
                return Base.tolist(self)
        with Exclude(KEYSET):
            if self.dim() == 0:
                return vm.dispatcher.values.reads.scalar(self)
            vm.numerics.fused.breaks()
            return Base.tolist(vm.dispatcher.values.reads.array(self, "Tensor.tolist"))

    return tolist


def _deepcopy(original: Any) -> Any:
    def deepcopy(self: torch.Tensor, memo: dict[int, Any]) -> torch.Tensor:
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

    return deepcopy


def _reduce(original: Any) -> Any:
    def reduce(self: torch.Tensor, protocol: int) -> Any:
        if is_meta(self) and not dispatches(type(self)):
            return pickled(self)
        return original(self, protocol)

    return reduce


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


def _repr(original: Any, device: Any) -> Any:
    def text(self: torch.Tensor, *, tensor_contents: str | None = None) -> str:
        if not is_meta(self) or _excluded(KEY):
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

    return text


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
    if record is None or record.device is None or _excluded(KEY):
        return real
    return device_of(record.device)
