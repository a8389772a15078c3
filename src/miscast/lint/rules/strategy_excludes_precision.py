"""A strategy does not take the precision.

## What
Lightning's `ModelParallelStrategy` with a precision other than 32-true, bf16-mixed, bf16-true and 16-true; DeepSpeed
and FSDP with double precision or TransformerEngine.

## Why
The strategies bring a precision plugin of their own: ModelParallelStrategy's has no grad scaler, none has double
precision.

## Example
    Trainer(strategy=ModelParallelStrategy(), precision="16-mixed")

## Use instead
    Trainer(strategy=ModelParallelStrategy(), precision="bf16-mixed")

## Fix safety
Not safe: bfloat16 has fewer digits than float16.
"""

from __future__ import annotations

from ..conflict import Conflict, When, both
from ..run import Run
from ..systems import lightning
from ..view import View

_TAKEN = ("32-true", "bf16-mixed", "bf16-true", "16-true")
_ENGINE = ("transformer-engine", "transformer-engine-float16")
_HALVES = ("32-true", "16-true", "bf16-true", "16-mixed", "bf16-mixed")


def _refuses(strategy: str, taken: tuple[str, ...]) -> When:
    def when(view: View, _: Run) -> bool:
        text, chosen = lightning.strategy(view), lightning.precision(view)
        known = chosen in (*lightning.NAMES.values(), *_ENGINE, *_HALVES)
        return strategy in text and known and chosen not in taken

    return when


CONFLICTS = (
    Conflict(
        system="lightning",
        keys=("precision", "strategy"),
        when=_refuses("modelparallel", _TAKEN),
        says="ModelParallelStrategy does not take precision {0}",
        effect="ValueError: The `ModelParallelStrategy` does not support `Fabric(..., "
        "precision={0!r})`. Choose a different "
        "precision among: 32-true, bf16-mixed, bf16-true, 16-true.",
        help="use bf16-mixed, or 32-true",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
    *(
        Conflict(
            system="lightning",
            keys=("precision", "strategy"),
            when=_refuses(strategy, _HALVES),
            says=f"the {title} strategy does not take precision {{0}}",
            effect=f"ValueError: `precision={{0!r}})` is not supported in {title}. `precision` must be one of: "
            f"{_HALVES}.",
            help="use bf16-mixed, or 32-true",
            source=f"lightning/fabric/plugins/precision/{strategy}.py, 2.6.6",
        )
        for strategy, title in (("deepspeed", "DeepSpeed"), ("fsdp", "FSDP"))
    ),
    Conflict(
        system="fairseq",
        keys=("bf16", "memory_efficient_bf16", "ddp_backend"),
        when=lambda s, _: (
            s.at("ddp_backend", "fully_sharded")
            and (s.on("bf16") or s.on("memory_efficient_bf16"))
        ),
        says="ddp_backend fully_sharded does not take bf16",
        effect="ValueError: FullyShardedDataParallel is not compatible with --bf16 or --memory-efficient-bf16",
        help="use fp16, or another ddp_backend",
        source="fairseq/trainer.py Trainer.__init__, 0.12",
    ),
    Conflict(
        system="megatron",
        keys=("fp16", "use_torch_fsdp2"),
        when=both("fp16", "use_torch_fsdp2"),
        says="use_torch_fsdp2 does not take fp16",
        effect="AssertionError: --use-torch-fsdp2 not supported with fp16 yet",
        help="use bf16",
        source="megatron/training/arguments.py validate_args, 0.20",
    ),
    Conflict(
        system="openrlhf",
        keys=("ds.param_dtype", "ds.tensor_parallel_size"),
        when=lambda s, _: (
            s.at("ds.param_dtype", "fp16")
            and (s.number("ds.tensor_parallel_size") or 1) > 1
        ),
        says="tensor parallelism does not take param_dtype {0}",
        effect="AssertionError: BF16 is required for tensor parallel training",
        help="set param_dtype to bf16, or tensor_parallel_size to 1",
        source="openrlhf/utils/deepspeed/deepspeed.py DeepspeedStrategy.setup_distributed, 0.11",
    ),
)
