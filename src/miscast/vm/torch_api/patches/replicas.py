"""The replicas of `torch.nn.DataParallel` run one after another: one device at a time, and findings in one order."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch.nn.parallel  # noqa: F401 - loads the module that is patched, whose name a function of it hides

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `parallel_apply` to run one module at a time, in the calling thread."""
    owner: Any = sys.modules["torch.nn.parallel.parallel_apply"]
    together = owner.parallel_apply

    def in_turn(
        modules: Sequence[Any],
        inputs: Sequence[Any],
        kwargs_tup: Any = None,
        devices: Any = None,
    ) -> list[Any]:
        if len(modules) != len(inputs):
            # torch's own error
            return list(together(modules, inputs, kwargs_tup, devices))
        outputs: list[Any] = []
        for i, module in enumerate(modules):
            options = None if kwargs_tup is None else kwargs_tup[i : i + 1]
            outputs += together(
                [module],
                [inputs[i]],
                options,
                None if devices is None else devices[i : i + 1],
            )
        return outputs

    yield Patch(owner, "parallel_apply", in_turn)
