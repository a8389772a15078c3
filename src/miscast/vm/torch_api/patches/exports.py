"""Programs in another form: files of `torch.jit`, `torch.export`, eager quantization.

C++ would write the memory that tensors do not have, and read into it. `torch.export` makes tensors of a kind of its
own: here the module itself stands in for its exported program. Eager quantization packs weights for CPU kernels that
tensors without data cannot enter: modules stay as they are.
"""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch.export
from torch.ao import quantization
from torch.ao.quantization import quantize as steps

from ....running.process.patching import Patch, around
from ...key import KEYSET, Exclude
from ...provenance.on_behalf import theirs
from ...virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch saving and loading by path: keep saved objects in memory; read dtypes and shapes of real files."""
    yield from _scripts(vm)
    yield Patch(torch.export, "export", _exporting(vm))
    yield Patch(torch.export, "save", lambda ep, f, **_: vm.saved.put(f, ep))
    yield around(
        torch.export,
        "load",
        lambda plain, f, **options: (
            vm.saved.get(f) if vm.saved.has(f) else plain(f, **options)
        ),
    )

    def unquantized(model: Any, *args: Any, inplace: bool = False, **_: Any) -> Any:
        vm.recorder.note(
            "torch.ao.quantization: modules were not quantized, but stayed in floating point"
        )
        return model if inplace or True in args else theirs(copy.deepcopy, model)

    for name in ("quantize_dynamic", "convert"):
        for owner in (quantization, steps):
            yield Patch(owner, name, unquantized)


def _scripts(vm: VirtualMachine) -> Iterator[Patch]:
    # virtual tensors of real parameters, which know them only weakly
    kept: list[torch.Tensor] = []

    def save(plain: Any, m: Any, f: Any, *args: Any, **options: Any) -> Any:
        if isinstance(f, (str, os.PathLike)):
            return vm.saved.put(f, m)
        return plain(m, f, *args, **options)

    def load(plain: Any, f: Any, map_location: Any = None, **options: Any) -> Any:
        if vm.saved.has(f):
            found = vm.saved.get(f)
            return found if map_location is None else found.to(map_location)
        device = vm.indexed(map_location or "cpu")
        with Exclude(KEYSET):
            module: Any = plain(f, "cpu", **options)
            tensors = [*module.parameters(), *module.buffers()]
            kept.extend(
                virtualize(t, op="torch.jit.load", kind="loaded", device=device)
                for t in tensors
            )
        return module

    yield around(torch.jit, "load", load)
    yield around(torch.jit, "save", save)
    own = around(torch.jit._script.RecursiveScriptModule, "save", save)
    yield own
    yield own._replace(owner=torch.jit.ScriptModule)


@dataclass
class _Exported:
    """The part of an ExportedProgram that eager code can provide."""

    root: Any
    example_inputs: Any
    constants: dict[str, Any] = field(default_factory=dict)

    def module(self, **_: Any) -> Any:
        return self.root

    def run_decompositions(self, *_: Any, **__: Any) -> _Exported:
        return self

    @property
    def state_dict(self) -> Any:
        return self.root.state_dict()


def _exporting(vm: VirtualMachine) -> Callable[..., _Exported]:
    def export(
        mod: Any, args: tuple[Any, ...] = (), kwargs: Any = None, **_: Any
    ) -> _Exported:
        vm.recorder.note("torch.export ran the module without exporting it")
        theirs(mod, *args, **(kwargs or {}))
        return _Exported(mod, (args, kwargs or {}))

    return export
