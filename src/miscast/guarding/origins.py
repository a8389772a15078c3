"""Name the tensors and modules of a step: its inputs, and the modules that it ran through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..vm.provenance.contents import items_of
from ..vm.provenance.module_members import named_tensors, submodules
from .stretch import ARGUMENTS

_DEEP = 2


class Origins:
    """Names of parameters, buffers, modules, and of tensors in the variables of the step."""

    def __init__(self, models: Sequence[torch.nn.Module]) -> None:
        self._modules: dict[int, str] = {}
        self._tensors: dict[int, tuple[str, bool]] = {}
        for number, model in enumerate(models):
            before = f"{type(model).__name__}." if number or len(models) > 1 else ""
            for path, one in submodules(model):
                self._modules.setdefault(
                    id(one), f"{before}{path}" or type(one).__name__
                )
            for name, tensor in named_tensors(model, "_parameters"):
                self._put(tensor, f"the parameter {before}{name}", trained=True)
            for name, tensor in named_tensors(model, "_buffers"):
                self._put(tensor, f"the buffer {before}{name}", trained=False)

    def hand(self, variables: Mapping[str, Any]) -> None:
        """Add the tensors held by variables, also in lists and dicts."""
        for name, value in variables.items():
            self._held("arguments" if name == ARGUMENTS else name, value, _DEEP)

    def module(self, module: Any) -> str | None:
        """Return the path of a module of the models; None for another."""
        return self._modules.get(id(module))

    def tensor(self, tensor: torch.Tensor) -> tuple[str, bool]:
        """Return what a tensor that no op of the step made is called, and whether it is a parameter."""
        return self._tensors.get(_number(tensor), ("a tensor created earlier", False))

    def _held(self, name: str, value: Any, deep: int) -> None:
        if isinstance(value, torch.Tensor):
            self._put(value, f"`{name}`", trained=False)
        elif deep and isinstance(value, (list, tuple, dict)):
            for key, one in items_of(value):
                self._held(f"{name}[{key!r}]", one, deep - 1)

    def _put(self, tensor: torch.Tensor, name: str, *, trained: bool) -> None:
        if tensor.layout == torch.strided and tensor.device.type != "meta":
            self._tensors.setdefault(_number(tensor), (name, trained))


def _number(tensor: torch.Tensor) -> int:
    try:
        number: int = tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):
        return 0  # a tensor without a storage of its own
    return number
