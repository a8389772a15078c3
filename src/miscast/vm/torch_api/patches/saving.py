"""torch.save and torch.load: shapes and dtypes of real files, and in-memory copies of what the program saves.

What the program moves or copies of these (`os.replace("last.tmp", "last.pt")`) is a placeholder. Done as asked, it
would take the place of the checkpoint of a real run.
"""

from __future__ import annotations

import copy
import io
import os
import shutil
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import serialization

from ....running.process.patching import Patch, around
from ....running.torch_abi import tree_leaves
from ...files.mapped import mapped
from ...key import KEYSET, Exclude
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, attach, find, is_meta, is_tensor
from ...virtualize import virtualize
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.save`, `torch.load`, and the one function that turns files into tensors."""
    stack: list[_Loading] = []
    for patch in (
        Patch(torch, "save", _save(vm)),
        around(torch, "load", _load, vm, stack),
    ):
        yield patch
        yield patch._replace(owner=serialization)
    mapped_file = around(torch.UntypedStorage, "from_file", _from_file)
    yield mapped_file._replace(value=staticmethod(mapped_file.value))
    yield around(torch._utils, "_rebuild_tensor", _rebuild, vm, stack)
    if not vm.saved.boxed:  # there what is moved takes the place of a copy
        yield from _renaming(vm)


def _renaming(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `os.replace`, `os.rename`, their methods of `Path`, and `shutil.copyfile`, which the other copies call."""
    for name in ("replace", "rename"):
        patch = around(os, name, _move, vm)
        yield patch
        move = patch.value
        yield Patch(
            Path,
            name,
            lambda self, target, move=move: (move(self, target), type(self)(target))[1],
        )

    def copy(copyfile: Any, src: Any, dst: Any, **options: Any) -> Any:
        if not vm.saved.has(src):
            return theirs(copyfile, src, dst, **options)
        vm.saved.copied(src, dst)
        return dst

    def copy_times(copystat: Any, src: Any, dst: Any, **options: Any) -> None:
        if not vm.saved.has(src):
            theirs(copystat, src, dst, **options)

    yield around(shutil, "copyfile", copy)
    yield around(shutil, "copystat", copy_times)


def _move(
    vm: VirtualMachine,
    original: Callable[..., None],
    src: Any,
    dst: Any,
    **options: Any,
) -> None:
    if vm.saved.has(src) and not options:
        vm.saved.moved(src, dst)
        return
    folder = os.path.isdir(src)
    theirs(original, src, dst, **options)
    if folder:
        vm.saved.folder_moved(src, dst)


def _from_file(
    original: Callable[..., Any], filename: Any, shared: bool = False, nbytes: int = 0
) -> Any:
    """Map a file for `torch.load`; C++ would allocate memory for all of it."""
    if shared or not nbytes:
        return original(filename, shared, nbytes)
    with theirs(io.FileIO, filename) as file, Exclude(KEYSET):
        whole = torch.frombuffer(mapped(file.fileno()), dtype=torch.uint8)
    if nbytes == whole.numel():
        return whole.untyped_storage()
    return original(filename, shared, nbytes)


class _Loading:
    """One `torch.load` in progress: where each storage was saved from and is to go."""

    def __init__(self, map_location: Any) -> None:
        self.map_location = map_location
        self.devices: dict[int, str] = {}

    def __call__(self, storage: Any, location: str) -> Any:
        """Leave the storage in place, and remember where the program wants it, as torch's `map_location`."""
        self.devices[storage._cdata] = self._wanted(storage, location)
        return storage

    def _wanted(self, storage: Any, location: str) -> str:
        wanted = self.map_location
        if wanted is None:
            return location
        if isinstance(wanted, dict):
            return str(wanted.get(location, location))
        if callable(wanted) and not isinstance(wanted, (str, torch.device)):
            try:
                result = theirs(wanted, storage, location)
            except RuntimeError:
                return "cuda"  # `lambda storage, loc: storage.cuda()`
            return str(result.device) if hasattr(result, "device") else location
        return str(wanted)


def _save(vm: VirtualMachine) -> Callable[..., None]:
    def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
        """Keep a copy; nothing is written over a file that exists."""
        with vm.memory.aside():
            content = _frozen(obj)
        if isinstance(f, (str, os.PathLike)):
            vm.saved.put(f, content)
        else:
            theirs(f.write, vm.saved.ticket(content))

    return save


def _frozen(obj: Any) -> Any:
    """Return a copy with tensors of their own, as a file would hold."""
    if is_tensor(obj):
        own = _copied(obj.detach())
        if isinstance(obj, torch.nn.Parameter):
            return torch.nn.Parameter(own, obj.requires_grad)
        return own.requires_grad_(obj.requires_grad)
    if type(obj) in (dict, OrderedDict):
        return type(obj)((k, _frozen(v)) for k, v in obj.items())
    if type(obj) in (list, tuple):
        return type(obj)(_frozen(v) for v in obj)
    return theirs(copy.deepcopy, obj)


def _copied(tensor: Any) -> Any:
    """Return a copy; torch saves the parts of a subclass, which need not have a `clone` of its own."""
    kind: Any = type(tensor)
    if not dispatches(kind) or not hasattr(kind, "__tensor_unflatten__"):
        return tensor.clone()
    names, context = theirs(tensor.__tensor_flatten__)
    parts = {name: getattr(tensor, name) for name in names}
    inner = {n: _copied(p.detach()) if is_tensor(p) else p for n, p in parts.items()}
    whole = kind.__tensor_unflatten__
    return theirs(whole, inner, context, tensor.size(), tensor.stride())


def _load(
    vm: VirtualMachine,
    stack: list[_Loading],
    original: Callable[..., Any],
    f: Any,
    map_location: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    with vm.memory.aside():
        content, found = _own(vm, f)
    if found:
        with vm.memory.aside():
            loaded = _moved(vm, _frozen(content), _Loading(map_location))
        for one in filter(is_tensor, tree_leaves(loaded)):
            vm.memory.hold(one)  # counted from now on
        return loaded
    if isinstance(f, (str, os.PathLike)) and kwargs.get("mmap") is None and _zipped(f):
        kwargs["mmap"] = True  # only the pages that somebody reads are read
        vm.recorder.unread(f)
    stack.append(_Loading(map_location))
    try:
        with Exclude(KEYSET):
            return original(f, stack[-1], *args, **kwargs)
    finally:
        stack.pop()


def _own(vm: VirtualMachine, f: Any) -> tuple[Any, bool]:
    if vm.saved.has(f):
        return vm.saved.get(f), True
    if hasattr(f, "peek") or (hasattr(f, "read") and hasattr(f, "seek")):
        at = theirs(f.tell)
        content, found = theirs(vm.saved.redeem, f)
        theirs(f.seek, at)
        if found:
            return content, True
    if hasattr(f, "name") and isinstance(f.name, str) and vm.saved.has(f.name):
        return vm.saved.get(f.name), True
    return None, False


def _zipped(f: Any) -> bool:
    with theirs(io.FileIO, f) as file:
        return bool(file.read(4) == b"PK\x03\x04")


def _moved(vm: VirtualMachine, tree: Any, loading: _Loading) -> Any:
    """Return what the program saved, on the devices that its `map_location` requests."""
    if is_tensor(tree):
        record = find(tree)
        if (
            loading.map_location is not None
            and record is not None
            and record.device is not None
        ):
            # as torch: in memory first
            wanted = loading._wanted(torch.UntypedStorage(0), str(record.device))
            if wanted != str(record.device):
                return tree.detach().to(wanted).requires_grad_(tree.requires_grad)
        return tree
    if isinstance(tree, dict):
        for key, value in tree.items():
            tree[key] = _moved(vm, value, loading)
        return tree
    if type(tree) in (list, tuple):
        return type(tree)(_moved(vm, v, loading) for v in tree)
    return tree


def _rebuild(
    vm: VirtualMachine,
    stack: list[_Loading],
    original: Callable[..., torch.Tensor],
    storage: Any,
    *place: Any,
) -> torch.Tensor:
    """Rebuild a virtual tensor over the file's storage."""
    real = original(storage, *place)
    if not stack or is_meta(real):
        return real
    wanted = stack[-1].devices.get(storage._untyped_storage._cdata, "cpu")
    device = vm.indexed("cpu" if "cpu" in wanted else wanted)
    with Exclude(KEYSET):
        virtual = virtualize(real, op="torch.load", kind="loaded", device=device)
        if find(virtual) is None:
            attach(virtual, Record(device, None, None))
    return virtual
