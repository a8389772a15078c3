"""Devices that the program asks for by argument, before C++ sees them.

C++ would initialise CUDA for good (it calls `torch.cuda._lazy_init` once per process, and remembers that it worked),
and resolves a bare number (`.to(0)`, `device=rank`) by hardware that it cannot find. So a factory is given `meta`, and
the virtual machine is told which device was meant; what is made from data is made on the CPU and moved.
"""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.utils import _device

from ....process.patching import Patch
from ....provenance.record import find
from ....torch_private import NN
from ...judging.literals import telling
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_META = torch.device("meta")
_FROM_DATA = frozenset({"tensor", "as_tensor", "asarray", "nested_tensor"})
_LIKE = ("empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like")
_NEW = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros")
_OWNERS = (torch, torch.fft, torch.nested)


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Every factory, `Tensor.to`, `Tensor.cuda`, what `Module.to` parses with, and `with torch.device(...)`."""
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


@cache
def _factories() -> tuple[tuple[Any, str], ...]:
    """Whose attributes they are, and their names; looked up once in a process."""
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
        if not isinstance(device, (torch.device, str, int)):  # none, or what torch refuses
            return original(*args, **kwargs)
        device = vm.indexed(device)
        if device.type in ("cpu", "meta"):
            made = original(*args, **{**kwargs, "device": device})
            return _without_data(made) if device.type == "meta" else made
        if from_data:
            wants_grad = {"requires_grad": False} if kwargs.get("requires_grad") else {}
            moved = original(*args, **{**kwargs, "device": None, **wants_grad}).to(device)
            return moved.requires_grad_() if wants_grad else moved
        vm.asked.append(device)
        try:
            return original(*args, **{**kwargs, "device": _META})
        finally:
            vm.asked.pop()

    return make


def _without_data(made: Any) -> Any:
    """What the program wants to be on `meta`: labelled so, although `detach_` has seen it before `lift_fresh`."""
    record = find(made) if isinstance(made, torch.Tensor) else None
    if record is not None and record.device is None:
        record.device = _META
    return made


def _new_tensor(vm: VirtualMachine) -> Callable[..., torch.Tensor]:
    make = _maker(vm, torch.tensor)

    @wraps(torch.Tensor.new_tensor)
    def new_tensor(self: torch.Tensor, data: Any, **kwargs: Any) -> torch.Tensor:
        """C++ would read dtype and device off `self`, see `meta`, and not look at the data."""
        for name in ("dtype", "device"):
            if kwargs.get(name) is None:
                kwargs[name] = getattr(self, name)
        made: torch.Tensor = make(data, **kwargs)
        return made

    return new_tensor


def _movers(vm: VirtualMachine) -> Iterator[Patch]:
    plain, parse = torch.Tensor.to, NN._parse_to
    kind = vm.machine.device

    def device_of(value: Any) -> Any:
        """A bare number is a device of the machine's kind."""
        return torch.device(kind, value) if type(value) is int and kind != "cpu" else value

    def parse_to(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = device_of(kwargs["device"])
        if args and isinstance(args[0], torch.Tensor):
            args = (args[0].device, args[0].dtype, *args[1:])
        return parse(*(device_of(a) if i == 0 else a for i, a in enumerate(args)), **kwargs)

    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        other = args[0] if args else kwargs.get("other")
        if isinstance(other, torch.Tensor):  # C++ would read `meta` off it
            kwargs.pop("other", None)
            args = (other.device, other.dtype, *args[1:])
        if type(self) is UninitializedParameter:
            with torch._C.DisableTorchFunctionSubclass():
                return torch.ops.aten.to.device(
                    self, vm.indexed(parse_to(*args[:3], **kwargs)[0] or self.device), self.dtype
                )
        if not (args and isinstance(args[0], torch.dtype)):
            copy = kwargs.pop("copy", False)
            device, dtype, non_blocking, memory = parse_to(*args[:3], **kwargs)
            copy = args[3] if len(args) > 3 else copy
            if device is not None and device.type not in ("cpu", "meta"):
                options = {} if memory is None else {"memory_format": memory}
                if dispatches(type(self)):  # the parts of `aten.to`, in which C++ would ask for the device
                    same = (vm.indexed(device), dtype or self.dtype) == (self.device, self.dtype)
                    options |= {"dtype": dtype, "device": device, "non_blocking": non_blocking}
                    return self if same and not copy else torch.ops.aten._to_copy.default(self, **options)
                options |= {"non_blocking": non_blocking, "copy": copy}
                if dtype is None:  # nobody asks for a dtype, not even for the one that it has
                    return torch.ops.aten.to.dtype_layout(self, device=device, **options)
                return torch.ops.aten.to.device(self, device, dtype, **options)
            kwargs["copy"] = copy
            args = args[:3]
        return plain(self, *args, **kwargs)

    def cuda(self: torch.Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        return to(
            self, vm.indexed("cuda" if device is None else device_of(device)), non_blocking=non_blocking, **options
        )

    yield Patch(torch.Tensor, "to", wraps(plain)(to))
    yield Patch(torch.Tensor, "cuda", wraps(torch.Tensor.cuda)(cuda))
    yield Patch(NN, "_parse_to", parse_to)
