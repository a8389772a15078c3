"""float16 is trained without a grad scaler.

## What
OneTrainer's `train_dtype` is FLOAT_16 and a trained weight is FLOAT_16 too; DeepSpeed's `fp16.loss_scale` is 1;
Lightning's Trainer has 16-true; torchtitan's file or code has float16, which only its options refuse; FSDP's policy
has `param_dtype` float16 in a program without a grad scaler.

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

from ..calls import calls
from ..conflict import Conflict
from ..contradiction import Contradiction
from ..run import Run
from ..setting import named_dtype
from ..systems import lightning, onetrainer

_EFFECT = "silent: small gradients underflow to zero, and the loss stands still"

CONFLICTS = (
    *(
        Conflict(
            system="torchtitan",
            keys=(key,),
            severity="warning",
            when=lambda s, _, key=key: s.at(key, "float16"),  # type: ignore[misc]
            says=f"{key} is float16, and torchtitan has no grad scaler",
            effect=_EFFECT,
            help="use bfloat16",
            source="torchtitan/train.py, 0.2.2; trainer.py, 0.3.0",
        )
        for key in ("training.dtype", "training.mixed_precision_param")
    ),
    Conflict(
        system="lightning",
        keys=("precision",),
        severity="warning",
        when=lambda s, _: (
            lightning.precision(s) == "16-true" and not lightning.fabric(s)
        ),
        says="precision 16-true trains float16 weights without a grad scaler",
        effect=_EFFECT,
        help="use 16-mixed, or bf16-true on Ampere and later",
        source="lightning HalfPrecision, 2.6.6",
    ),
    Conflict(
        system="deepspeed",
        keys=("fp16.loss_scale", "fp16.enabled"),
        severity="warning",
        when=lambda s, _: s.on("fp16.enabled") and s.at("fp16.loss_scale", 1, 1.0),
        says="fp16 is enabled and loss_scale is fixed at 1: nothing is scaled",
        effect=_EFFECT,
        help="loss_scale 0 scales dynamically",
        fix=("fp16.loss_scale", "0"),
        source="deepspeed/runtime/precision_config.py, 0.19.8",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """OneTrainer's trained weights that are not float32 under train_dtype FLOAT_16; FSDP's policies in float16."""
    yield from _policies(run)
    view = run.view("onetrainer")
    scaled = not view or view.open or not view.at("train_dtype", "FLOAT_16")
    halves = (
        []
        if scaled
        else [p for p in onetrainer.parts(view) if p.trained and p.dtype == "FLOAT_16"]
    )
    for part in halves[:1]:
        yield Contradiction(
            says=f"train_dtype is FLOAT_16 and the trained {part.name} is {part.dtype}: no grad scaler is made",
            settings=(view.given("train_dtype"), part.by),
            otherwise=view.place,
            severity="warning",
            effect=_EFFECT,
            help=f'set the weight dtype of {part.name} to "FLOAT_32"',
        )


def _policies(run: Run) -> Iterator[Contradiction]:
    """FSDP computes in float16, and the program makes no grad scaler."""
    sharded = any(calls(run, "fully_shard", "FSDP", "FullyShardedDataParallel"))
    if not sharded or any(calls(run, "GradScaler")) or run.view("lightning"):
        return
    for view in calls(run):
        setting = view.given("param_dtype")
        if setting is not None and named_dtype(setting.value) == "float16":
            yield Contradiction(
                says=f"{setting.document.name} computes in float16, and nothing here makes a grad scaler",
                settings=(setting,),
                severity="warning",
                effect=_EFFECT,
                help="param_dtype=torch.bfloat16, or torch.distributed.fsdp's ShardedGradScaler",
            )
