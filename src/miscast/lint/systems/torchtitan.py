"""torchtitan: TOML with `[training]` and `[parallelism]` (until 0.2), or options of the same names."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..facts import Facts, Updates
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View

_CONFIG = "torchtitan/config/configs.py"
_REJECTS = "tyro: {value!r} is none of 'bfloat16', 'float32'"

KEYS = (
    Key(
        name="training.dtype",
        allowed=("bfloat16", "float32"),
        default="float32",
        rejects=_REJECTS,
        source=_CONFIG,
        means="weights, gradients and optimizer states",
    ),
    Key(
        name="training.mixed_precision_param",
        allowed=("bfloat16", "float32"),
        default="bfloat16",
        rejects=_REJECTS,
        source=_CONFIG,
        means="FSDP2's param_dtype, or autocast's",
    ),
    Key(
        name="training.mixed_precision_reduce",
        allowed=("float32",),
        default="float32",
        source=_CONFIG,
        rejects="tyro: {value!r} is not 'float32'",
        means="FSDP2's reduce_dtype",
    ),
    Number(name="parallelism.data_parallel_shard_degree", default=-1, source=_CONFIG),
    Number(name="parallelism.data_parallel_replicate_degree", default=1, source=_CONFIG),
    Number(name="parallelism.tensor_parallel_degree", default=1, source=_CONFIG),
    Number(name="parallelism.pipeline_parallel_degree", default=1, source=_CONFIG),
    Number(name="parallelism.context_parallel_degree", default=1, source=_CONFIG),
    Number(name="optimizer.lr", default=8e-4, source="torchtitan/components/optimizer.py"),
    Text(name="optimizer.name", default="AdamW", source="torchtitan/components/optimizer.py"),
    Text(name="model.name", source="torchtitan/config"),
    Text(name="model.flavor", source="torchtitan/config"),
    Text(name="activation_checkpoint.mode", default="selective", source=_CONFIG),
    Text(name="model.converters.0", source="torchtitan/components/quantization"),
    Switch(
        name="quantize.linear.float8.emulate",
        aliases=("float8.emulate",),
        source="torchtitan/components/quantization/float8.py",
    ),
)
_OTHERS = frozenset(
    "training.local_batch_size training.batch_size training.seq_len training.steps training.max_norm training.dataset "
    "training.compile job.dump_folder job.description metrics.log_freq checkpoint.folder lr_scheduler.warmup_steps "
    "profiling.enable_profiling model.tokenizer_path model.hf_assets_path float8.enable_fsdp_float8_all_gather".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model under FSDP2's policy; only without it, on one GPU or by DDP, the same dtype is autocast's."""
    computed = chosen(view, "training.mixed_precision_param")
    yield trained(
        "model",
        weights=chosen(view, "training.dtype"),
        autocast=Cell(value="unknown", by=computed.by, why="off under FSDP2, else the dtype of computing"),
        compute=computed,
        reduction=chosen(view, "training.mixed_precision_reduce"),
        scaling=Cell(value="off", why="bfloat16 needs none"),
    )


def bfloat16_without_masters(view: View) -> Updates | None:
    """Weights, gradients and states in bfloat16."""
    if not view.at("training.dtype", "bfloat16"):
        return None
    return Updates(dtype=view.given("training.dtype"), rate=view.given("optimizer.lr"))


SYSTEM = System(
    name="torchtitan",
    title="torchtitan",
    version="0.3.0",
    source=_CONFIG,
    keys=KEYS,
    others=_OTHERS,
    marks=(("training.seq_len",), ("training.mixed_precision_param",), ("job.dump_folder",), ("model.flavor",),
           ("training.dtype", "training.steps")),
    programs=("torchtitan", "torchtitan/train.py", "run_train.sh"),
    effective=effective,
    facts=Facts(bfloat16_without_masters=bfloat16_without_masters),
)  # fmt: skip
