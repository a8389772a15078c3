"""`torch.jit.save` and `load`: C++ would write the memory that tensors do not have, and read into it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...key import KEYSET, Exclude
from ...virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch saving and loading by path: keep saved objects in memory; read dtypes and shapes of real files."""
    save: Any = torch.jit.save
    load: Any = torch.jit.load
    method: Any = torch.jit._script.RecursiveScriptModule.save
    # virtual tensors of real parameters, which know them only weakly
    kept: list[torch.Tensor] = []

    def save_to(m: Any, f: Any, _extra_files: Any = None) -> None:
        if isinstance(f, (str, os.PathLike)):
            vm.saved.put(f, m)
        else:
            save(m, f, _extra_files)

    def save_self(self: Any, f: Any, **options: Any) -> Any:
        if isinstance(f, (str, os.PathLike)):
            return vm.saved.put(f, self)
        return method(self, f, **options)

    def load_from(f: Any, map_location: Any = None, **options: Any) -> Any:
        if vm.saved.has(f):
            found = vm.saved.get(f)
            return found if map_location is None else found.to(map_location)
        device = vm.indexed(map_location or "cpu")
        with Exclude(KEYSET):
            module: Any = load(f, "cpu", **options)
            tensors = [*module.parameters(), *module.buffers()]
            kept.extend(
                virtualize(t, op="torch.jit.load", kind="loaded", device=device)
                for t in tensors
            )
        return module

    yield Patch(torch.jit, "save", save_to)
    yield Patch(torch.jit, "load", load_from)
    for kind in (torch.jit.ScriptModule, torch.jit._script.RecursiveScriptModule):
        yield Patch(kind, "save", save_self)
