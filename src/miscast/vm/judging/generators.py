"""The random generator given to an op: it has to be of the device that the op runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ...core.event import Violation
from ..provenance import factories
from ..provenance.record import Record, device_of
from ..torch_api.queries import is_virtual

if TYPE_CHECKING:
    from .recorder import Recorder


def check_generator(
    recorder: Recorder,
    accelerator: str,
    op: str,
    generator: torch.Generator | None,
    device: torch.device | None,
) -> None:
    """Record a generator of another kind than `device` (ATen/core/Generator.h, check_generator).

    `accelerator` is the kind of device that the machine's own generators are of.
    """
    if generator is None or device is None:
        return
    kind = accelerator if is_virtual(generator) else "cpu"
    if kind == device.type:
        return
    error = f"Expected a '{device.type}' device type for generator but found '{kind}'"
    violation = Violation(
        kind="device", odd=("generator",), expected=str(device), error=error
    )
    state = factories.empty(0, dtype=torch.uint8, device="meta")
    recorder.call(
        op, violation, [("generator", state, Record(device_of(kind), None, None))]
    )
