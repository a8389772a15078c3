"""Kernels that a program compiles when it first calls them: nothing is compiled for a GPU that is not there.

DeepSpeed's optimizers write into the tensors that they are given, of whose numbers nothing is known anyway.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch, around
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def _writes(*_: Any, **__: Any) -> None:
    """Do nothing; the real kernel writes into the tensors that it is given."""


def _scale(*_: Any, **__: Any) -> torch.Tensor:
    """Return what LAMB's kernel returns: by how much each step was scaled."""
    return torch.ones(())


_NOT_COMPILED = "sources in CUDA are not compiled for a virtual machine"
_OPS: dict[str, dict[str, Any]] = {
    "fused_adam": {"multi_tensor_adam": _writes},
    "fused_lion": {"multi_tensor_lion": _writes},
    "fused_lamb": {"lamb": _scale},
    "cpu_adam": dict.fromkeys(("create_adam", "destroy_adam", "adam_update", "adam_rollback"), _writes),
    "cpu_lion": dict.fromkeys(("create_lion", "destroy_lion", "lion_update"), _writes),
    "cpu_adagrad": dict.fromkeys(("create_adagrad", "destroy_adagrad", "adagrad_update"), _writes),
}  # fmt: skip
"""DeepSpeed ops by name: the functions of their module, as deepspeed/ops of 0.19.8 calls them."""


def _builders(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def load(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        functions = _OPS.get(self.name)
        if functions is None:
            return theirs(original, self, *args, **kwargs)
        vm.recorder.note(
            f"deepspeed's {self.name} was not compiled: its outputs keep their dtypes"
        )
        return SimpleNamespace(**functions)

    yield around(module.OpBuilder, "load", load)


def _compilers(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Refuse CUDA sources at once, as without a compiler; minutes later the kernels would find no data."""

    def load(original: Any, *args: Any, **kwargs: Any) -> Any:
        sources = kwargs.get("sources", args[1:2])
        if kwargs.get("cuda_sources") or ".cu'" in repr(sources):
            vm.recorder.note("sources in CUDA were not compiled")
            raise RuntimeError(_NOT_COMPILED)
        return theirs(original, *args, **kwargs)

    for name in ("load", "load_inline"):
        yield around(module, name, load)


LATER = {
    "deepspeed.ops.op_builder.builder": _builders,
    "torch.utils.cpp_extension": _compilers,
}
