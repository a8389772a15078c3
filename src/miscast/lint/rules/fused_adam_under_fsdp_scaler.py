"""FSDP1's grad scaler meets a fused Adam.

## What
`fp16` under FSDP1 with `optim: adamw_torch_fused`, which is the Trainer's default and axolotl's, or another fused
optimizer of torch.

## Why
FSDP1's own ShardedGradScaler keeps what it found in a tensor of one element, and fused optimizers subtract that from
step counters that have no dimension: torch refuses at the first step. FSDP2 has torch's plain grad scaler.

## Example
    fp16: true
    fsdp: full_shard
    fsdp_config: {version: 1}

## Use instead
    fp16: true
    fsdp: full_shard
    fsdp_config: {version: 1}
    optim: adamw_torch

## Fix safety
Safe: the unfused optimizer computes the same numbers; the step takes a little longer.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..sharding import flattened
from ..systems import axolotl
from ..view import View


def _meet(view: View, run: Run) -> bool:
    fused = view.at("optim", "adamw_torch_fused")
    return fused and view.on("fp16") and flattened(run) is not None


def _meet_in_axolotl(view: View, run: Run) -> bool:
    fused = view.at("optimizer", "adamw_torch_fused")
    return (
        fused
        and axolotl.mixed(view, run).value == "float16"
        and flattened(run) is not None
    )


_EFFECT = "RuntimeError: output with shape [] doesn't match the broadcast shape [1]"
_SOURCE = (
    "torch/distributed/fsdp/sharded_grad_scaler.py unscale_, torch/optim/adam.py _fused_adam, 2.13.0; "
    "pytorch issue 140514"
)
CONFLICTS = (
    Conflict(
        system="axolotl",
        keys=("optimizer", "fp16", "fsdp_version"),
        when=_meet_in_axolotl,
        says="fp16 under FSDP1, and axolotl's optimizer is {0}",
        effect=_EFFECT,
        help="set optimizer: adamw_torch, or bf16 instead of fp16, or fsdp_version: 2",
        source=_SOURCE,
    ),
    Conflict(
        system="transformers",
        inherited=True,
        keys=("optim", "fp16"),
        when=_meet,
        says="fp16 under FSDP1, and the optimizer is {0}",
        effect=_EFFECT,
        help="set optim: adamw_torch, or bf16 instead of fp16, or FSDP2",
        source=_SOURCE,
    ),
)
