"""OpenRLHF's commands: DeepSpeed's engine in `param_dtype`, with float32 master weights."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import chosen
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, dtype, trained
from ..view import View

_CLI = "openrlhf/cli/train_*.py, 0.11"

KEYS = (
    Key(name="ds.param_dtype", allowed=("bf16", "fp16"), default="bf16", aliases=("param_dtype",),
        rejects="argparse: invalid choice: {value!r} (choose from 'bf16', 'fp16')",
        means="weights and compute dtype, in DeepSpeed's engine", source=_CLI),
    Switch(name="bf16", until="0.9.2", source="openrlhf/cli/train_*.py, 0.9.1"),
    Text(name="ds.grad_accum_dtype", default=None, aliases=("grad_accum_dtype",), source=_CLI),
    Number(name="ds.zero_stage", default=2, aliases=("zero_stage",), source=_CLI),
    Switch(name="ds.load_in_4bit", aliases=("load_in_4bit",), source=_CLI),
    Number(name="ds.tensor_parallel_size", default=1, aliases=("ds_tensor_parallel_size",), source=_CLI),
    Text(name="ds.attn_implementation", aliases=("attn_implementation",), source=_CLI),
    Switch(name="flash_attn", until="0.8.10", source="openrlhf/cli/train_*.py, 0.8.9"),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the actor or the model in the engine."""
    weights = chosen(view, "ds.param_dtype", of="OpenRLHF")
    sums = view.given("ds.grad_accum_dtype")
    yield trained(
        "model", weights=weights, autocast=Cell(value="off", why="DeepSpeed casts the model itself"),
        states=Cell(value="float32", why="DeepSpeed's master weights"),
        reduction=Cell(value=dtype(sums.value), by=sums) if sums else None,
        scaling=Cell(value="dynamic" if weights.value == "float16" else "off", by=weights.by),
    )


SYSTEM = System(
    name="openrlhf", title="OpenRLHF", version="0.11", source=f"{_CLI}; openrlhf/utils/deepspeed/deepspeed_utils.py",
    keys=KEYS,
    programs=tuple(f"openrlhf.cli.train_{kind}" for kind in ("sft", "rm", "dpo", "ppo_ray", "kto", "kd", "prm")),
    effective=effective, unknown_key="argparse: unrecognized arguments",
)


CONFLICTS = (
    Conflict(
        rule="strategy-excludes-precision", keys=("ds.param_dtype", "ds.tensor_parallel_size"),
        when=lambda s, _: s.at("ds.param_dtype", "fp16") and (s.number("ds.tensor_parallel_size") or 1) > 1,
        says="tensor parallelism does not support param_dtype {0}",
        effect="AssertionError: BF16 is required for tensor parallel training",
        help="set param_dtype to bf16, or tensor_parallel_size to 1",
        source="openrlhf/utils/deepspeed/deepspeed.py DeepspeedStrategy.setup_distributed, 0.11",
    ),
)
