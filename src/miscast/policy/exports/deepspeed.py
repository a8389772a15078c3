"""Sections of DeepSpeed's JSON (deepspeed/runtime/config.py and torch_autocast.py, 0.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..export import Export, Lost
from ..terms import SHORT, compute_of, lost, mixed, unlike_autocast

if TYPE_CHECKING:
    from ..policy import Policy


def export(policy: Policy) -> Export:
    """Return `bf16` or `fp16` for half weights, with float32 master weights in the engine; else `torch_autocast`."""
    half, compute = mixed(policy), compute_of(policy)
    settings: dict[str, Any] = {}
    missing: list[Lost] = []
    if half:
        settings["torch_autocast"] = {"enabled": True, "dtype": half}
    elif (
        policy.param_dtype in ("float16", "bfloat16") and compute == policy.param_dtype
    ):
        settings[SHORT[policy.param_dtype]] = {"enabled": True}
    elif policy.param_dtype not in (None, "float32"):
        missing.append(
            Lost(
                field="param_dtype",
                reason=f"the engine supports float32, float16 and bfloat16 weights, not {compute}",
            )
        )
    if policy.reduce_dtype in SHORT:
        short = SHORT[policy.reduce_dtype]
        settings["communication_data_type"] = short
        settings["data_types"] = {"grad_accum_dtype": short}
    elif policy.reduce_dtype:
        missing.append(
            Lost(
                field="reduce_dtype",
                reason="gradients are reduced in fp16, bf16 or fp32",
            )
        )
    reasons = {
        "output_dtype": "outputs keep the compute dtype",
        "overrides": "it has one precision for the whole model",
    }
    if policy.buffer_dtype and (half or policy.buffer_dtype != policy.param_dtype):
        reasons["buffer_dtype"] = (
            "buffers keep their dtype"
            if half
            else "buffers get the dtype of the weights"
        )
    return Export(
        system="deepspeed",
        settings=settings,
        lost=(*missing, *unlike_autocast(policy), *lost(policy, reasons)),
    )
