"""Tensor types of old: `torch.cuda.FloatTensor(2, 3)`, `x.type("torch.LongTensor")`, `isinstance(x, torch.IntTensor)`.

Torch's own are of a C++ type that knows no virtual device: it sees `meta`, and asks for CUDA. Scripts older than
`torch.device` are full of them, and of `torch.set_default_tensor_type("torch.cuda.FloatTensor")`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_NAMES = (
    "Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float",
    "Double",
)  # fmt: skip


class _TensorType(type):
    """A replacement of a tensor type: `dtype` and `kind` (of device), and `plain`, the type of the CPU."""

    dtype: torch.dtype
    kind: str
    plain: Any
    make: Callable[..., torch.Tensor]

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Return a tensor with this data, or of this size."""
        return cls.make(cls, *args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        """Check whether dtype and device are this type's."""
        if (
            not isinstance(instance, torch.Tensor)
            or instance.layout is not torch.strided
        ):
            return False
        return instance.dtype is cls.dtype and instance.device.type == cls.kind

    def __getattr__(cls, name: str) -> Any:
        """Return the attributes of torch's own: `is_cuda`, `layout`."""
        return theirs(getattr, cls.plain, name)


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the types of the CPU and, on a machine with one, of its GPU; what takes such a type or its name."""
    types: dict[Any, _TensorType] = {}
    owners = (
        {"cpu": torch, "cuda": torch.cuda}
        if vm.machine.device == "cuda"
        else {"cpu": torch}
    )
    for kind, owner in owners.items():
        for name in (f"{n}Tensor" for n in _NAMES):
            stand_in = _stand_in(vm, kind, owner, name)
            types |= dict.fromkeys(
                (stand_in, getattr(owner, name), f"{owner.__name__}.{name}"), stand_in
            )
            yield Patch(owner, name, stand_in)
    yield from _default(vm, types)
    yield Patch(torch.Tensor, "type", _type(types))
    yield Patch(torch.Tensor, "new", _new)


def _stand_in(vm: VirtualMachine, kind: str, owner: Any, name: str) -> _TensorType:
    plain = getattr(torch, name)
    given = {
        "dtype": plain.dtype,
        "kind": kind,
        "plain": plain,
        "make": partial(_make, vm),
        "is_cuda": kind == "cuda",
    }
    return _TensorType(name, (), {"__module__": owner.__name__, **given})


def _default(vm: VirtualMachine, types: dict[Any, _TensorType]) -> Iterator[Patch]:
    """Yield the type that tensors have if nothing is said, and what makes such."""
    default = torch.device("cpu")
    create_plain: Callable[..., Any] = torch.Tensor.__new__
    set_default = torch.set_default_tensor_type

    def create(cls: type, *args: Any, **kwargs: Any) -> Any:
        # C++ could not give what is virtual another class
        made = create_plain(torch.Tensor, *args, **kwargs)
        if cls is not torch.Tensor:
            return made.as_subclass(cls)
        plain = default.type != "cpu" and not any(
            isinstance(a, torch.Tensor) for a in args
        )
        return made.to(default) if plain else made

    def set_type(t: Any) -> None:
        nonlocal default
        found = types.get(t)
        set_default(found.plain if found else t)
        default = vm.indexed(found.kind if found else "cpu")
        torch.set_default_device(None if default.type == "cpu" else default)

    yield Patch(torch.Tensor, "__new__", staticmethod(create))
    yield Patch(torch, "set_default_tensor_type", set_type)


def _type(types: dict[Any, _TensorType]) -> Callable[..., Any]:
    plain: Callable[..., Any] = torch.Tensor.type

    def kind(
        self: torch.Tensor, dtype: Any = None, non_blocking: bool = False, **more: Any
    ) -> Any:
        if dtype is None:
            where = self.device.type
            return plain(self).replace(
                ".meta.", "." if where == "cpu" else f".{where}."
            )
        found = types.get(dtype)
        if found is None:
            return plain(self, dtype, non_blocking, **more)
        return self.to(
            self.device if self.device.type == found.kind else found.kind,
            found.dtype,
            non_blocking,
        )

    return kind


def _new(self: torch.Tensor, *args: Any, device: Any = None) -> torch.Tensor:
    """Run `x.new(2, 3)`, `x.new([1, 2])` with the dtype and device of `x`."""
    if args and isinstance(args[0], torch.Tensor):
        return args[0].detach()
    return torch.DoubleTensor(*args).to(device or self.device, self.dtype)


def _make(
    vm: VirtualMachine, cls: _TensorType, *args: Any, **kwargs: Any
) -> torch.Tensor:
    source = args[0] if args else None
    if isinstance(source, torch.Tensor):
        return _alias(cls, source)
    made: torch.Tensor = cls.plain(*args, **kwargs)
    return made if cls.kind == "cpu" else made.to(vm.indexed(cls.kind))


def _alias(cls: _TensorType, source: torch.Tensor) -> torch.Tensor:
    """Return the same tensor: the constructors of old neither cast nor move."""
    if source.device.type != cls.kind:
        given = source.device.type
        raise TypeError(
            f"legacy constructor expects device type: {cls.kind} but device type: {given} was passed"
        )
    if source.dtype is not cls.dtype:
        raise TypeError(
            f"expected {cls.__module__}.{cls.__name__} (got {source.type()})"
        )
    return source.detach()
