"""Megatron-LM's scripts: `--fp16`, `--bf16`, `--fp8-format`, and the dtype of gradient sums."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict, both
from ..deciding import switched
from ..messages import KEEP_ONE_HALF, NO_FLOAT8_PRODUCTS
from ..run import FLOAT8, Run
from ..system import Key, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View

_ARGUMENTS = "megatron/training/arguments.py validate_args, 0.20"
_CHOICE = "argparse: invalid choice: {value!r}"

KEYS = (
    Switch(name="fp16", means="float16 weights, float32 master weights, dynamic loss scaling", source=_ARGUMENTS),
    Switch(name="bf16", means="bfloat16 weights, float32 master weights", source=_ARGUMENTS),
    Key(name="fp8_format", allowed=("e4m3", "hybrid"), rejects=_CHOICE,
        source="megatron/core/transformer/transformer_config.py fp8, 0.20"),
    Text(name="fp8_recipe", default="delayed", source="megatron/core/transformer/transformer_config.py fp8_recipe"),
    Text(name="fp4_format", source=_ARGUMENTS),
    Switch(name="fp8_param_gather", source=_ARGUMENTS),
    Switch(name="accumulate_allreduce_grads_in_fp32", source=_ARGUMENTS),
    Switch(name="grad_reduce_in_bf16", source=_ARGUMENTS),
    Key(name="main_grads_dtype", allowed=("fp32", "bf16"), default="fp32", rejects=_CHOICE, source=_ARGUMENTS),
    Key(name="exp_avg_dtype", allowed=("fp32", "fp16", "bf16", "fp8"), default="fp32", rejects=_CHOICE,
        source=_ARGUMENTS),
    Switch(name="use_torch_fsdp2", source=_ARGUMENTS),
    Switch(name="fp32_residual_connection", source=_ARGUMENTS),
    Text(name="loss_scale", source=_ARGUMENTS),
)
_OTHERS = frozenset(
    "num_layers hidden_size num_attention_heads seq_length max_position_embeddings micro_batch_size global_batch_size "
    "train_iters lr min_lr tensor_model_parallel_size pipeline_model_parallel_size transformer_impl save load".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model in its half dtype; bfloat16 gradients are summed in float32 by default."""
    weights = switched(view, {"fp16": "float16", "bf16": "bfloat16"}) or Cell(
        value="float32", why="neither fp16 nor bf16"
    )
    reduced = switched(view, {"grad_reduce_in_bf16": "bfloat16", "accumulate_allreduce_grads_in_fp32": "float32"})
    if reduced is None and weights.value == "bfloat16":
        reduced = Cell(value="float32", why="bfloat16 gradients are summed in float32 (validate_args)")
    yield trained(
        "model", weights=weights, autocast=Cell(value="off", why="Megatron casts the model itself"),
        states=Cell(value="float32", by=weights.by, why="Megatron's master weights"), reduction=reduced,
        scaling=Cell(value="dynamic" if weights.value == "float16" else "off", by=weights.by),
    )


SYSTEM = System(
    name="megatron", title="Megatron-LM", version="0.20", source=_ARGUMENTS, keys=KEYS, others=_OTHERS,
    marks=(("num_layers", "hidden_size", "num_attention_heads", "micro_batch_size"),),
    programs=("pretrain_gpt.py", "pretrain_bert.py", "pretrain_t5.py", "pretrain_mamba.py", "pretrain_vlm.py",
              "pretrain_retro.py"),
    effective=effective, unknown_key="argparse: unrecognized arguments",
)


CONFLICTS = (
    Conflict(
        rule="both-half-dtypes", keys=("fp16", "bf16"), when=both("fp16", "bf16"),
        says="--fp16 and --bf16 are both given", effect="AssertionError (assert not args.bf16)", help=KEEP_ONE_HALF,
        source=_ARGUMENTS,
    ),
    Conflict(
        rule="fp8-not-available", keys=("fp8_format",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.given("fp8_format") is not None,
        says="fp8_format {0} on a machine without float8 products", effect=NO_FLOAT8_PRODUCTS, help="drop fp8_format",
        source="transformer_engine/pytorch/fp8.py check_fp8_support",
    ),
    Conflict(
        rule="strategy-excludes-precision", keys=("fp16", "use_torch_fsdp2"), when=both("fp16", "use_torch_fsdp2"),
        says="use_torch_fsdp2 does not support fp16",
        effect="AssertionError: --use-torch-fsdp2 not supported with fp16 yet", help="use bf16", source=_ARGUMENTS,
    ),
)
