"""float16 is trained without a grad scaler.

## What
OneTrainer's `train_dtype` is FLOAT_16 and a trained weight is FLOAT_16 too; DeepSpeed's `fp16.loss_scale` is 1;
Lightning's Trainer has 16-true; FSDP's policy has `param_dtype` float16 in a program without a grad scaler.

## Why
Gradients below 6e-8 become zero. OneTrainer makes a grad scaler only if every trained parameter is float32, and says
nothing if not.

## Example
    "train_dtype": "FLOAT_16", "unet": {"weight_dtype": "FLOAT_16"}, "training_method": "FINE_TUNE"

## Use instead
    "train_dtype": "FLOAT_16", "unet": {"weight_dtype": "FLOAT_32"}

## Fix safety
Safe: float32 weights hold every half number; they need twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import Conflict, tell
from ..run import Run
from ..setting import named_dtype
from ..systems import lightning, onetrainer
from ..view import View

_EFFECT = "silent: small gradients underflow to zero, and the loss stands still"

CONFLICTS = (
    Conflict(system="lightning", keys=("precision",), severity="warning",
             when=lambda s, _: lightning.precision(s) == "16-true" and not lightning.fabric(s),
             says="precision 16-true trains float16 weights without a grad scaler", effect=_EFFECT,
             help="use 16-mixed, or bf16-true on Ampere and later", source="lightning HalfPrecision, 2.6.6"),
    Conflict(system="deepspeed", keys=("fp16.loss_scale", "fp16.enabled"), severity="warning",
             when=lambda s, _: s.on("fp16.enabled") and s.at("fp16.loss_scale", 1, 1.0),
             says="fp16 is enabled and loss_scale is fixed at 1: nothing is scaled", effect=_EFFECT,
             help="loss_scale 0 scales dynamically", fix=("fp16.loss_scale", "0"),
             source="deepspeed/runtime/precision_config.py, 0.19.8"),
)  # fmt: skip


def find(run: Run) -> Iterator[Finding]:
    """OneTrainer's trained weights that are not float32 under train_dtype FLOAT_16; FSDP's policies in float16."""
    yield from _policies(run)
    view = run.view("onetrainer")
    if not view or view.open or not view.at("train_dtype", "FLOAT_16"):
        return
    for part, (value, setting) in onetrainer.weights(view).items():
        if onetrainer.trains(view, part) and value == "FLOAT_16":
            yield tell(
                "float16-without-loss-scaling",
                f"train_dtype is FLOAT_16 and the trained {part} is {value}: no grad scaler is made",
                [s for s in (view.given("train_dtype"), setting) if s],
                otherwise=view.place,
                severity="warning",
                effect=_EFFECT,
                fixes=(Fix(title=f'set the weight dtype of {part} to "FLOAT_32"'),),
            )
            return


def _policies(run: Run) -> Iterator[Finding]:
    """FSDP computes in float16, and the program makes no grad scaler."""
    library = run.view("torch")
    if any(document.name.endswith("GradScaler") for document in library.documents) or run.view("lightning"):
        return
    for document in library.documents:
        view = View(library.system, (document,))
        setting = view.given("param_dtype")
        if setting is not None and named_dtype(setting.value) == "float16":
            yield tell(
                "float16-without-loss-scaling",
                f"{document.name} computes in float16, and nothing here makes a grad scaler",
                [setting],
                severity="warning",
                effect=_EFFECT,
                fixes=(Fix(title="param_dtype=torch.bfloat16, or torch.distributed.fsdp's ShardedGradScaler"),),
            )
