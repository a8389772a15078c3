"""Devices that the program asks for by argument, before C++ sees them.

C++ would initialise CUDA for good (it calls `torch.cuda._lazy_init` once per process, and remembers that it worked),
and resolves a bare number (`.to(0)`, `device=rank`) by hardware that it cannot find. So a factory is given `meta`, and
the virtual machine is told which device was meant; what is made from data is made on the CPU and moved. Of
`torch.device(0)` C++ would ask for the accelerator of the host, which has none.
"""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.utils import _device

from ....running.process.patching import Patch
from ....running.torch_abi import NN
from ...judging.literals import telling
from ...provenance.record import find
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_META = torch.device("meta")
_FROM_DATA = frozenset({"tensor", "as_tensor", "asarray", "nested_tensor"})
_LIKE = (
    "empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like",
)  # fmt: skip
_NEW = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros")
_OWNERS = (torch, torch.fft, torch.nested)


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield every factory, `Tensor.to`, `Tensor.cuda`, what `Module.to` parses with, and `with torch.device(...)`."""
    wrapped: dict[Any, Callable[..., Any]] = {}
    for owner, name in _factories():
        original = getattr(owner, name)
        wrapped[original] = _maker(vm, original)
        yield Patch(owner, name, wrapped[original])
    for name in _NEW:
        yield Patch(torch.Tensor, name, _maker(vm, getattr(torch.Tensor, name)))
    yield Patch(torch.Tensor, "new_tensor", _new_tensor(vm))
    yield from _movers(vm)

    def in_context(
        self: _device.DeviceContext,
        func: Any,
        _types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        if func in wrapped and given.get("device") is None:
            return wrapped[func](*args, **{**given, "device": self.device})
        return func(*args, **given)

    yield Patch(_device.DeviceContext, "__torch_function__", in_context)
    if vm.machine.device != "cpu":
        yield Patch(torch, "device", _ordinals(vm.machine.device))


def _ordinals(machine: str) -> type:
    """Return a class whose `device(0)` is the machine's first GPU; the devices that it returns are torch's own."""
    real = torch.device

    class Ordinals(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> torch.device:
            given = (*args, *kwargs.values())
            if len(given) == 1 and type(given[0]) is int:
                return real(machine, given[0])
            return real(*args, **kwargs)

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return subclass is cls or issubclass(subclass, real)

        def __eq__(cls, other: object) -> bool:
            return other is cls or other is real

        def __hash__(cls) -> int:
            return hash(real)

    return Ordinals("device", (), {"__module__": "torch", "__doc__": real.__doc__})


@cache
def _factories() -> tuple[tuple[Any, str], ...]:
    """Return the owners and names of the factories; looked up once per process."""
    constructors = _device._device_constructors()
    return tuple(
        (owner, name)
        for owner in _OWNERS
        for name, original in list(vars(owner).items())
        if name in _LIKE or (callable(original) and original in constructors)
    )


def _maker(vm: VirtualMachine, original: Callable[..., Any]) -> Callable[..., Any]:
    from_data = getattr(original, "__name__", "") in _FROM_DATA
    original = telling(vm, original) if from_data else original

    @wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        # none, or what torch refuses
        if not isinstance(device, (torch.device, str, int)):
            return original(*args, **kwargs)
        device = vm.indexed(device)
        if device.type in ("cpu", "meta"):
            made = original(*args, **{**kwargs, "device": device})
            return _without_data(made) if device.type == "meta" else made
        if from_data:
            wants_grad = {"requires_grad": False} if kwargs.get("requires_grad") else {}
            moved = original(*args, **{**kwargs, "device": None, **wants_grad}).to(
                device
            )
            return moved.requires_grad_() if wants_grad else moved
        vm.asked.append(device)
        try:
            return original(*args, **{**kwargs, "device": _META})
        finally:
            vm.asked.pop()

    return make


def _without_data(made: Any) -> Any:
    """Return what the program wants to be on `meta`.

    Labelled so, although `detach_` has seen it before `lift_fresh`.
    """
    record = find(made) if isinstance(made, torch.Tensor) else None
    if record is not None and record.device is None:
        record.device = _META
    return made


def _new_tensor(vm: VirtualMachine) -> Callable[..., torch.Tensor]:
    make = _maker(vm, torch.tensor)

    @wraps(torch.Tensor.new_tensor)
    def new_tensor(self: torch.Tensor, data: Any, **kwargs: Any) -> torch.Tensor:
        """Pass dtype and device explicitly, as C++ would read `meta` from `self` and skip the data."""
        for name in ("dtype", "device"):
            if kwargs.get(name) is None:
                kwargs[name] = getattr(self, name)
        made: torch.Tensor = make(data, **kwargs)
        return made

    return new_tensor


def _movers(vm: VirtualMachine) -> Iterator[Patch]:
    parse = _parser(vm, NN._parse_to)
    to = _mover(vm, torch.Tensor.to, parse)

    def cuda(
        self: torch.Tensor,
        device: Any = None,
        non_blocking: bool = False,
        **options: Any,
    ) -> Any:
        device = vm.indexed("cuda" if device is None else _numbered(vm, device))
        return to(self, device, non_blocking=non_blocking, **options)

    yield Patch(torch.Tensor, "to", to)
    yield Patch(torch.Tensor, "cuda", wraps(torch.Tensor.cuda)(cuda))
    yield Patch(NN, "_parse_to", parse)


def _numbered(vm: VirtualMachine, value: Any) -> Any:
    """Convert a bare number to a device of the machine's kind."""
    kind = vm.machine.device
    return torch.device(kind, value) if type(value) is int and kind != "cpu" else value


def _parser(vm: VirtualMachine, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Return what the arguments of `.to` come to: device, dtype, non_blocking, memory format."""

    def parse_to(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = _numbered(vm, kwargs["device"])
        if args and isinstance(args[0], torch.Tensor):
            args = (args[0].device, args[0].dtype, *args[1:])
        return plain(*(_numbered(vm, a) for a in args[:1]), *args[1:], **kwargs)

    return parse_to


def _mover(
    vm: VirtualMachine, plain: Callable[..., Any], parse: Callable[..., Any]
) -> Callable[..., Any]:
    @wraps(plain)
    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        args = _spelled_out(args, kwargs)
        if type(self) is UninitializedParameter:
            with torch._C.DisableTorchFunctionSubclass():
                device = vm.indexed(parse(*args[:3], **kwargs)[0] or self.device)
                return torch.ops.aten.to.device(self, device, self.dtype)
        if args and isinstance(args[0], torch.dtype):
            return plain(self, *args, **kwargs)
        copy = kwargs.pop("copy", False)
        device, dtype, non_blocking, memory = parse(*args[:3], **kwargs)
        copy = args[3] if len(args) > 3 else copy
        if device is None or device.type in ("cpu", "meta"):
            return plain(self, *args[:3], **kwargs, copy=copy)
        options = {"non_blocking": non_blocking} | (
            {} if memory is None else {"memory_format": memory}
        )
        return _moved(vm, self, device, dtype, copy, options)

    return to


def _spelled_out(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Convert `.to(other)` to device and dtype, as C++ would read `meta` from the other tensor."""
    other = args[0] if args else kwargs.get("other")
    if not isinstance(other, torch.Tensor):
        return args
    kwargs.pop("other", None)
    return (other.device, other.dtype, *args[1:])


def _moved(  # noqa: PLR0913 - the arguments of `.to`
    vm: VirtualMachine,
    tensor: torch.Tensor,
    device: torch.device,
    dtype: torch.dtype | None,
    copy: bool,
    options: dict[str, Any],
) -> Any:
    # the parts of `aten.to`, in which C++ would ask for the device
    if dispatches(type(tensor)):
        if not copy and (vm.indexed(device), dtype or tensor.dtype) == (
            tensor.device,
            tensor.dtype,
        ):
            return tensor
        return torch.ops.aten._to_copy.default(
            tensor, dtype=dtype, device=device, **options
        )
    if dtype is None:  # nobody asks for a dtype, not even for the one that it has
        return torch.ops.aten.to.dtype_layout(
            tensor, device=device, copy=copy, **options
        )
    return torch.ops.aten.to.device(tensor, device, dtype, copy=copy, **options)
