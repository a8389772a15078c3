"""FSDP2, whose shards are tensor subclasses that cannot be followed: of one rank they are the whole.

Of several, `fully_sharded` stands for it.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .. import fully_sharded
from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from ..vm import VirtualMachine

_MODULE = "torch.distributed.fsdp"


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.distributed.fsdp.fully_shard`, now or (importing it takes a second) when the program imports it."""

    def fully_shard(module: Any, **options: Any) -> Any:
        if vm.gathering is not None:
            return fully_sharded.fully_shard(vm, module, **options)
        policy = " and its mixed precision" if "mp_policy" in options else ""
        vm.recorder.note(f"fully_shard{policy} was left out")
        return module

    if _MODULE in sys.modules:
        yield Patch(sys.modules[_MODULE], "fully_shard", fully_shard)
    else:
        yield Patch(sys, "meta_path", [_Later(vm, fully_shard), *sys.meta_path])


class _Later(MetaPathFinder):
    """Patches the module right after it is imported, until the run ends."""

    def __init__(self, vm: VirtualMachine, function: Callable[..., Any]) -> None:
        self._vm, self._function = vm, function

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        """The module's own spec, with one step more after its code has run."""
        if fullname != _MODULE or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            original = vars(module).get("fully_shard")
            vars(module)["fully_shard"] = self._function
            self._vm.leaving.append(lambda: vars(module).update(fully_shard=original))

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
