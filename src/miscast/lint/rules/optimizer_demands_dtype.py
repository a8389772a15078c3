"""An optimizer demands parameters of another dtype.

## What
SimpleTuner's `adamw_bf16` (its default) with parameters that are not bfloat16; OneTrainer's 8-bit optimizers with
`block_wise` off, and parameters that are.

## Why
`adamw_bf16` keeps its states and its rounding for bfloat16; it refuses other parameters. bitsandbytes quantizes the
states of bfloat16 gradients by blocks only.

## Example
    "optimizer": "adamw_bf16", "mixed_precision": "no"

## Use instead
    "optimizer": "adamw_bf16", "mixed_precision": "bf16"

## Fix safety
Not safe: another optimizer trains differently.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import onetrainer
from ..view import View

_OPTIMIZERS = ("adamw_bf16", "adam_bfloat16")
"""The second is the name of 2024."""


def _not_bfloat16(view: View, run: Run) -> bool:
    # there the weights are bfloat16 all the same
    on_mps = run.machine is not None and run.machine.device == "mps"
    if (
        on_mps
        or view.text("optimizer") not in _OPTIMIZERS
        or view.given("optimizer") is None
    ):
        return False
    if view.text("base_model_precision") not in ("", "no_change"):
        return view.at("base_model_default_dtype", "fp32")
    return view.at("mixed_precision", "no", "fp16")


def _not_by_blocks(view: View, _: Run) -> bool:
    return (
        view.text("optimizer.optimizer").endswith(("adam_8bit", "adamw_8bit"))
        and view.off("optimizer.block_wise")
        and any(
            part.trained and part.dtype == "BFLOAT_16"
            for part in onetrainer.parts(view)
        )
    )


CONFLICTS = (
    Conflict(
        system="onetrainer",
        keys=("optimizer.block_wise", "optimizer.optimizer"),
        when=_not_by_blocks,
        says="{1} with block_wise off, and bfloat16 weights",
        effect="ValueError: Gradient+optimizer bit data type combination not supported: grad torch.bfloat16, "
        "optimizer torch.uint8",
        help="set optimizer.block_wise to true",
        source="bitsandbytes/functional.py optimizer_update_8bit, 0.49.1",
    ),
    Conflict(
        system="simpletuner",
        keys=("optimizer", "mixed_precision", "base_model_default_dtype"),
        when=_not_bfloat16,
        says="{0} needs bfloat16 parameters, mixed_precision is {1}",
        effect="ValueError: Model is not using bf16 precision, but the optimizer {0} requires it. (or, where that "
        "check is dead, AssertionError: only bfloat 16 is supported.)",
        help="set mixed_precision to bf16, or choose another optimizer: optimi-adamw",
        source="SimpleTuner helpers/configuration/cmd_args.py, optimizers/adamw_bfloat16",
    ),
)
