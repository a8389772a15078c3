"""Records of a module that ran: the dtypes and devices that went through it, with counts."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn.parameter import is_lazy

from ...vm.provenance.module_members import kept
from ...vm.provenance.record import find, is_tensor
from ..torch_abi import WithoutTorchFunction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...vm.provenance.origin import Origin, Place
    from .model import Model

At = tuple[torch.dtype, "torch.device | None"]
"""A dtype and the device that the program sees."""
_PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
_DEEP = 3
_WIDE = 64


class Region(NamedTuple):
    """A region of autocast that is on, and where the program made it."""

    dtype: torch.dtype
    place: Place | None


class Product(NamedTuple):
    """A kind of matrix product: "matmul", "conv" or "attention", what it ran in, and under which region."""

    kind: str
    at: At
    region: Region | None
    tf32: bool | None


class ModuleRun:
    """One module of the program: own ops only, not those of the modules below it."""

    __slots__ = (
        "batched", "calls", "inputs", "kernels", "kind", "model", "module", "others", "outputs", "parameters", "path",
        "products", "softmaxes",
    )  # fmt: skip

    def __init__(self, module: torch.nn.Module, model: Model, path: str) -> None:
        """Take the module, without keeping it alive: its memory is the program's."""
        self.module = weakref.ref(module)
        self.kind = type(module).__name__
        self.model, self.path = model, path
        self.calls = self.softmaxes = self.batched = 0
        self.parameters: Counter[At] = Counter()
        self.inputs: Counter[At] = Counter()
        self.outputs: Counter[At] = Counter()
        self.products: Counter[Product] = Counter()
        self.others: Counter[At] = Counter()
        self.kernels: Counter[str] = Counter()

    def begin(self, module: torch.nn.Module) -> None:
        """Record the start of a call. Parameters are looked at less and less often, as a loop rarely changes them."""
        self.calls += 1
        if not self.calls & (self.calls - 1):
            self.parameters = Counter(map(at, _there(kept(module, "_parameters"))))

    def end(self, inputs: Any, outputs: Any) -> None:
        """Record the end of a call."""
        for seen, tree in ((self.inputs, inputs), (self.outputs, outputs)):
            for one in {at(tensor) for tensor in tensors(tree)}:
                seen[one] += 1


def _there(named: Any) -> Iterator[torch.Tensor]:
    """Return what has a dtype already: the parameters of a lazy module come with its first call."""
    return (one for one in named.values() if one is not None and not is_lazy(one))


def at(tensor: torch.Tensor) -> At:
    """Return a tensor's dtype, and the device that its record says: no op is called, no code of a subclass."""
    record = find(tensor)
    return dtype_of(tensor), record.device if record is not None else None


def dtype_of(tensor: torch.Tensor) -> torch.dtype:
    """Return a tensor's dtype, without calling `__torch_function__`."""
    if type(tensor) in _PLAIN:
        return tensor.dtype
    with WithoutTorchFunction():
        return tensor.dtype


def size(tensor: torch.Tensor) -> int:
    """Return a tensor's number of elements; for a nested tensor, without a shape, how many fit in its storage."""
    with WithoutTorchFunction():
        if tensor.is_nested:
            return tensor.untyped_storage().nbytes() // tensor.itemsize
        return math.prod(tensor.shape)


def origin_of(tensor: torch.Tensor) -> Origin | None:
    """Return what gave a tensor its dtype."""
    record = find(tensor)
    return record.dtype_origin if record is not None else None


def tensors(tree: Any, depth: int = _DEEP) -> Iterator[torch.Tensor]:
    """Yield the tensors in an argument or a result, in lists, tuples and dicts too."""
    if is_tensor(tree):
        yield tree
    elif depth:
        for part in _parts(tree):
            yield from tensors(part, depth - 1)


def _parts(tree: Any) -> Iterable[Any]:
    if isinstance(tree, (list, tuple)):
        return tree[:_WIDE] if type(tree) in (list, tuple) else tuple(tree)[:_WIDE]
    return list(dict.values(tree))[:_WIDE] if isinstance(tree, dict) else ()
