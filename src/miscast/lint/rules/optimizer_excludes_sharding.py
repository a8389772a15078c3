"""An optimizer with 8-bit states excludes a way of sharding.

## What
axolotl's `optimizer` in 8 bits: bitsandbytes' under FSDP2 or tensor parallelism, any under FSDP1 with offloading.

## Why
The states are integers in blocks, on CUDA: bitsandbytes' kernels take no sharded tensor, and none on the CPU.

## Example
    optimizer: adamw_8bit
    fsdp_version: 2

## Use instead
    optimizer: adamw_torch_8bit
    fsdp_version: 2

## Fix safety
Not safe: the states round differently.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..view import View

_SOURCE = "axolotl/utils/schemas/validation.py, 0.19.0"


def _fsdp2(view: View, _: Run) -> bool:
    named = view.text("optimizer") in ("adamw_8bit", "adamw_bnb_8bit")
    return named and view.number("fsdp_version") == 2 and view.filled("fsdp_config.")


def _offloaded(view: View, _: Run) -> bool:
    eight = "8bit" in view.text("optimizer") and view.given("optimizer") is not None
    return eight and view.number("fsdp_version") != 2 and view.on("fsdp_config.offload_params")


CONFLICTS = (
    Conflict(
        system="axolotl",
        keys=("optimizer", "fsdp_version"),
        when=_fsdp2,
        says="optimizer {0} under FSDP2",
        effect="ValueError: FSDP2 not compatible with {0}, use `adamw_torch_8bit` instead",
        help="use adamw_torch_8bit",
        source=f"{_SOURCE} check_fsdp2_w_8bit_optimizer",
    ),
    Conflict(
        system="axolotl",
        keys=("optimizer", "fsdp_config.offload_params"),
        when=_offloaded,
        says="optimizer {0} under FSDP1 with offloading",
        effect="ValueError: FSDP Offload not compatible with {0}",
        help="use adamw_torch, or do not offload",
        source=f"{_SOURCE} check_fsdp_offload_w_8bit_optimizer",
    ),
)
