"""The `precision` of Lightning's Trainer and Fabric (lightning/fabric/connector.py, 2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..export import Export, Lost
from ..spelling import short_name
from ..terms import compute_of, lost

if TYPE_CHECKING:
    from ..policy import Policy


def export(policy: Policy) -> Export:
    """Return its short name; weights, buffers and inputs are converted by Lightning."""
    param, compute = policy.param_dtype or "float32", compute_of(policy)
    name = short_name(param, compute or param)
    missing: tuple[Lost, ...] = ()
    if name is None:
        missing = (
            Lost(
                field="compute_dtype",
                reason=f"it has no precision that stores {param} and computes in {compute}",
            ),
        )
    reasons = {
        "output_dtype": "outputs keep the compute dtype, except float32 and float64 outputs under a -true precision",
        "reduce_dtype": "gradients are reduced in the parameters' dtype",
    }
    if not (name or "").endswith("-true"):
        reasons["buffer_dtype"] = "buffers keep their dtype"
    elif policy.buffer_dtype != param:
        reasons["buffer_dtype"] = "buffers get the dtype of the parameters"
    reasons["overrides"] = "it has one precision for the whole model"
    return Export(
        system="lightning",
        settings={"precision": name} if name else {},
        lost=(*missing, *lost(policy, reasons)),
    )
