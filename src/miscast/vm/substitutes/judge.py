"""Report what kernels refuse, as for any op, and fix it so that the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..key import KEYSET, Exclude
from ..virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..machine import VirtualMachine


class Judge:
    """Checker of a package's functions."""

    def __init__(self, vm: VirtualMachine) -> None:
        self._vm = vm

    def fitted(
        self,
        op: str,
        operands: Mapping[str, torch.Tensor],
        *,
        only: Sequence[torch.dtype] = (),
        refuses: str = "",
        differs: Mapping[str, str],
        raises: str = "RuntimeError",
    ) -> list[torch.Tensor]:
        """Return the operands, of one dtype and on one device.

        The first decides. `only` are the dtypes that the kernel has, the usual one first, `refuses` is its text for any
        other, `differs` by the name of an operand that for a dtype which is not the first's.
        """
        with Exclude(KEYSET):
            given = {n: virtualize(t) for n, t in operands.items()}
        first, lead = next(iter(given.items()))
        wanted = lead.dtype

        def told(odd: str, expected: str, error: str, **how: Any) -> None:
            operands = {name: given[name] for name in (first, odd)}
            with Exclude(KEYSET):
                self._vm.recorder.refused(op, odd, operands, expected, error, **how)

        if only and wanted not in only:
            wanted = only[0]
            told(first, str(wanted)[6:], refuses, kind="unsupported", raises=raises)
        else:
            for name, tensor in given.items():
                if tensor.dtype is not wanted:
                    expected, error = str(wanted)[6:], differs[name]
                    told(name, expected, error, like=first, raises=raises)
        for name, tensor in given.items():
            if tensor.device != lead.device:
                error = f"Expected all tensors to be on the same device, but {name} is on {tensor.device}"
                told(name, str(lead.device), error, kind="device", like=first)
        return [tensor.to(lead.device, wanted) for tensor in given.values()]
