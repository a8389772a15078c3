"""Modules of torch that look at dtypes or kernels in Python, before any op: the op's own contract judges instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.rnn import RNNBase

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(_vm: VirtualMachine) -> Iterator[Patch]:
    """Yield patches for the dtype test of RNNs, and for the fast path of transformer layers."""
    yield Patch(RNNBase, "check_input", _shapes_only(RNNBase.check_input))
    yield Patch(torch.backends.mha, "get_fastpath_enabled", lambda: False)


def _shapes_only(original: Callable[..., None]) -> Callable[..., None]:
    def check_input(self: RNNBase, input: torch.Tensor, batch_sizes: Any) -> None:  # noqa: A002 - torch's name
        # a replica of DataParallel has no parameters
        weight: Any = self._flat_weights[0]
        original(
            self,
            input if input.dtype == weight.dtype else input.to(weight.dtype),
            batch_sizes,
        )

    return check_input
