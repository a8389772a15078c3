"""The `precision` of Lightning's Trainer and Fabric (lightning/fabric/connector.py, 2.6)."""

from __future__ import annotations

from ..export import Export, Lost
from ..policy import DTYPES, Policy
from ..spelling import NAMES
from ..terms import compute_of, lost


def export(policy: Policy) -> Export:
    """Its short name; weights, buffers and inputs are converted by Lightning."""
    param, compute = policy.param_dtype or "float32", compute_of(policy)
    bare = Policy(param_dtype=param, compute_dtype=compute or param)
    name = next((name for name, named in NAMES.items() if named == bare), None)
    missing: tuple[Lost, ...] = ()
    if name is None:
        missing = (Lost(field="compute_dtype", reason=f"no precision stores {param} and computes in {compute}"),)
    true = bool(name and name.endswith("-true"))
    reasons = {
        "output_dtype": "outputs stay as computed, but for float32 and float64 ones of a -true precision",
        "reduce_dtype": "gradients are reduced in the parameters' dtype",
        "overrides": "one precision for the whole model",
    }
    if policy.buffer_dtype and policy.buffer_dtype != (param if true else None):
        reasons["buffer_dtype"] = "buffers follow the parameters" if true else "buffers stay as they are"
    return Export(
        system="lightning",
        settings={"precision": name} if name else {},
        lost=(*missing, *lost(policy, {field: reasons[field] for field in (*DTYPES, "overrides") if field in reasons})),
    )
