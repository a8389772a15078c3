"""Record of a storage in the virtual machine: the device the user sees, origins, the known value.

C++ sees `meta` everywhere. The record hangs on the Python object of the storage, which torch keeps alive as long as
the storage itself, so it is shared by views and by what autograd saves, and ends with the memory it describes.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Any

import torch

from ...core.dtypes import DTYPES
from ...running.torch_abi import TensorBase
from . import factories

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...core.moments import Moments
    from .origin import Origin

NAME = "_miscast_record"
PACKED = "packed"
# The getter of the C++ base class: what torch itself sees, also while the virtual machine answers for `Tensor.is_meta`.
is_meta = TensorBase.is_meta.__get__  # type: ignore[attr-defined]
# Whether `vmap`, `grad` or `jvp` wraps a tensor, and what is in it: `torch.func` has no public word for it.
is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
_inside = torch._C._functorch.get_unwrapped


class _TensorTypes(dict[type, bool]):
    """Classes, and whether each is one of tensors: a lookup is no call in Python from the second time on."""

    def __missing__(self, kind: type) -> bool:
        found = self[kind] = issubclass(kind, torch.Tensor)
        return found


TENSOR_TYPES = _TensorTypes()
BITS = frozenset(
    getattr(torch, name)
    for name in DTYPES
    if hasattr(torch, name) and re.fullmatch(r"u?int[1-7]|bits\w+|float4\w+", name)
)
"""Dtypes that torch casts nothing to."""
_DEVICES: dict[Any, torch.device] = {}


class Record:
    """State of one storage.

    `device` is the virtual device; None means "no opinion" (made by an autograd formula), to be adopted from the
    tensors it meets. `twin` is a real storage that holds the values where they are known; `assumed` tells that a
    stand-in went into them. Of stand-ins: `steady` is set for what a healthy run gives throughout (that all is
    finite), where there is no twin to that value; `free` tells a test that may as well come out the other way;
    `bound` is the most that a count can be; `span` what a random number lies between, `limits` what the program
    keeps numbers between (`clamp`). `codes` is PACKED for codes of 4 bits, and the dtype that they were packed into
    after a cast, which no kernel can read. `made_by` is the op that computed the numbers, `made_from` (of sums) the
    `serial`s of those behind them, `sums`, by the offset of a part, how many times in a row something was added in
    place, `stood` how many times in a row that changed nothing, `narrowed` that they are a half dtype's, or were,
    `chain` how many sums led here, each made of the one before, `degree` of what product they are, `positive` that none
    is below 0, `factor` the number that they were multiplied with last, `moments` what is known of them otherwise,
    `widened` where a half dtype became float32 by the way, `passing` the calls that did so and may be meant, `rounded`
    what a half dtype rounded off them: who watches numbers sets these.
    """

    __slots__ = (
        "__weakref__", "assumed", "bound", "chain", "codes", "degree", "device", "device_origin", "dtype_origin",
        "factor", "free", "limits", "made_by", "made_from", "moments", "narrowed", "passing", "pinned", "positive",
        "rounded", "serial", "span", "steady", "stood", "sums", "twin", "widened",
    )  # fmt: skip

    def __init__(
        self,
        device: torch.device | None,
        dtype_origin: Origin | None,
        device_origin: Origin | None,
    ) -> None:
        """Create a record without values."""
        self.device = device
        self.dtype_origin = dtype_origin
        self.device_origin = device_origin
        self.twin: torch.UntypedStorage | None = None
        self.assumed = False
        self.pinned = False
        self.steady: bool | None = None
        self.free = False
        self.codes = ""
        self.bound: int | None = None
        self.span: tuple[float, float] | None = None
        self.limits: tuple[float, float] | None = None
        self.made_by = ""
        self.made_from: tuple[int, ...] = ()
        self.serial = 0
        self.narrowed = False
        self.sums: dict[int, int] = {}
        self.stood = 0
        self.chain = 0
        self.degree = 0
        self.positive = False
        self.factor = 0.0
        self.moments: Moments | None = None
        # what `numerics` tells of it
        self.widened: Any = None
        self.passing: tuple[Any, ...] = ()
        self.rounded: Any = None


def bares(
    tensors: Iterable[torch.Tensor], records: Iterable[Record]
) -> list[torch.dtype]:
    """Return the dtypes that the tensors would have without autocast."""
    return [
        r.dtype_origin.bare if r.dtype_origin else t.dtype
        for t, r in zip(tensors, records, strict=True)
    ]


def widest(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """Return the dtype that the floating `dtypes` promote to (float32 if there is none; float8 does not promote)."""
    floating = [d for d in dtypes if d.is_floating_point]
    eights = [d for d in floating if d.itemsize == 1]
    if eights:
        return eights[0]
    if floating:
        return reduce(torch.promote_types, floating)
    return torch.float32


def is_tensor(value: object) -> bool:
    """Check whether `value` is a tensor, by its type alone (no `__torch_function__`)."""
    return TENSOR_TYPES[type(value)]


def tensors_by_name(
    arguments: Iterable[tuple[str, Any]],
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors among arguments, with their names: "tensors[1]" in a list."""
    for name, a in arguments:
        if is_tensor(a):
            yield name, a
        elif isinstance(a, (list, tuple)):
            yield from ((f"{name}[{i}]", t) for i, t in enumerate(a) if is_tensor(t))


def device_of(spec: torch.device | str) -> torch.device:
    """Return the only object for a device, so that devices compare by identity."""
    found = _DEVICES.get(spec)
    if found is None:
        device = torch.device(spec)
        found = _DEVICES[spec] = _DEVICES.setdefault(device, device)
    return found


def carrier(tensor: torch.Tensor) -> Any:
    """Return the object that a tensor's record hangs on: its storage, or the tensor itself where it has none."""
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return carrier(_inside(tensor)) if is_wrapped(tensor) else tensor


def find(tensor: torch.Tensor) -> Record | None:
    """Return a tensor's record, if it has one; without values for what `torch.func` wraps, whose shape differs."""
    try:  # as in `carrier`: this is asked several times per op
        holder: Any = tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        holder = carrier(tensor)
    record: Record | None = getattr(holder, NAME, None)
    if record is not None and record.twin is not None and is_wrapped(tensor):
        return Record(record.device, record.dtype_origin, record.device_origin)
    return record


def attach(tensor: torch.Tensor, record: Record) -> Record:
    """Hang `record` on the tensor's storage."""
    setattr(carrier(tensor), NAME, record)
    return record


def view_of(storage: torch.UntypedStorage, like: torch.Tensor) -> torch.Tensor:
    """Return a real tensor over `storage` with the dtype, strides and conjugate and negative bits of `like`."""
    empty = factories.empty(0, dtype=like.dtype, device="cpu")
    view = empty.set_(storage, like.storage_offset(), like.size(), like.stride())
    view = view.conj() if like.is_conj() else view
    return torch._neg_view(view) if like.is_neg() else view


def filled(like: torch.Tensor, value: float) -> torch.Tensor:
    """Return a real tensor of one value throughout, with the dtype and layout of the data-less `like`."""
    if like.layout is not torch.strided:
        return (
            factories.full(tuple(like.shape), value, dtype=torch.float32)
            .to(like.dtype)
            .to_sparse(layout=like.layout)
        )
    if like.dtype in BITS:
        bits = factories.zeros(like.untyped_storage().nbytes(), dtype=torch.uint8)
        return bits.view(like.dtype).as_strided(like.size(), like.stride())
    reach = (
        1 + sum((n - 1) * s for n, s in zip(like.shape, like.stride(), strict=True))
        if like.numel()
        else 0
    )
    return (
        factories.full((reach,), value, dtype=torch.float32)
        .to(like.dtype)
        .as_strided(like.size(), like.stride())
    )


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """Return the sizes of a tensor; -1 for one along which a nested tensor is ragged."""
    try:
        return tuple(map(int, tensor.shape))
    except RuntimeError:
        return tuple(_size(tensor, dim) for dim in range(tensor.dim()))


def _size(nested: torch.Tensor, dim: int) -> int:
    try:
        return int(nested.size(dim))
    except RuntimeError:
        return -1
