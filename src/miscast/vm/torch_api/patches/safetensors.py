"""safetensors: the header of a file tells dtypes and shapes; the data is mapped, not read."""

from __future__ import annotations

import io
import json
import os
import struct
from typing import TYPE_CHECKING, Any

import torch

from ....process.patching import Patch
from ....provenance import factories
from ....provenance.on_behalf import theirs
from ....provenance.origin import Origin, places
from ....provenance.record import Record, attach
from ...files import header_only
from ...files.mapped import mapped
from ...key import KEYSET, Exclude
from ...virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import Self

    from ...machine import VirtualMachine

_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "U16": "uint16",
    "U32": "uint32",
    "U64": "uint64",
    "C64": "complex64",
    "F8_E8M0": "float8_e8m0fnu",
}


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """The functions of `safetensors.torch` and the class `safe_open`."""
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
    yield Patch(st, "load", lambda data: _Opened(vm, bytearray(data), "cpu").all())
    yield Patch(st, "save_file", _save_file(vm))
    yield Patch(st, "save", _save)


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
    """A file of zeros: the program gets bytes of the right length."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    end = 0
    for name, t in tensors.items():
        start, end = end, end + t.numel() * t.element_size()
        dtype = next(k for k, v in _DTYPES.items() if v == str(t.dtype)[6:])
        header[name] = {
            "dtype": dtype,
            "shape": list(t.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


class _File:
    """What `safetensors.safe_open` gives, whatever the entries are."""

    _entries: Mapping[str, Any]
    _metadata: dict[str, str] | None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def keys(self) -> list[str]:
        return list(self._entries)

    offset_keys = keys

    def metadata(self) -> dict[str, str] | None:
        return self._metadata

    def get_tensor(self, name: str) -> torch.Tensor:
        raise NotImplementedError

    def all(self) -> dict[str, torch.Tensor]:
        return {name: self.get_tensor(name) for name in self.keys()}


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
        dtype = getattr(torch, _DTYPES[entry["dtype"]])
        with Exclude(KEYSET):
            if self.bare:
                return self._without_data(entry["shape"], dtype)
            if start == end:
                real = factories.empty(entry["shape"], dtype=dtype)
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
                    (real if aligned else real.clone())
                    .view(dtype)
                    .reshape(entry["shape"])
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

    def get_slice(self, name: str) -> _Slice:
        return _Slice(self, name)

    def get_dtype(self, name: str) -> str:
        return str(self._entries[name]["dtype"])

    def get_shape(self, name: str) -> list[int]:
        return list(self._entries[name]["shape"])


class _Slice:
    """`get_slice`: shape and dtype first, data when indexed."""

    def __init__(self, file: _Opened, name: str) -> None:
        self._file, self._name = file, name

    def get_shape(self) -> list[int]:
        return self._file.get_shape(self._name)

    def get_dtype(self) -> str:
        return self._file.get_dtype(self._name)

    def __getitem__(self, index: Any) -> torch.Tensor:
        return self._file.get_tensor(self._name)[index]


class _Saved(_File):
    """A file that the program saved during the check."""

    def __init__(self, vm: VirtualMachine, path: Any, device: Any) -> None:
        self._entries, self._metadata = vm.saved.get(path)
        self._device = vm.indexed(_device(device))

    def get_tensor(self, name: str) -> torch.Tensor:
        return theirs(self._entries.__getitem__, name).clone().to(self._device)  # type: ignore[no-any-return]

    def get_slice(self, name: str) -> _SavedSlice:
        return _SavedSlice(self._entries[name].to(self._device))


class _SavedSlice:
    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor

    def get_shape(self) -> list[int]:
        return list(self._tensor.shape)

    def get_dtype(self) -> str:
        return next(k for k, v in _DTYPES.items() if v == str(self._tensor.dtype)[6:])

    def __getitem__(self, index: Any) -> torch.Tensor:
        return self._tensor[index]


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
                "of weights that are not in the hub's cache the headers were read: they have no values"
            )
        else:
            vm.recorder.unread(filename)
        return opened

    return safe_open
