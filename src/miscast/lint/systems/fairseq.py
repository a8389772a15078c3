"""fairseq: the flags of `fairseq-train`, and `common` in the Hydra YAML of `fairseq-hydra-train`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict, both
from ..deciding import switched
from ..messages import KEEP_ONE_HALF
from ..run import Run
from ..system import Switch, System, Text
from ..table import UNKNOWN, Cell, Component, trained
from ..view import View

_CONFIGS = "fairseq/dataclass/configs.py CommonConfig, 0.12"
_HALVES = {
    "fp16": "float16",
    "memory_efficient_fp16": "float16",
    "bf16": "bfloat16",
    "memory_efficient_bf16": "bfloat16",
}


def _switch(name: str, means: str) -> Switch:
    return Switch(name=name, aliases=(f"common.{name}",), means=means, source=_CONFIGS)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model in its half dtype, with master weights unless memory-efficient, or under amp's autocast."""
    half = switched(view, _HALVES)
    if view.at("ddp_backend", "fully_sharded"):
        yield trained("model", weights=UNKNOWN, autocast=UNKNOWN)
        return
    if half is None:
        whole = Cell(value="float32", why="neither fp16 nor bf16")
        amp = switched(view, {"amp": "float16"})
        yield trained("model", weights=whole, autocast=amp or Cell(value="off", why="default of fairseq"))
        return
    saved = view.entry("memory_efficient_fp16", "memory_efficient_bf16")
    kept = Cell(value="float32", by=half.by, why="fairseq's master weights")
    yield trained(
        "model", weights=half, autocast=Cell(value="off", by=half.by, why="fairseq casts the model itself"),
        states=half if saved and saved.value is True else kept,
        scaling=Cell(value="dynamic" if half.value == "float16" else "off", by=half.by),
    )


SYSTEM = System(
    name="fairseq", title="fairseq", version="0.12", source=f"{_CONFIGS}; fairseq/trainer.py",
    keys=(
        _switch("fp16", "float16 weights, float32 master weights, dynamic loss scaling"),
        _switch("memory_efficient_fp16", "float16 weights without master weights; implies fp16"),
        _switch("bf16", "bfloat16 weights, float32 master weights"),
        _switch("memory_efficient_bf16", "bfloat16 weights without master weights; implies bf16"),
        _switch("amp", "float16 autocast"),
        _switch("fp16_no_flatten_grads", "master weights are not one flat tensor"),
        Text(name="ddp_backend", aliases=("distributed_training.ddp_backend",), default="pytorch_ddp", source=_CONFIGS),
    ),
    others=frozenset(
        "arch task criterion optimizer lr lr_scheduler max_tokens max_update update_freq save_dir warmup_updates "
        "fp16_init_scale fp16_scale_window fp16_scale_tolerance fp16_adam_stats log_format log_interval tpu cpu".split()
    ),
    marks=(("task._name", "criterion._name"), ("task._name", "optimization.max_update"), ("task._name", "common."),
           ("common.fp16", "optimization."), ("arch", "max_tokens", "criterion")),
    programs=("fairseq-train", "fairseq-hydra-train", "fairseq_cli/hydra_train.py"), effective=effective,
    unknown_key="argparse: unrecognized arguments",
)


CONFLICTS = (
    Conflict(
        rule="both-half-dtypes", keys=("fp16", "bf16"), when=lambda s, _: s.on("fp16") and s.on("bf16") and s.commanded,
        says="fp16 and bf16 are both on", effect="ValueError: Cannot combine --fp16 and --tpu, use --bf16 on TPUs",
        help=KEEP_ONE_HALF, source="fairseq/options.py parse_args_and_arch: bf16 implies tpu, 0.12",
    ),
    Conflict(
        rule="both-half-dtypes", keys=("fp16", "amp"), when=both("fp16", "amp"), says="fp16 and amp are both on",
        effect="AssertionError: Cannot use fp16 and AMP together", help="keep one of them",
        source="fairseq/trainer.py Trainer.__init__, 0.12",
    ),
    Conflict(
        rule="strategy-excludes-precision", keys=("bf16", "memory_efficient_bf16", "ddp_backend"),
        when=lambda s, _: s.at("ddp_backend", "fully_sharded") and (s.on("bf16") or s.on("memory_efficient_bf16")),
        says="ddp_backend fully_sharded does not support bf16",
        effect="ValueError: FullyShardedDataParallel is not compatible with --bf16 or --memory-efficient-bf16",
        help="use fp16, or another ddp_backend", source="fairseq/trainer.py Trainer.__init__, 0.12",
    ),
)
