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
        dtype = tensors[0].dtype
        others = [n for n, one in enumerate(tensors) if one.dtype is not dtype]
        if others and dtype.is_floating_point:
            odd = tensors[others[0]].dtype
            names = {f"params[{n}]": tensors[n] for n in (0, others[0])}
            first, second = names
            violation = Violation(
                kind="dtype",
                odd=(second,),
                expected=str(dtype)[6:],
                like=first,
                error=f"Must flatten tensors with uniform dtype but got {dtype} and {odd}",
                raises="ValueError",
            )
            none = Record(None, None, None)
            operands = [(name, one, find(one) or none) for name, one in names.items()]
            vm.recorder.call("FullyShardedDataParallel", violation, operands)
            for number in others:
                tensors[number].data = tensors[number].data.to(dtype)
        return original(self, tensors)

    yield Patch(module.FlatParamHandle, "_validate_tensors_to_flatten", validate)


LATER = {"torch.distributed.fsdp._flat_param": _flattening}
