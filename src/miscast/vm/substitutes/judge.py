"""Report what kernels refuse, as for any op, and fix it so that the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...core.event import Violation
from ..key import KEYSET, Exclude
from ..provenance.record import Record, find
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
        if only and wanted not in only:
            wanted = only[0]
            self._tell(
                op,
                given,
                first,
                Violation(
                    kind="unsupported",
                    odd=(first,),
                    expected=str(wanted)[6:],
                    error=refuses,
                    raises=raises,
                ),
            )
        else:
            for name, tensor in given.items():
                if tensor.dtype is not wanted:
                    self._tell(
                        op,
                        given,
                        name,
                        Violation(
                            kind="dtype",
                            odd=(name,),
                            expected=str(wanted)[6:],
                            like=first,
                            error=differs[name],
                            raises=raises,
                        ),
                    )
        for name, tensor in given.items():
            if tensor.device != lead.device:
                error = f"Expected all tensors to be on the same device, but {name} is on {tensor.device}"
                self._tell(
                    op,
                    given,
                    name,
                    Violation(
                        kind="device",
                        odd=(name,),
                        expected=str(lead.device),
                        like=first,
                        error=error,
                    ),
                )
        return [tensor.to(lead.device, wanted) for tensor in given.values()]

    def _tell(
        self, op: str, given: Mapping[str, torch.Tensor], odd: str, violation: Violation
    ) -> None:
        names = dict.fromkeys((next(iter(given)), odd))
        with Exclude(KEYSET):
            told: list[tuple[str, Any, Record]] = [
                (name, given[name], find(given[name]) or Record(None, None, None))
                for name in names
            ]
            self._vm.recorder.call(op, violation, told)
