"""`torch.export` makes tensors of a kind of its own: here the module itself stands in for its exported program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch.export

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


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


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `export`, `save` and `load` by path."""

    def export(
        mod: Any, args: tuple[Any, ...] = (), kwargs: Any = None, **_: Any
    ) -> Any:
        vm.recorder.note("torch.export ran the module without exporting it")
        theirs(mod, *args, **(kwargs or {}))
        return _Exported(mod, (args, kwargs or {}))

    plain: Any = torch.export.load
    yield Patch(torch.export, "export", export)
    yield Patch(torch.export, "save", lambda ep, f, **_: vm.saved.put(f, ep))
    yield Patch(
        torch.export,
        "load",
        lambda f, **options: (
            vm.saved.get(f) if vm.saved.has(f) else plain(f, **options)
        ),
    )
