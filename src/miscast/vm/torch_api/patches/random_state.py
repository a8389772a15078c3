"""Random state of the CPU, which C++ reads from the tensor's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ....running.process.patching import Patch
from ...key import KEYSET, Exclude
from ...provenance.record import is_meta
from ...virtualize import realize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(_vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.set_rng_state`."""

    def set_rng_state(new_state: torch.Tensor) -> None:
        with Exclude(KEYSET):
            real = realize(new_state) if is_meta(new_state) else new_state
            if real is not None:
                original(real)

    original = torch.set_rng_state
    yield Patch(torch, "set_rng_state", set_rng_state)
    yield Patch(torch.random, "set_rng_state", set_rng_state)
