"""safetensors: the header of a file tells dtypes and shapes; the data is mapped, not read."""

from __future__ import annotations

import io
import json
import os
import struct
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...files import header_only
from ...files.mapped import mapped
from ...key import KEYSET, Exclude
from ...provenance import factories
from ...provenance.on_behalf import theirs
from ...provenance.origin import Origin, places
from ...provenance.record import Record, attach
from ...virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import Self

    from ...machine import VirtualMachine

_UNLISTED = {"F8_E8M0": "float8_e8m0fnu", "F4": "float4_e2m1fn_x2"}
"""Dtypes of `safe_open` and `save` outside the package's own table, which is that of `load`."""
_PACKED = "F4"
"""Two numbers in a byte: the header counts numbers, and torch bytes."""


def _types() -> dict[str, torch.dtype | None]:
    from safetensors.torch import _TYPES

    return _TYPES


@cache
def _dtypes() -> dict[str, torch.dtype]:
    """Return the dtypes by their names in a header."""
    others = {n: getattr(torch, name, None) for n, name in _UNLISTED.items()}
    return {
        name: one for name, one in {**_types(), **others}.items() if one is not None
    }


def _name(dtype: torch.dtype) -> str:
    return next(name for name, one in _dtypes().items() if one is dtype)


def _shape(tensor: torch.Tensor) -> list[int]:
    """Return the shape that the header states."""
    shape = list(tensor.shape)
    return [*shape[:-1], 2 * shape[-1]] if _name(tensor.dtype) == _PACKED else shape


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the functions of `safetensors.torch` and the class `safe_open`."""
    try:
        import safetensors
        import safetensors.torch as st
    except ImportError:
        return
    opened = _opener(vm)
    yield Patch(safetensors, "safe_open", opened)
    yield Patch(
        st,
        "load_file",
        lambda filename, device="cpu", **_: opened(filename, "pt", device).all(),
    )
    yield Patch(st, "load", lambda data: _loaded(vm, data))
    yield Patch(st, "save_file", _save_file(vm))
    yield Patch(st, "save", _save)


def _loaded(vm: VirtualMachine, data: bytes) -> dict[str, torch.Tensor]:
    opened = _Opened(vm, bytearray(data), "cpu")
    for name in opened.offset_keys():
        theirs(_types().__getitem__, opened.get_dtype(name))
    return opened.all()


def _save_file(vm: VirtualMachine) -> Callable[..., None]:
    def save_file(
        tensors: dict[str, torch.Tensor],
        filename: Any,
        metadata: dict[str, str] | None = None,
    ) -> None:
        vm.saved.put(
            filename,
            ({name: t.detach().clone() for name, t in tensors.items()}, metadata),
        )

    return save_file


def _save(
    tensors: dict[str, torch.Tensor], metadata: dict[str, str] | None = None
) -> bytes:
    """Return a file of zeros: the program gets bytes of the right length."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    end = 0
    for name, t in tensors.items():
        start, end = end, end + t.numel() * t.element_size()
        header[name] = {
            "dtype": _name(t.dtype),
            "shape": _shape(t),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


class _File:
    """The result of `safetensors.safe_open`, for any entries."""

    _entries: Mapping[str, Any]
    _metadata: dict[str, str] | None
    get_tensor: Callable[[str], torch.Tensor]
    get_dtype: Callable[[str], str]
    get_shape: Callable[[str], list[int]]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def keys(self) -> list[str]:
        return sorted(self._entries)

    def offset_keys(self) -> list[str]:
        return list(self._entries)

    def metadata(self) -> dict[str, str] | None:
        return self._metadata

    def get_slice(self, name: str) -> _Slice:
        return _Slice(self, name)

    def all(self) -> dict[str, torch.Tensor]:
        return {name: self.get_tensor(name) for name in self.offset_keys()}


class _Opened(_File):
    """A file on the disk."""

    def __init__(self, vm: VirtualMachine, data: Any, device: Any) -> None:
        (length,) = theirs(struct.unpack, "<Q", data[:8])
        header = theirs(json.loads, bytes(data[8 : 8 + length]))
        self._metadata, self.bare = header_only.told(header.pop("__metadata__", None))
        self._entries, self._data, self._start = header, data, 8 + length
        self._vm, self._device = vm, _device(device)

    def get_tensor(self, name: str) -> torch.Tensor:
        entry = theirs(self._entries.__getitem__, name)
        start, end = entry["data_offsets"]
        dtype, shape = _dtypes()[entry["dtype"]], entry["shape"]
        if entry["dtype"] == _PACKED:
            shape = [*shape[:-1], shape[-1] // 2]
        with Exclude(KEYSET):
            if self.bare:
                return self._without_data(shape, dtype)
            if start == end:
                real = factories.empty(shape, dtype=dtype)
            else:
                count = (end - start) // dtype.itemsize
                real = torch.frombuffer(
                    self._data,
                    dtype=torch.uint8,
                    count=end - start,
                    offset=self._start + start,
                )
                aligned = (self._start + start) % dtype.itemsize == 0
                real = (
                    (real if aligned else real.clone()).view(dtype).reshape(shape)
                    if count
                    else real
                )
            return virtualize(
                real,
                op="safetensors",
                kind="loaded",
                device=self._vm.indexed(self._device),
            )

    def _without_data(self, shape: list[int], dtype: torch.dtype) -> torch.Tensor:
        device = self._vm.indexed(self._device)
        origin = Origin("loaded", "safetensors", dtype, device, places())
        made = factories.empty(shape, dtype=dtype, device="meta")
        attach(made, Record(device, origin, origin))
        return made

    def get_dtype(self, name: str) -> str:
        return str(self._entries[name]["dtype"])

    def get_shape(self, name: str) -> list[int]:
        return list(self._entries[name]["shape"])


class _Slice:
    """`get_slice`: shape and dtype first, data when indexed."""

    def __init__(self, file: _File, name: str) -> None:
        self._tensor = partial(file.get_tensor, name)
        self.get_shape = partial(file.get_shape, name)
        self.get_dtype = partial(file.get_dtype, name)

    def __getitem__(self, index: Any) -> torch.Tensor:
        tensor = self._tensor()
        # safetensors 0.8 takes the shape in the header for that of the bytes
        if self.get_dtype() == _PACKED:
            shape, size = _shape(tensor), tensor.numel()
            raise RuntimeError(f"shape '{shape}' is invalid for input of size {size}")
        return tensor[index]


class _Saved(_File):
    """A file that the program saved during the check."""

    def __init__(self, vm: VirtualMachine, path: Any, device: Any) -> None:
        self._entries, self._metadata = vm.saved.get(path)
        self._device = vm.indexed(_device(device))

    def get_tensor(self, name: str) -> torch.Tensor:
        return theirs(self._entries.__getitem__, name).clone().to(self._device)  # type: ignore[no-any-return]

    def get_dtype(self, name: str) -> str:
        return _name(self._entries[name].dtype)

    def get_shape(self, name: str) -> list[int]:
        return _shape(self._entries[name])


def _device(device: Any) -> Any:
    return f"cuda:{device}" if isinstance(device, int) else device


def _opener(vm: VirtualMachine) -> Callable[..., Any]:
    def safe_open(
        filename: Any, framework: str = "pt", device: Any = "cpu", **_: Any
    ) -> Any:
        if vm.saved.has(filename):
            return _Saved(vm, filename, device)
        with theirs(io.FileIO, os.fspath(filename)) as file:
            data = mapped(file.fileno())
        opened = _Opened(vm, data, device)
        if opened.bare:
            vm.recorder.note(
                "only the headers of weights that are not in the hub's cache were read: they have no values"
            )
        else:
            vm.recorder.unread(filename)
        return opened

    return safe_open
