"""FullyShardedDataParallel refuses parameters of different dtypes in one of its units: they are flattened together."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from ....event import Violation
from ....process.patching import Patch
from ....provenance.record import Record, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    import torch

    from ...machine import VirtualMachine


def _flattening(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    original = module.FlatParamHandle._validate_tensors_to_flatten

    @wraps(original)
    def validate(self: Any, tensors: Sequence[torch.Tensor]) -> Any:
        """Report the first parameter with another dtype than the first, and go on with all in that one."""
        first = tensors[0]
        others = [n for n, t in enumerate(tensors) if t.dtype is not first.dtype]
        if others and first.is_floating_point():
            odd = tensors[others[0]]
            error = f"Must flatten tensors with uniform dtype but got {first.dtype} and {odd.dtype}"
            names = ("params[0]", f"params[{others[0]}]")
            violation = Violation(
                kind="dtype",
                odd=names[1:],
                expected=str(first.dtype)[6:],
                like=names[0],
                error=error,
                raises="ValueError",
            )
            none = Record(None, None, None)
            both = zip(names, (first, odd), strict=True)
            operands = [(name, t, find(t) or none) for name, t in both]
            vm.recorder.call("FullyShardedDataParallel", violation, operands)
            for number in others:
                tensors[number].data = tensors[number].data.to(first.dtype)
        return original(self, tensors)

    yield Patch(module.FlatParamHandle, "_validate_tensors_to_flatten", validate)


LATER = {"torch.distributed.fsdp._flat_param": _flattening}
