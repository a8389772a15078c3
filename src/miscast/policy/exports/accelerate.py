"""Arguments of `accelerate.Accelerator` (accelerate/accelerator.py, 1.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..export import Export
from ..terms import SHORT, lost, mixed, stored, unlike_autocast

if TYPE_CHECKING:
    from ..policy import Policy


def export(policy: Policy) -> Export:
    """Return `mixed_precision`; accelerate wraps forward in autocast and returns float32."""
    half = mixed(policy)
    reasons = {
        "reduce_dtype": "DDP reduces in the parameters' dtype; a DistributedDataParallelKwargs comm_hook can narrow it",
        "buffer_dtype": "buffers keep their dtype",
        "overrides": "it has one precision for the whole model",
    }
    if half and policy.output_dtype != "float32":
        reasons["output_dtype"] = "outputs under mixed precision are float32"
    elif not half:
        reasons["output_dtype"] = "outputs keep the compute dtype"
    return Export(
        system="accelerate",
        settings={"mixed_precision": SHORT[half] if half else "no"},
        lost=(
            *(() if half and policy.param_dtype is None else stored(policy)),
            *unlike_autocast(policy),
            *lost(policy, reasons),
        ),
        target="accelerate:Accelerator",
    )
